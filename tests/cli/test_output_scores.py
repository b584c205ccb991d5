"""A question that is asked for each output of a case: letters, one pass on one screen, numbers, sheets."""

import csv
import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from reviewer.core.pane import Variants
from reviewer.exchange.rows.dataset_import import import_path
from reviewer.protocols.declared.declared_protocol import protocol_of_text
from reviewer.results.labels.agreement_results import study_results
from reviewer.results.labels.output_quality import ranked_outputs
from reviewer.study.design.study_bundle import load_outline, load_study
from reviewer.study.design.study_creation import Design, create_study
from reviewer.study.session.blinded_panes import panes_while_owed
from reviewer.study.session.label_rows import label_rows
from reviewer.study.session.rater_progress import progress_of
from reviewer.study.session.review_session import ReviewSession
from store.database import Database
from store.ledger import Ledger
from tests.cli.conftest import Run
from tests.declarations import with_passages
from tests.protocols.declared.test_declaration_faults import faults

SYSTEMS = ("atlas", "boreal", "cumulus", "delta")
TEXT = """\
[protocol]
name = "four-scores"
version = 1
title = "Scores of four systems"

[source]
key = "{item}"
item = "item"
variant = "system"

[fields]
request = "request"
atlas = { column = "output.atlas", title = "Atlas" }
boreal = { column = "output.boreal", title = "Boreal" }
cumulus = { column = "output.cumulus", title = "Cumulus" }
delta = { column = "output.delta", title = "Delta", optional = true }

[pane.request]
fields = "request"

[pane.answers]
kind = "variants"
fields = ["atlas", "boreal", "cumulus", "delta"]
compared = false

[question.score]
prompt = "How helpful is answer {entry}?"
each = "answers"
labels = ["1", "2", "3", "4"]
scale = "ordinal"
passing = ["3", "4"]
shows = ["request", "answers"]
"""
GOOD = dict(zip(SYSTEMS, "4321", strict=True))
"""The score that each system deserves."""


def lines(items: int = 6) -> list[dict[str, object]]:
    """A line for each output; the first item has none of Delta."""
    return [
        {"item": f"i{item}", "system": system, "request": f"Sort list {item}.", "output": f"{system} {item}"}
        for system in SYSTEMS
        for item in range(items)
        if (item, system) != (0, "delta")
    ]


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with closing(Database.open(str(tmp_path / "reviewer.db"))) as opened:
        (tmp_path / "four.toml").write_text(TEXT)
        (tmp_path / "rows.jsonl").write_text("\n".join(map(json.dumps, lines())))
        import_path(opened, tmp_path / "rows.jsonl", "four", protocol=str(tmp_path / "four.toml"))
        create_study(opened, "pilot", Design(("four",), None, 7))
        yield opened


def outputs_shown(session: ReviewSession) -> dict[str, str]:
    """The system whose output the rater sees under each letter."""
    (body,) = (pane.body for pane in session.sheet() if isinstance(pane.body, Variants))
    return {letter: text.text.partition(" ")[0] for letter, text in body.texts}


def score_all(session: ReviewSession, *, shift: bool = False) -> None:
    """Give each output the score that it deserves, or one less."""
    while not session.finished:
        letter = session.entry_at(session.position)
        score = GOOD[outputs_shown(session)[letter]]
        session.answer(str(max(1, int(score) - shift)))


def test_a_rater_scores_all_outputs_of_a_case_in_the_order_of_their_letters(database: Database) -> None:
    session, orders = ReviewSession(database, "pilot", "anna"), set()
    while not session.finished:
        letters = [session.entry_at(position) for position in session.block]
        shown = outputs_shown(session)
        assert letters == [letter for letter in "ABCD" if shown[letter] != "(nothing)"]
        orders.add(tuple(shown.values()))
        for letter in letters:
            assert session.wording == f"How helpful is answer {letter}?"
            assert session.question.title == f"score · {letter}"
            session.answer(GOOD[shown[letter]])
    assert len(orders) > 2
    rows = label_rows(load_study(database, "pilot"), Ledger(database).events("pilot"))
    assert {(row.question.output, row.label) for row in rows} == {
        (system.title(), score) for system, score in GOOD.items()
    }


def test_nothing_that_a_rater_sees_before_the_answer_names_an_output(database: Database) -> None:
    session = ReviewSession(database, "pilot", "anna")
    shown = (session.question.prompt, session.wording, session.question.labels, [*session.sheet()])
    assert not any(system.title() in repr(shown) for system in SYSTEMS)


def test_raters_who_still_score_see_no_names_in_lists_of_cases(database: Database) -> None:
    session = ReviewSession(database, "pilot", "anna")
    owed = [progress_of(database, "pilot")]
    panes = panes_while_owed(session.bundle.protocol, session.case, (), (), owed)
    assert not any(system.title() in repr(panes) for system in SYSTEMS)


@pytest.mark.slow
def test_a_release_names_the_outputs_in_its_script(database: Database, run: Run) -> None:
    for rater in ("anna", "ben"):
        score_all(ReviewSession(database, "pilot", rater))
    assert run("study", "close", "pilot").code == 0
    assert run("study", "describe", "pilot", "--consent", "all agreed").code == 0
    made = ("release", "make", "four", "--version", "1.0", "-o", "out", "--licence", "MIT")
    assert run(*made, "--author", "Jo", "--contact", "Jo").code == 0
    verified = run("release", "verify", "out")
    assert (verified.code, "differs" in verified.out) == (0, False), verified.err
    assert "study pilot, score: labels" in verified.out
    folder = Path.cwd() / "out" / "data"
    printed = subprocess.run(
        [sys.executable, "agreement.py"], cwd=folder, capture_output=True, text=True, check=True
    )
    assert [line.partition(":")[0] for line in printed.stdout.splitlines()] == [
        f"pilot, score, {system.title()}" for system in SYSTEMS
    ]


def test_numbers_say_how_good_each_output_is(database: Database, run: Run) -> None:
    score_all(ReviewSession(database, "pilot", "anna"))
    score_all(ReviewSession(database, "pilot", "ben"), shift=True)
    for bundle in (load_study(database, "pilot"), load_outline(database, "pilot")):
        rows = label_rows(bundle, Ledger(database).events("pilot"))
        results = {result.where["output"]: result for result in study_results(bundle, rows, ("output",))}
        assert [results[name].items for name in ("Atlas", "Delta")] == [6, 5]
        assert results["Atlas"].of("po_all_agree").value == 0
        assert results["Delta"].of("po_all_agree").value == 1
        ranked = ranked_outputs(bundle, rows)
        assert [one.score.output for one in ranked] == ["Atlas", "Boreal", "Cumulus", "Delta"]
        assert ranked[0].cases == 5  # one case has no output of Delta
        assert [one.score.mean_rank.value for one in ranked] == [1, 2, 3.25, 3.75]
    told = run("agreement", "pilot", "--by", "output", "--differences")
    assert "the test assume independent items. Here several items are about the same case" in told.err
    assert run("report", "pilot", "--no-figures", "--interval", "analytic", "-o", "report").code == 0
    report = (Path.cwd() / "report" / "report.md").read_text()
    assert "score (6 cases, each output, 23 in all" in report
    assert "How helpful is answer \\{entry\\}?" in report
    assert "answers.1" not in report


def test_labels_that_pass_at_the_other_end_rank_the_other_way(database: Database, tmp_path: Path) -> None:
    text = with_passages(('passing = ["3", "4"]', 'passing = "1"'), ("version = 1", "version = 2"), text=TEXT)
    (tmp_path / "two.toml").write_text(text)
    import_path(database, tmp_path / "rows.jsonl", "worst", protocol=str(tmp_path / "two.toml"))
    create_study(database, "second", Design(("worst",), None, 7))
    score_all(ReviewSession(database, "second", "anna"))
    bundle = load_study(database, "second")
    ranked = ranked_outputs(bundle, label_rows(bundle, Ledger(database).events("second")))
    assert [one.score.output for one in ranked] == ["Delta", "Cumulus", "Boreal", "Atlas"]


def test_sheets_are_about_letters_and_come_back_to_outputs(
    database: Database, run: Run, tmp_path: Path
) -> None:
    for rater in ("anna", "ben"):
        ReviewSession(database, "pilot", rater)
    assert run("export", "pilot", "--as", "validation-csv", "-o", "sheets").code == 0
    for path in sorted((tmp_path / "sheets" / "anna").glob("score_*.csv")):
        letter = path.stem[-1]
        head, *rows = csv.reader(path.read_text().splitlines())
        assert head[0] == f"answer_score_{letter}"
        for row in rows:
            assert row[1] == f"How helpful is answer {letter}?"
            row[0] = GOOD[row[head.index(f"answers_{letter}")].partition(" ")[0]]
        with path.open("w", newline="") as file:
            csv.writer(file).writerows([head, *rows])
    filled = (tmp_path / "sheets" / "anna").rename(tmp_path / "filled")
    refused = run("import", str(filled), "--study", "pilot", "--rater", "ben")
    assert "is not the text of the case that the row's digest names" in refused.err
    assert run("import", str(filled), "--study", "pilot", "--rater", "anna").code == 0
    rows = label_rows(load_study(database, "pilot"), Ledger(database).events("pilot"))
    given = [(row.question.output, row.label) for row in rows if row.rater == "anna"]
    assert len(given) == 23
    assert {*given} == {(system.title(), score) for system, score in GOOD.items()}


@pytest.mark.parametrize(
    ("passage", "instead", "fault"),
    [
        ('"request", "answers"]', '"request"]', "shows: does not show pane 'answers', whose texts"),
        ("compared = false", 'titles = ["A", "A", "B", "C"]', "each: 'A' is there twice"),
        ('each = "answers"', 'each = "request"', "each: names field 'request' of type text"),
        ("{entry}", "it", "prompt: does not say which entry is meant"),
        (
            'labels = ["1", "2", "3", "4"]\nscale = "ordinal"\npassing = ["3", "4"]',
            'kind = "ranking"',
            "each: asks for each text of pane 'answers', and a ranking is of all of them at once",
        ),
        (
            "[question.score]",
            '[pane.again]\nfields = ["atlas"]\n\n[question.score]\nbeside = "again"',
            "beside: shows pane 'again', which tells by 'atlas' which output is whose",
        ),
        (
            '[question.score]\nprompt = "How helpful is answer {entry}?"\neach = "answers"',
            '[pane.kept]\nfields = "request"\n\n[question.score]\nprompt = "{entry}?"\neach = "kept"',
            "each: names pane 'kept' of kind text, which has no outputs",
        ),
    ],
)
def test_declarations_that_do_not_fit_are_refused(passage: str, instead: str, fault: str) -> None:
    found = faults(with_passages((passage, instead), text=TEXT))
    assert any(fault in one for one in found), found


def test_outputs_in_a_list_have_their_names_from_the_pane() -> None:
    text = """\
[protocol]
name = "listed"
version = 1
title = "Listed"

[fields]
outputs = { column = "outputs", type = "list" }

[pane.answers]
kind = "variants"
fields = "outputs"
titles = ["Atlas", "Boreal"]
compared = false

[question.good]
prompt = "Is {entry} good?"
each = "answers"
labels = ["yes", "no"]
shows = "answers"
"""
    protocol = protocol_of_text(text, "listed.toml")
    assert [question.output for question in protocol.questions] == ["Atlas", "Boreal"]
    case = protocol.case("all", {"outputs": ["one", "two"]})
    assert [protocol.entry_text(question, case) for question in protocol.questions] == ["Atlas", "Boreal"]
    with pytest.raises(ValueError, match="2 items"):
        protocol.case("all", {"outputs": ["one", "two", "three"]})
    unnamed = faults(with_passages(('titles = ["Atlas", "Boreal"]\n', ""), text=text))
    assert any("have no names; name them in titles of the pane" in one for one in unnamed)
