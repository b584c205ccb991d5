"""``judges`` where there is nothing to compare: a value that never varies, and one on spans."""

import json
from contextlib import closing
from pathlib import Path

import pytest

from reviewer.core.spans import kept_spans
from reviewer.exchange.rows.dataset_import import import_path
from reviewer.study.design.closing import close_study
from reviewer.study.design.study_creation import Design, create_study
from reviewer.study.session.review_session import ReviewSession
from store.database import Database
from tests.cli.conftest import Run
from tests.declarations import with_passages
from tests.marked_texts import DECLARATION

TEXT = """\
[protocol]
name = "chosen"
version = 1
title = "Chosen and rejected"

[fields]
chosen = "chosen"
rejected = "rejected"

[source]
key = "{id}"

[published.choice]
column = "choice"
opinion_on = "better"

[pane.texts]
kind = "pair"
fields = ["chosen", "rejected"]

[question.better]
prompt = "Which is better?"
labels = ["first", "second"]
shows = "texts"
"""


def stored(folder: Path, text: str, rows: list[dict[str, object]]) -> Database:
    (folder / "d.toml").write_text(text)
    (folder / "rows.jsonl").write_text("\n".join(map(json.dumps, rows)))
    database = Database.open(str(folder / "reviewer.db"))
    import_path(database, folder / "rows.jsonl", "d", protocol=str(folder / "d.toml"))
    create_study(database, "pilot", Design(("d",), None, 7))
    return database


def test_a_choice_that_is_always_the_first_has_a_sentence_in_place_of_an_empty_table(
    tmp_path: Path, run: Run
) -> None:
    rows = [
        {"id": str(n), "chosen": f"text {n}", "rejected": f"words {n}", "choice": "first"} for n in range(5)
    ]
    with closing(stored(tmp_path, TEXT, rows)) as database:
        session = ReviewSession(database, "pilot", "anna")
        for label in ("first", "first", "first", "second", "second"):
            session.answer(label)
    for options in ((), ("--raters",), ("--confusion",), ("--by-label",), ("--replace",), ("--reliability",)):
        told = run("judges", "pilot", *options)
        assert (told.code, told.out) == (0, ""), options
        assert (
            "The opinion “choice” on “better” is first for all 5 items that have it; the final label "
            "is first on 3 of these 5." in (told.err)
        )
        assert run("judges", "pilot", *options, "--format", "csv").out.count("\n") > 1, (
            "programs have the row"
        )


@pytest.mark.parametrize(
    ("bens", "words"),
    [
        (("second",) * 5, "none of these has a final label yet."),
        (("first", "first", "second"), "the final label is first on 4 of the 4 of these with one."),
    ],
)
def test_final_labels_are_counted_among_the_items_of_the_opinion(
    tmp_path: Path, run: Run, bens: tuple[str, ...], words: str
) -> None:
    rows = [
        {"id": str(n), "chosen": f"text {n}", "rejected": f"words {n}", "choice": "first"} for n in range(5)
    ]
    with closing(stored(tmp_path, TEXT, rows)) as database:
        for rater, labels in {"anna": ("first",) * 5, "ben": bens}.items():
            session = ReviewSession(database, "pilot", rater)
            for label in labels:
                session.answer(label)
        close_study(database, "pilot", "tom", "done", anyway=True)
    assert f"is first for all 5 items that have it; {words}" in run("judges", "pilot").err


def test_an_opinion_on_spans_is_said_to_be_compared_with_nothing(tmp_path: Path, run: Run) -> None:
    published = '[published.gold]\ncolumn = "gold"\nopinion_on = "spans"\n\n[pane.comment]'
    text = with_passages(("[pane.comment]", published), text=DECLARATION)
    rows: list[dict[str, object]] = [{"id": "c3", "text": "You clown.", "gold": "0:3:insult"}]
    with closing(stored(tmp_path, text, rows)) as database:
        session = ReviewSession(database, "pilot", "anna")
        session.answer(kept_spans(10, ()))
    told = run("judges", "pilot")
    assert told.code == 2
    assert (
        "gold is an opinion on “toxic spans”, whose answers are spans of a text: no opinion is compared"
        in told.err
    )
