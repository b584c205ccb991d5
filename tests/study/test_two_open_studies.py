"""The same cases in two open studies: opinions of machines wait in one for the answers in the other."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from reviewer.core.errors import RequestError
from reviewer.exchange.packs.pack import opened_pack, write_pack
from reviewer.protocols.judge_pairs.payloads import FIRST
from reviewer.study.adjudication.adjudication_session import AdjudicationSession
from reviewer.study.design.known_answers import GivenAnswer
from reviewer.study.design.study_creation import Design, create_study
from reviewer.study.design.study_design import Options
from reviewer.study.session.blinding import owed_in_pack, why_not_warnings
from reviewer.study.session.rater_progress import progress_of
from reviewer.study.session.review_session import ReviewSession
from reviewer.study.session.review_stages import Stage
from store.case_import import Entry, import_entries
from store.database import Database
from store.findings import CaseFindings, keep_case_findings
from store.records import Dataset, Finding, Measurement, Membership
from tests.answer_pairs import a_pair, a_rewrite
from tests.studies import AT, fill, open_store

FOUND, SAID = "both answers are wrong", "The cited experts settle it."
RATERS = ("anna", "ben")


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """A store with one pair, and findings on both questions about it."""
    store = open_store(tmp_path)
    fill(store, "pairs", [a_pair(0)], protocol="judge-pairs")
    for number, question in enumerate(("right_result", "same_task")):
        keep_case_findings(store, [_found(question, number)])
    yield store
    store.close()


def _found(question: str, number: int) -> CaseFindings:
    case = a_pair(0).digest
    finding = Finding(
        case=case,
        check=f"check_{number}",
        check_version=1,
        passed=False,
        severity="serious",
        why=FOUND,
        question=question,
    )
    mark = Measurement(case=case, name=f"checks_{number}", source="measured", engine="a test", value="1")
    return CaseFindings(mark, (), (finding,))


def studies(database: Database, dataset: str = "pairs", **options: Any) -> None:
    """Two studies of a dataset; the options are those of the first."""
    given = options.pop("given", ())
    chosen = Options.model_validate({"asking": "case", **options})
    for name, how, known in (("pilot", chosen, given), ("second", Options(asking="case"), ())):
        design = Design((dataset,), None, 3, "full", raters=RATERS, options=how, given=known)
        create_study(database, name, design)


def answer_all(database: Database, study: str, rater: str, label: str = "True") -> None:
    session = ReviewSession(database, study, rater)
    for slot in session.slots:
        session.answer(FIRST if slot.question == "right_result" else label)


def test_findings_that_follow_an_answer_wait_for_the_other_study(database: Database) -> None:
    studies(database, reveal="findings")
    session = ReviewSession(database, "pilot", "anna")
    for slot in session.slots:
        session.answer(FIRST if slot.question == "right_result" else "True")
        assert not session.waiting
    assert session.finished, "the rater is not led round in a circle"
    assert (
        session.later
        == f"{len(session.slots)} second verdicts will be asked for after your answers in study second."
    )
    for position in range(len(session.slots)):
        session.go_to(position)
        assert FOUND not in repr(session.sheet())
        assert "in study second; findings follow then" in session.remark
        assert "in study second" in (session.reveal_obstacle or "")
    assert not any(event.value == "revealed" for event in session.history.events.values())
    answer_all(database, "second", "anna")
    again = ReviewSession(database, "pilot", "anna")
    assert (again.finished, again.later) == (False, "")
    again.go_to(0)
    assert again.stage is Stage.SECOND
    assert FOUND in repr(again.sheet())


def test_what_was_revealed_for_a_second_verdict_stays(database: Database) -> None:
    options = Options.model_validate({"asking": "case", "reveal": "findings"})
    create_study(database, "pilot", Design(("pairs",), None, 3, "full", raters=RATERS, options=options))
    session = ReviewSession(database, "pilot", "anna")
    session.answer(FIRST if session.question.key == "right_result" else "True")
    assert session.stage is Stage.SECOND
    create_study(database, "second", Design(("pairs",), None, 3, "full", raters=RATERS))
    again = ReviewSession(database, "pilot", "anna")
    assert again.stage is Stage.SECOND
    assert FOUND in repr(again.sheet())


def test_a_study_that_began_meanwhile_is_asked_before_findings_are_shown(database: Database) -> None:
    create_study(database, "pilot", Design(("pairs",), None, 3, "full", raters=RATERS))
    session = ReviewSession(database, "pilot", "anna")
    session.answer(FIRST if session.question.key == "right_result" else "True")
    session.go_to(0)
    session.ask_to_reveal()
    create_study(database, "second", Design(("pairs",), None, 3, "full", raters=RATERS))
    with pytest.raises(RequestError, match="in study second"):
        session.reveal()
    assert FOUND not in repr(session.sheet())


def test_the_known_answer_of_training_waits_for_the_other_study(database: Database) -> None:
    fill(database, "more", [a_pair(1)], protocol="judge-pairs")
    known = GivenAnswer("training", "known.csv", "more", "knowledge/0", "right_result", FIRST, "It is right.")
    create_study(database, "second", Design(("pairs", "more"), None, 3, raters=RATERS))
    create_study(database, "pilot", Design(("pairs", "more"), None, 3, raters=RATERS, given=(known,)))
    session = ReviewSession(database, "pilot", "anna")
    session.answer(FIRST)
    assert session.stage is Stage.FEEDBACK
    assert "in study second" in session.remark
    assert "It is right" not in session.remark


def test_what_a_question_is_about_waits_for_other_questions_in_the_other_study(database: Database) -> None:
    case = a_rewrite()
    place = Membership(
        dataset="rewrites", key="r-1", case=case.digest, position=0, generator="teacher", origin="generated"
    )
    said = [{"model": "judge-1", "order": "as published", "choice": "rewritten", "reply": SAID}]
    value = Measurement(
        case=case.digest, name="judgements", source="published", dataset="rewrites", key="r-1", value=said
    )
    header = Dataset(name="rewrites", protocol="judge-rewrites", source="a test", imported_at=AT)
    import_entries(database, header, [Entry(case, place, (value,))])
    studies(database, "rewrites")
    first = ReviewSession(database, "pilot", "anna")
    first.answer("True")
    first.answer("1")
    assert first.question.key == "led_by_bias"
    assert SAID not in repr(first.sheet())
    assert "in study second" in first.remark
    with pytest.raises(RequestError, match="in study second"):
        first.answer("yes")
    second = ReviewSession(database, "second", "anna")
    second.answer("True")
    second.answer("1")
    assert SAID in repr(second.sheet()), "only the question about it is left in the other study"
    again = ReviewSession(database, "pilot", "anna")
    assert SAID in repr(again.sheet())
    again.answer("yes")


def test_an_adjudicator_sees_findings_on_no_question_that_is_undecided_here_or_elsewhere(
    database: Database,
) -> None:
    studies(database)
    for study in ("pilot", "second"):
        for rater, label, side in (("anna", "True", FIRST), ("ben", "False", "second")):
            session = ReviewSession(database, study, rater)
            for slot in session.slots:
                session.answer(side if slot.question == "right_result" else label)
    first, other = (AdjudicationSession(database, study, "zoe") for study in ("pilot", "second"))
    assert len(first.disputes) == len(other.disputes) == 2
    assert FOUND not in repr(first.sheet()), "neither question is decided"
    _decide_all(first)
    first = AdjudicationSession(database, "pilot", "zoe")
    assert FOUND not in repr(first.sheet()), "both are undecided in the other study"
    _decide_all(other)
    assert FOUND in repr(AdjudicationSession(database, "pilot", "zoe").sheet())


def test_a_pack_says_what_its_rater_owes_in_the_other_study(database: Database, tmp_path: Path) -> None:
    studies(database)
    write_pack(database, "pilot", "anna", tmp_path / "anna.review")
    pack, _seal = opened_pack(tmp_path / "anna.review")
    answer_all(pack, "pilot", "anna")
    session = ReviewSession(pack, "pilot", "anna")
    session.go_to(0)
    assert "in study second" in (session.reveal_obstacle or "")
    (owed,) = {*owed_in_pack(progress_of(pack, "pilot"), a_pair(0).digest)}
    assert owed == "second"
    pack.close()


def test_a_lead_reads_no_comments_on_cases_that_they_owe_in_another_study(database: Database) -> None:
    create_study(database, "pilot", Design(("pairs",), None, 3, raters=RATERS), lead="tom")
    assert why_not_warnings(database, progress_of(database, "pilot"), "tom") is None
    create_study(database, "second", Design(("pairs",), None, 3, raters=("tom",)))
    refused = why_not_warnings(database, progress_of(database, "pilot"), "tom")
    assert "in study second" in (refused or "")


def _decide_all(session: AdjudicationSession) -> None:
    for index, dispute in enumerate(session.disputes):
        session.go_to(index)
        session.decide(FIRST if dispute.item_votes.question.key == "right_result" else "True", "it is so")
