"""Spans of another text, and rankings of other outputs: refused, or left out and named."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from reviewer.core.spans import LabelledSpan, kept_spans
from reviewer.study.adjudication.decisions import AdjudicatedLabel
from reviewer.study.design.study_bundle import ExcludedEvent, load_outline
from reviewer.study.integrity.quarantine import fitting_one_by_one, left_out_in_words, read_study
from reviewer.study.integrity.store_check import check_store
from reviewer.study.session.label_rows import label_rows
from reviewer.study.session.review_session import ReviewSession
from store.backup import copy_file
from store.clock import next_id, now_ms
from store.database import Database
from store.ledger import Ledger
from store.records import Assignment, Event
from store.studies import add_assignments
from store.untrusted_store import untrusted_store
from tests.marked_texts import TEXTS, answer, marked_study
from tests.merging import merge_between
from tests.rankings import a_ranked_study
from tests.studies import open_store
from tests.study.test_quarantine import insert

HINDI = len(TEXTS["c2"])
UNFIT = {
    "another length": (
        kept_spans(HINDI + 1, ()),
        f"its spans are of a text of {HINDI + 1} characters, and this one has {HINDI}",
    ),
    "inside a letter": (
        kept_spans(HINDI, [LabelledSpan(0, 1, "insult")]),
        "span 0:1:insult cuts a letter apart: 'तु' goes from 0 to 2",
    ),
    "behind the text": (f'{{"length":{HINDI},"spans":[[4,900,"insult"]]}}', "is not an answer to 'spans'"),
}
UNRANKED = {
    "lacks": '[["Atlas"],["Boreal","Cumulus"]]',
    "repeats": '[["Atlas"],["Boreal","Cumulus"],["Atlas","Delta"]]',
    "is empty": "[]",
}


def planted(database: Database, study: str, case: str, value: str, **changes: object) -> Event:
    """The first answer of a study with another value, which no screen would save, after all others."""
    events = Ledger(database).events(study)
    content = events[0].model_dump() | {"id": next_id(events[-1].id, now_ms()), "value": value, "case": case}
    content |= changes
    event = Event.sealed(**{name: held for name, held in content.items() if name != "digest"})
    insert(database, event.model_dump())
    return event


@pytest.fixture
def spans(tmp_path: Path) -> Iterator[Database]:
    """A study of spans in which anna marked the first text."""
    with closing(marked_study(tmp_path, ("anna", "ben"))) as database:
        session = ReviewSession(database, "toxic", "anna")
        first = case_of(database, "c1")
        session.go_to(next(number for number, slot in enumerate(session.slots) if slot.case == first))
        session.answer(answer("c1", ("absolute fool", "insult")))
        yield database


def case_of(database: Database, key: str) -> str:
    return next(place.case for place in read_study(database, "toxic")[0].sample if place.key == key)


@pytest.fixture(params=[*UNFIT])
def unfit(request: pytest.FixtureRequest) -> Sequence[str]:
    return UNFIT[request.param]


def test_spans_that_are_not_of_their_text_are_left_out_and_named(
    spans: Database, unfit: Sequence[str]
) -> None:
    value, why = unfit
    event = planted(spans, "toxic", case_of(spans, "c2"), value)
    bundle, events = read_study(spans, "toxic")
    assert event.id not in {other.id for other in events}
    assert sum(row.label is not None for row in label_rows(bundle, events)) == 1
    (said,) = left_out_in_words(bundle)
    assert said.startswith("Left out of all numbers: 1 event that does not fit the study")
    assert why in said


def test_numbers_of_large_studies_leave_the_same_out(spans: Database, unfit: Sequence[str]) -> None:
    value, why = unfit
    planted(spans, "toxic", case_of(spans, "c2"), value)
    left_out: dict[str, ExcludedEvent] = {}
    outline = load_outline(spans, "toxic")
    fitting = [*fitting_one_by_one(outline, Ledger(spans).events("toxic"), left_out)]
    assert len(fitting) == 1
    (excluded,) = left_out.values()
    assert why in excluded.why


def test_a_merge_refuses_spans_that_are_not_of_their_text(
    spans: Database, tmp_path: Path, unfit: Sequence[str]
) -> None:
    value, why = unfit
    elsewhere = tmp_path / "elsewhere.db"
    copy_file(Path(spans.location), elsewhere)
    with closing(Database.open(str(elsewhere))) as other:
        event = planted(other, "toxic", case_of(spans, "c2"), value)
        (merged,) = merge_between(other, spans, "toxic", "anna")
    assert (merged.added, merged.known) == (0, 1)
    (refused,) = merged.refused
    assert refused.startswith(f"event {event.id}: ")
    assert why in refused
    assert event.id not in {other.id for other in Ledger(spans).events("toxic")}


def test_a_check_of_the_store_names_them(spans: Database, unfit: Sequence[str]) -> None:
    value, why = unfit
    planted(spans, "toxic", case_of(spans, "c2"), value)
    with untrusted_store(Path(spans.location)) as file:
        faults = [fault.wrong for fault in check_store(file).faults]
    assert len(faults) == 1
    assert why in faults[0]


def test_a_decision_marks_its_own_text(spans: Database) -> None:
    value, why = UNFIT["another length"]
    decision = AdjudicatedLabel(label=value, reason="so it is").as_value()
    with spans.write() as session:
        person = Assignment(
            study="toxic", rater="zoe", order_seed=0, joined_at="2026-01-01T00:00:00.000Z", role="adjudicator"
        )
        add_assignments(session, [person])
    planted(spans, "toxic", case_of(spans, "c2"), decision, kind="adjudication", rater="zoe", follows=[])
    bundle, _ = read_study(spans, "toxic")
    assert why in " ".join(left_out_in_words(bundle))


@pytest.mark.parametrize("fault", [*UNRANKED])
def test_rankings_that_lack_or_repeat_an_output_are_left_out(tmp_path: Path, fault: str) -> None:
    with closing(open_store(tmp_path)) as database:
        a_ranked_study(database, tmp_path)
        session = ReviewSession(database, "pilot", "anna")
        first = session.case.digest
        session.answer(session.question.answer_kind.at_once(session.question))
        event = planted(database, "pilot", first, UNRANKED[fault])
        bundle, events = read_study(database, "pilot")
        assert event.id not in {other.id for other in events}
        (said,) = left_out_in_words(bundle)
        assert "is not an answer to 'best'" in said
