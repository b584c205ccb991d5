"""Our own ``labels.csv`` and ``labels.jsonl`` come back whole, for every kind of question."""

from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from reviewer.exchange.exports.study_export import export_study
from reviewer.exchange.exports.study_source import StudySource
from reviewer.exchange.labels.foreign_files import read_foreign_labels
from reviewer.exchange.labels.label_booking import BookingOptions, match_labels, store_labels
from reviewer.study.design.study_bundle import load_study
from reviewer.study.integrity.quarantine import read_study
from reviewer.study.session.label_rows import label_rows
from reviewer.study.session.review_session import ReviewSession
from reviewer.study.session.verdicts import Verdict
from store.database import Database
from tests.studies import a_study, open_store
from tests.teas import tea_study

ANSWERS = {
    "fits": "no",
    "grade": "4",
    "tags": '["hot","sweet, very"]',
    "why": '=1+1, "quoted",\n\'-v\' is a flag; ["no list"]',
}
COMMENT = "'-v' is\na flag"
ADD = BookingOptions(add_raters=True)


def written(database: Database, folder: Path, study: str = "tea") -> Path:
    export_study(StudySource.of(*read_study(database, study)), folder)
    return folder


def rows_of(database: Database, study: str = "tea") -> list[tuple[Any, ...]]:
    """Everything that a row says, without its event."""

    def plain(verdict: Verdict) -> tuple[Any, ...]:
        state = "open" if verdict.label is None else str(verdict.state)
        return verdict.slot, state, verdict.label, verdict.comment, verdict.passage, verdict.flagged

    return [(row.rater, *plain(row.verdict)) for row in label_rows(*read_study(database, study))]


def brought_in(database: Database, path: Path, study: str = "tea") -> tuple[str, ...]:
    bundle = load_study(database, study)
    matched = match_labels(bundle, read_foreign_labels(path), ADD)
    assert matched.problems == ()
    store_labels(database, bundle, matched)
    return matched.notices


def answered(database: Database, rater: str) -> None:
    session = ReviewSession(database, "tea", rater)
    for number, slot in enumerate(session.slots):
        session.go_to(number)
        session.answer("[]" if slot.question == "tags" and number % 2 else ANSWERS[slot.question])
    session.go_to(0)
    session.comment(COMMENT, {"pane": "text", "start": 0, "end": 4, "text": "This"})
    session.flag()
    session.go_to(1)
    session.comment("of the whole case")


@pytest.mark.parametrize("name", ["labels.csv", "labels.jsonl"])
def test_own_labels_of_every_kind_come_back_whole(tmp_path: Path, name: str) -> None:
    for folder in ("here", "there"):
        (tmp_path / folder).mkdir()
    with closing(tea_study(tmp_path / "here", 2)) as here, closing(tea_study(tmp_path / "there", 2)) as there:
        answered(here, "anna")
        session = ReviewSession(here, "tea", "ben")
        session.comment("no answer yet")
        exported = written(here, tmp_path / "out") / name
        assert brought_in(there, exported) == ()
        assert rows_of(there) == rows_of(here)
        before = len(read_study(there, "tea")[1])
        brought_in(there, exported)
        assert len(read_study(there, "tea")[1]) == before
        brought_in(here, exported)
        assert rows_of(there) == rows_of(here)


@pytest.mark.parametrize(
    ("options", "places"),
    [
        ({"repeats": 0.5}, {(0, "before"), (1, "before")}),
        ({"reveal": "findings"}, {(0, "before"), (0, "after")}),
    ],
)
def test_repeats_and_second_verdicts_come_back(
    tmp_path: Path, options: dict[str, Any], places: set[tuple[int, str]]
) -> None:
    for folder in ("here", "there"):
        (tmp_path / folder).mkdir()
    with closing(open_store(tmp_path / "here")) as here, closing(open_store(tmp_path / "there")) as there:
        for database in (here, there):
            a_study(database, cases=2, questions=("same_task",), **options)
        session = ReviewSession(here, "pilot", "anna")
        while not session.finished:
            session.answer("False" if session.history.events else "True")
        rows = label_rows(*read_study(here, "pilot"))
        assert {(row.verdict.slot.showing, row.verdict.slot.phase) for row in rows} == places
        exported = written(here, tmp_path / "out", "pilot") / "labels.jsonl"
        brought_in(there, exported, "pilot")
        assert rows_of(there, "pilot") == rows_of(here, "pilot")


def test_labels_of_other_content_are_refused(tmp_path: Path) -> None:
    for folder in ("here", "there"):
        (tmp_path / folder).mkdir()
    with closing(tea_study(tmp_path / "here", 1)) as here, closing(tea_study(tmp_path / "there", 1)) as there:
        answered(here, "anna")
        path = written(here, tmp_path / "out") / "labels.csv"
        digest = read_study(here, "tea")[0].sample[0].case
        path.write_text(path.read_text("utf-8").replace(digest, "0" * 64), encoding="utf-8")
        (problem,) = match_labels(load_study(there, "tea"), read_foreign_labels(path), ADD).problems
        assert problem.wrong == "is about content 000000000000…, which no case of the study has"
        assert problem.where == "labels.csv, line 2 and 3 other places"
