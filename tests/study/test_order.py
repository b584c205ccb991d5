"""In which order a rater meets what: by question, by case."""

from itertools import groupby
from pathlib import Path

import pytest

from reviewer.core.errors import StoreError
from reviewer.study.design.study_creation import Design, create_study
from reviewer.study.design.study_design import Options, StudyDesign
from reviewer.study.session.review_session import ReviewSession
from reviewer.study.session.slot_order import RaterPosition
from reviewer.study.session.verdicts import State
from store.database import Database
from tests.studies import a_case, a_study, fill, open_store

KEYS = ["same_task", "bias_presence", "reconstruction", "axioms"]


@pytest.fixture
def database(tmp_path: Path) -> Database:
    database = open_store(tmp_path)
    a_study(database, asking="case")
    return database


def test_by_case_all_questions_of_a_case_come_before_the_next_case(database: Database) -> None:
    session = ReviewSession(database, "pilot", "anna")
    asked, places = [], []
    while not session.finished:
        asked.append((session.slot.case, session.slot.question))
        places.append(session.place)
        session.answer("True")
    runs = [(case, [key for _, key in run]) for case, run in groupby(asked, key=lambda pair: pair[0])]
    assert [keys for _, keys in runs] == [KEYS] * 3
    assert len({case for case, _ in runs}) == 3
    assert places == [RaterPosition(question, 4, case, 3) for case in (1, 2, 3) for question in (1, 2, 3, 4)]


def test_by_case_and_by_question_have_the_same_order_of_cases(database: Database) -> None:
    a_study(database, "other")
    cases = [slot.case for slot in ReviewSession(database, "pilot", "anna").slots[::4]]
    assert cases == [slot.case for slot in ReviewSession(database, "other", "anna").slots[:3]]


def test_by_case_what_was_skipped_comes_again_after_everything_else(database: Database) -> None:
    session = ReviewSession(database, "pilot", "anna")
    session.skip()
    visited = []
    while not session.finished:
        visited.append(session.position)
        session.answer("True")
    assert visited == [*range(1, 12), 0]


def test_by_case_a_case_that_is_put_off_whole_does_not_hold_the_rater(database: Database) -> None:
    session = ReviewSession(database, "pilot", "anna")
    for _ in range(4):
        session.skip()
    assert session.position == 4
    assert [session.state_at(position) for position in range(4)] == [State.SKIPPED] * 4


def test_by_case_a_rater_resumes_where_he_stopped(database: Database) -> None:
    session = ReviewSession(database, "pilot", "anna")
    session.answer("True")
    session.skip()
    session.answer("False")
    assert ReviewSession(database, "pilot", "anna").position == session.position == 3
    session.undo()
    assert ReviewSession(database, "pilot", "anna").position == session.position == 2


def test_by_case_a_case_with_fewer_questions_says_so(tmp_path: Path) -> None:
    database = open_store(tmp_path)
    fill(database, "mixed", [a_case(1, rebuilt=False)])
    create_study(database, "one", Design(("mixed",), None, 1, options=Options(asking="case")))
    session = ReviewSession(database, "one", "anna")
    assert [slot.question for slot in session.slots] == ["same_task", "bias_presence", "axioms"]
    assert session.place == RaterPosition(1, 3, 1, 1)


def test_a_study_of_an_older_release_means_what_it_meant(database: Database) -> None:
    study = a_study(database, "old")
    old = {"datasets": ["d"], "per_group": 5, "cases": 3, "lacking": {}, "asked": {"a": 3, "b": 2}}
    design = StudyDesign.of(study.model_copy(update={"design": old}))
    assert (design.asking, design.reveal, design.swap, design.repeats) == ("question", "back", False, 0.0)
    assert (design.slots, design.training, design.gold, design.repeated) == (5, 0, 0, ())


def test_a_design_that_cannot_be_read_is_said_so(database: Database) -> None:
    study = a_study(database, "odd")
    odd = study.model_copy(update={"design": {**study.design, "asking": "backwards"}})
    with pytest.raises(StoreError, match=r"'odd' has a design .* 'asking'"):
        StudyDesign.of(odd)
