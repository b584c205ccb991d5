"""Final labels of spans and rankings: an answer is a vote as a whole, and pages say so."""

import csv
import io
import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from reviewer.exchange.exports.study_export import export_study
from reviewer.exchange.exports.study_source import StudySource
from reviewer.report.report_statistics import compute_statistics
from reviewer.report.study_report import study_document
from reviewer.results.labels.agreement_results import Method
from reviewer.results.labels.final_labels import FinalStatus, final_labels
from reviewer.study.design.closing import close_study
from reviewer.study.integrity.quarantine import read_study
from reviewer.study.session.review_session import ReviewSession
from store.database import Database
from tests.marked_texts import Marks, answer, marked_study
from tests.rankings import a_ranked_study
from tests.studies import open_store

RATERS = ("anna", "ben", "cara")
FOOL: Marks = (("fool", "insult"),)
WIDER: Marks = (("absolute fool", "insult"),)
VOTES: dict[str, tuple[Marks, Marks, Marks]] = {
    "c1": (FOOL, WIDER, (("fool", "profanity"),)),
    "c2": ((), (), (("मूर्ख", "insult"),)),
    "c3": ((), (), ()),
    "c4": ((), (), ()),
}
ALIKE = "Spans are the same vote only where all offsets and labels are equal."


@pytest.fixture
def spans(tmp_path: Path) -> Iterator[Database]:
    """Three raters mark one text in three ways, another in two, and the others alike; nobody decides."""
    with closing(marked_study(tmp_path, RATERS)) as database:
        for at, rater in enumerate(RATERS):
            session = ReviewSession(database, "toxic", rater)
            keys = {place.case: place.key for place in session.bundle.sample}
            while not session.finished:
                key = keys[session.case.digest]
                if (rater, key) == ("ben", "c3"):
                    session.comment("nothing at all")
                session.answer(answer(key, *VOTES[key][at]))
        close_study(database, "toxic", "lena")
        yield database


def page_of(database: Database, study: str) -> str:
    bundle, events = read_study(database, study)
    return repr(study_document(compute_statistics(bundle, events, Method(resamples=50))).blocks)


def test_no_final_label_where_no_two_raters_mark_alike(spans: Database) -> None:
    bundle, events = read_study(spans, "toxic")
    finals = {final.place.key: final for final in final_labels(bundle, events)}
    assert (finals["c1"].label, finals["c1"].status) == (None, FinalStatus.OPEN)
    assert finals["c1"].open_because == "all votes differ"
    assert (finals["c2"].label, finals["c2"].status) == (answer("c2"), FinalStatus.MAJORITY)
    assert finals["c3"].status == FinalStatus.UNANIMOUS


def test_report_and_export_say_when_spans_are_one_vote(spans: Database, tmp_path: Path) -> None:
    page = page_of(spans, "toxic")
    assert ALIKE in page
    assert "no final label" in page
    export_study(StudySource.of(*read_study(spans, "toxic")), tmp_path / "out")
    text = (tmp_path / "out" / "final_labels.csv").read_text(encoding="utf-8")
    rows = {row["key"]: row for row in csv.DictReader(io.StringIO(text))}
    assert (rows["c1"]["final"], rows["c1"]["status"]) == ("", "open")
    assert rows["c1"]["open_because"] == "all votes differ"
    assert sorted(json.loads(rows["c1"]["votes"]).values()) == [1, 1, 1]


def test_remarks_on_items_show_spans_in_words(spans: Database) -> None:
    page = page_of(spans, "toxic")
    assert "anna nothing to mark · ben nothing to mark" in page
    assert "length" not in page


def test_rankings_are_one_vote_only_with_the_same_ranks(tmp_path: Path) -> None:
    with closing(open_store(tmp_path)) as database:
        a_ranked_study(database, tmp_path)
        for rater in ("anna", "ben"):
            session = ReviewSession(database, "pilot", rater)
            while not session.finished:
                session.answer('[["A"],["B"],["C"],["D"]]')
        close_study(database, "pilot", "lena")
        page = page_of(database, "pilot")
    assert "Rankings are the same vote only where every output has the same rank." in page
    assert ALIKE not in page
