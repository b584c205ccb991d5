"""A rater at work, without a screen."""

from pathlib import Path

import pytest

from reviewer.core.errors import RequestError
from reviewer.study.design.study_creation import Design, create_study
from reviewer.study.session.rater_progress import study_progress
from reviewer.study.session.review_session import ReviewSession
from reviewer.study.session.verdicts import History, State
from store.database import Database
from store.findings import CaseFindings, keep_case_findings
from store.ledger import Ledger
from store.records import Event, Finding, Measurement
from tests.studies import a_case, a_study, fill, open_store


@pytest.fixture
def database(tmp_path: Path) -> Database:
    database = open_store(tmp_path)
    a_study(database)
    return database


def events(database: Database) -> list[Event]:
    return Ledger(database).events("pilot")


def test_answers_go_through_the_questions_one_after_the_other(database: Database) -> None:
    session = ReviewSession(database, "pilot", "anna")
    asked = []
    while not session.finished:
        asked.append((session.question.key, session.place.case_number, session.place.case_count))
        session.answer("True")
    keys = ["same_task", "bias_presence", "reconstruction", "axioms"]
    assert asked == [(key, number, 3) for key in keys for number in (1, 2, 3)]
    assert len(events(database)) == 12
    assert not session.next_open()


def test_two_raters_have_orders_of_their_own_that_stay(database: Database, tmp_path: Path) -> None:
    a_study(database, "long", cases=20)
    anna, ben = (ReviewSession(database, "long", rater).slots for rater in ("anna", "ben"))
    assert anna != ben
    assert set(anna) == set(ben)
    assert ReviewSession(open_store(tmp_path), "long", "anna").slots == anna


def test_a_rater_resumes_where_he_stopped(database: Database) -> None:
    first = ReviewSession(database, "pilot", "anna")
    first.answer("True")
    first.answer("False")
    assert ReviewSession(database, "pilot", "anna").position == first.position == 2
    first.previous()
    first.comment("hm")
    assert ReviewSession(database, "pilot", "anna").position == 1
    first.undo()
    assert ReviewSession(database, "pilot", "anna").position == 1


def test_skipped_cases_come_back_at_the_end_of_their_question(database: Database) -> None:
    session = ReviewSession(database, "pilot", "anna")
    session.skip()
    visited = []
    for _ in range(3):
        visited.append((session.question.key, session.place.case_number))
        session.answer("True")
    assert visited == [("same_task", 2), ("same_task", 3), ("same_task", 1)]
    assert session.question.key == "bias_presence"


def test_skipping_a_labelled_case_saves_nothing(database: Database) -> None:
    session = ReviewSession(database, "pilot", "anna")
    session.answer("True")
    session.previous()
    assert session.skip() is None
    assert len(events(database)) == 1


def test_undo_takes_back_one_action_after_the_other(database: Database) -> None:
    session = ReviewSession(database, "pilot", "anna")
    session.answer("True")
    session.answer("True")
    session.previous()
    session.answer("False")
    session.go_to(1)
    assert session.verdict.label == "False"
    session.undo()
    assert (session.position, session.verdict.label) == (1, "True")
    session.undo()
    assert (session.position, session.verdict.state) == (1, State.OPEN)
    session.undo()
    assert (session.position, session.verdict.state) == (0, State.OPEN)
    assert session.undo() is None
    assert [event.kind for event in events(database)] == ["label"] * 3 + ["undo"] * 3


def test_undo_works_after_a_restart(database: Database) -> None:
    ReviewSession(database, "pilot", "anna").answer("False")
    session = ReviewSession(database, "pilot", "anna")
    session.undo()
    assert (session.position, session.done_count) == (0, 0)


def test_undo_of_a_skip_opens_the_case(database: Database) -> None:
    session = ReviewSession(database, "pilot", "anna")
    session.skip()
    session.undo()
    assert (session.position, session.verdict.state) == (0, State.OPEN)


def test_two_windows_of_one_rater_see_each_others_answers(database: Database) -> None:
    left, right = (ReviewSession(database, "pilot", "anna") for _ in range(2))
    left.answer("True")
    right.answer("False")
    left.go_to(0)
    left.flag()
    assert left.verdict.label == "False"
    assert not left.verdict.forked
    assert History.of(events(database)).verdict(left.slot).label == "False"
    assert len(events(database)) == 3


def test_an_undo_in_one_window_takes_back_what_the_other_saved_last(database: Database) -> None:
    left, right = (ReviewSession(database, "pilot", "anna") for _ in range(2))
    left.answer("True")
    right.undo()
    assert right.verdict.state is State.OPEN
    assert History.of(events(database)).verdict(right.slot).state is State.OPEN


def test_one_answer_undone_in_two_windows_is_taken_back_once(database: Database) -> None:
    left = ReviewSession(database, "pilot", "anna")
    for _ in range(3):
        left.answer("True")
    right = ReviewSession(database, "pilot", "anna")
    left.undo()
    with pytest.raises(RequestError, match="another window of yours has already taken that back"):
        right.undo()
    assert [event.kind for event in events(database)] == ["label"] * 3 + ["undo"]
    assert right.undo() is not None
    assert right.slot == left.slots[1]


def test_comments_and_flags_are_kept_with_their_history(database: Database) -> None:
    session = ReviewSession(database, "pilot", "anna")
    assert session.comment("") is None
    session.comment("first")
    session.comment("second [red]\x1b[31m")
    assert session.verdict.comment == "second [red]\x1b[31m"
    session.comment("")
    assert session.verdict.comment == ""
    session.flag()
    assert session.verdict.flagged
    session.flag()
    assert not session.verdict.flagged
    assert [event.value for event in events(database)] == [
        "first",
        "second [red]\x1b[31m",
        None,
        "flagged",
        None,
    ]


def test_a_label_that_the_question_does_not_have_is_refused(database: Database) -> None:
    with pytest.raises(RequestError, match="True, False"):
        ReviewSession(database, "pilot", "anna").answer("maybe")
    assert events(database) == []


def test_active_time_is_measured_from_showing_to_answer(database: Database) -> None:
    now = 100.0
    session = ReviewSession(database, "pilot", "anna", stopwatch=lambda: now)
    now = 107.25
    assert session.answer("True").active_ms == 7250


def test_the_clock_set_back_between_two_keys_changes_no_order(database: Database) -> None:
    times = iter([5_000_000, 1_000, 2_000])
    session = ReviewSession(database, "pilot", "anna", clock=lambda: next(times))
    session.answer("True")
    session.previous()
    session.answer("False")
    session.undo()
    ids = [event.id for event in events(database)]
    assert ids == sorted(ids)
    assert ReviewSession(database, "pilot", "anna").verdict.label == "True"
    assert [event.at[:16] for event in events(database)] == ["1970-01-01T01:23"] + ["1970-01-01T00:00"] * 2


def test_a_case_without_reconstruction_is_not_asked_about_it(tmp_path: Path) -> None:
    database = open_store(tmp_path)
    fill(database, "mixed", [a_case(1), a_case(2, rebuilt=False)])
    create_study(database, "mixed", Design(("mixed",), None, 1))
    session = ReviewSession(database, "mixed", "anna")
    per_question = [slot.question for slot in session.slots]
    assert per_question.count("reconstruction") == 1
    assert len(per_question) == 7


def test_other_content_at_the_place_makes_a_verdict_stale_and_keeps_it(database: Database) -> None:
    session = ReviewSession(database, "pilot", "anna")
    session.answer("True")
    position = next(place.position for place in session.bundle.sample if place.case == session.slots[0].case)
    news = [a_case(number) for number in range(3)]
    news[position] = a_case(99)
    fill(database, "pilot-data", news)
    again = ReviewSession(database, "pilot", "anna")
    again.go_to(0)
    assert again.stale
    assert again.verdict.label == "True"
    again.go_to(1)
    assert not again.stale


def test_raters_who_are_not_of_a_declared_study_are_refused(tmp_path: Path) -> None:
    database = open_store(tmp_path)
    a_study(database, raters=("anna", "ben"))
    with pytest.raises(RequestError, match="anna, ben"):
        ReviewSession(database, "pilot", "Anna")
    assert [rater.rater for rater in study_progress(database)[0].raters] == ["anna", "ben"]


def test_progress_counts_what_is_current(database: Database) -> None:
    session = ReviewSession(database, "pilot", "anna")
    session.answer("True")
    session.answer("True")
    session.skip()
    session.previous()
    session.undo()
    session.undo()
    session.flag()
    (progress,) = study_progress(database)
    (anna,) = progress.raters
    assert (anna.done, anna.skipped, anna.slots, progress.cases) == (session.done_count, 0, 12, 3)
    assert anna.done == 1
    assert not progress.has_finished("anna")
    while not session.finished:
        session.answer("False")
    assert study_progress(database)[0].has_finished("anna")


def test_a_skip_in_one_window_takes_no_label_of_another(database: Database) -> None:
    left, right = (ReviewSession(database, "pilot", "anna") for _ in range(2))
    left.answer("True")
    assert right.skip() is None
    assert ReviewSession(database, "pilot", "anna").state_at(0) is State.LABELLED
    left.go_to(1)
    right.go_to(1)
    left.flag()
    assert right.flag() is None
    right.go_to(1)
    assert right.verdict.flagged


def test_undo_brings_back_the_earlier_answer_with_its_time_and_a_skip_as_a_skip(database: Database) -> None:
    now = 0.0
    session = ReviewSession(database, "pilot", "anna", stopwatch=lambda: now)
    now = 12.0
    first = session.answer("True")
    session.go_to(0)
    session.answer("False")
    session.undo()
    assert session.verdict.event == first
    session.go_to(1)
    session.skip()
    session.go_to(1)
    session.answer("True")
    session.undo()
    assert session.verdict.state is State.SKIPPED


def test_other_published_values_turn_the_question_and_make_the_verdict_stale(database: Database) -> None:
    def bias_presence() -> ReviewSession:
        session = ReviewSession(database, "pilot", "anna")
        session.go_to(3)
        return session

    session = bias_presence()
    assert "(Option B)" in session.wording
    session.answer("True")
    assert not bias_presence().stale
    with database.write() as writing:
        writing.connection().exec_driver_sql(
            "UPDATE measurements SET value = '\"option_B\"' WHERE name = 'choice'"
        )
    session = bias_presence()
    assert "(Option A)" in session.wording
    assert session.stale
    assert session.verdict.label == "True"


def test_values_published_in_another_dataset_are_not_shown(tmp_path: Path) -> None:
    database = open_store(tmp_path)
    case = a_case()
    fill(database, "a-first", [case])
    with database.write() as writing:
        writing.connection().exec_driver_sql(
            "UPDATE measurements SET value = '\"option_B\"' WHERE name = 'choice'"
        )
    fill(database, "z-second", [case])
    create_study(database, "on-z", Design(("z-second",), None, 1))
    session = ReviewSession(database, "on-z", "anna")
    assert {m.dataset for m in session.bundle.measurements[case.digest]} == {"z-second"}
    session.go_to(1)
    assert "(Option B)" in session.wording


def test_a_comment_that_cannot_be_kept_is_refused(database: Database) -> None:
    with pytest.raises(RequestError, match="lone surrogate"):
        ReviewSession(database, "pilot", "anna").comment("a\ud800")


def test_findings_are_read_from_the_store_and_seen_after_the_verdict_only(database: Database) -> None:
    digest = ReviewSession(database, "pilot", "anna").case.digest
    mark = Measurement(case=digest, name="audit", source="measured", engine="swipl 9.2.9", value={})
    finding = Finding(
        case=digest,
        check="versions_disagree",
        check_version=1,
        passed=False,
        severity="serious",
        why="They choose differently.",
        question="same_task",
    )
    keep_case_findings(database, [CaseFindings(mark, (), (finding,))])
    session = ReviewSession(database, "pilot", "anna")
    assert (session.case.digest, session.question.key) == (digest, "same_task")
    assert "They choose differently." not in str(session.sheet())
    session.answer("True")
    session.go_to(0)
    session.reveal()
    assert "They choose differently." in str(session.sheet())
    with pytest.raises(RequestError, match="you have seen what it reveals"):
        session.undo()
    assert "They choose differently." in str(ReviewSession(database, "pilot", "anna").sheet())
