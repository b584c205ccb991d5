"""A rater's own answers, found from the case that they are on."""

from pathlib import Path

import pytest

from reviewer.study.session.own_answers import OwnAnswer, own_answers
from reviewer.study.session.review_session import ReviewSession
from store.database import Database
from tests.rounds import mostly_slow
from tests.studies import a_study, open_store


@pytest.fixture
def database(tmp_path: Path) -> Database:
    return open_store(tmp_path)


def listed(found: list[OwnAnswer]) -> list[tuple[str, str | None, int]]:
    return [(answer.question.key, answer.verdict.label, answer.position) for answer in found]


def test_answers_are_found_by_case_question_label_and_comment_newest_first(database: Database) -> None:
    a_study(database)
    session = ReviewSession(database, "pilot", "anna")
    session.comment("No Requirement is left")
    for label in ("True", "False", "True", "False"):
        session.answer(label)
    everything = [("bias_presence", "False", 3), ("same_task", "True", 2), ("same_task", "False", 1)]
    assert listed(own_answers(session)) == [*everything, ("same_task", "True", 0)]
    assert listed(own_answers(session, "same false")) == [("same_task", "False", 1)]
    assert listed(own_answers(session, "requirement LEFT")) == [("same_task", "True", 0)]
    (first,) = [answer for answer in own_answers(session, "same task") if answer.position == 0]
    release = str(first.case.payload["unbiased"]).split()[3].strip(".,")
    assert 0 in [answer.position for answer in own_answers(session, release)]
    assert own_answers(session, "nowhere") == []


def test_an_answer_that_was_taken_back_is_not_listed(database: Database) -> None:
    a_study(database)
    session = ReviewSession(database, "pilot", "anna")
    session.answer("True")
    session.undo()
    session.skip()
    assert own_answers(session) == []


@mostly_slow(2)
@pytest.mark.parametrize("asking", ["question", "case"])
def test_nothing_tells_that_a_case_is_shown_twice(database: Database, asking: str) -> None:
    a_study(database, cases=6, repeats=0.5, reveal="none", asking=asking)
    session = ReviewSession(database, "pilot", "anna")
    met = 0
    while not session.finished:
        slot, answers = session.slot, own_answers(session)
        assert slot.case not in [answer.case.digest for answer in answers]
        assert {answer.place for answer in answers} <= {None}, "numbers would have gaps"
        twice = [(answer.question.key, answer.case.digest) for answer in answers]
        assert len(twice) == len(set(twice))
        given = {
            (answer.question.key, answer.case.digest)
            for answer in own_answers(ReviewSession(database, "pilot", "anna"))
        }
        assert set(twice) == given, "the same list after the store was opened again"
        met += slot.showing
        session.answer("False" if slot.showing else "True")
        while session.waiting:
            session.proceed()
        newest = {
            (answer.question.key, answer.case.digest): answer.verdict.label for answer in own_answers(session)
        }
        if slot.case != session.slot.case:
            assert newest[slot.question, slot.case] == ("False" if slot.showing else "True")
    assert met == 12
