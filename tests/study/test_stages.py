"""What surrounds a verdict: reveals, second verdicts, contradictions, training, gold, repeats, sides."""

from dataclasses import replace
from pathlib import Path

import pytest

from reviewer.core.errors import InputError, RequestError
from reviewer.core.pane import Pair
from reviewer.results.labels.agreement_results import study_results
from reviewer.study.design.known_answers import GivenAnswer, KnownRole
from reviewer.study.design.study_bundle import load_study
from reviewer.study.design.study_creation import Design, create_study
from reviewer.study.design.study_design import Options
from reviewer.study.session.blinded_panes import questions_revealed_at
from reviewer.study.session.label_rows import LabelRow, label_rows
from reviewer.study.session.rater_progress import study_progress
from reviewer.study.session.review_session import ReviewSession
from reviewer.study.session.review_stages import Stage
from reviewer.study.session.verdicts import REVEALED, State
from store.database import Database
from store.findings import CaseFindings, keep_case_findings
from store.ledger import Ledger
from store.records import Event, Finding, Measurement, Study
from tests.studies import a_case, a_study, fill, open_store, with_questions

QUESTIONS = 4


@pytest.fixture
def database(tmp_path: Path) -> Database:
    return open_store(tmp_path)


def events(database: Database) -> list[Event]:
    return Ledger(database).events("pilot")


def said(database: Database) -> list[tuple[str, str, str | None]]:
    return [(event.kind, event.phase, event.value) for event in events(database)]


def rows(database: Database) -> list[LabelRow]:
    return label_rows(load_study(database, "pilot"), events(database))


def answer_all(session: ReviewSession, label: str = "True") -> None:
    for _ in range(4 * len(session.slots)):
        if session.finished and not session.waiting:
            return
        session.proceed() if session.stage is Stage.FEEDBACK else session.answer(label)
    raise AssertionError("never finished")


# -- commit, then reveal -----------------------------------------------------------------------------


def reconstruction(database: Database, **options: object) -> ReviewSession:
    """At the first case of the question that has something to reveal: the published similarity."""
    a_study(database, **options)  # type: ignore[arg-type]
    session = ReviewSession(database, "pilot", "anna")
    session.go_to(6)
    assert session.question.key == "reconstruction"
    return session


def test_no_finding_is_shown_while_two_answers_are_asked_about(database: Database) -> None:
    session = reconstruction(database, reveal="findings")
    session.answer("True")
    about = session.bundle, session.history, session.slot
    assert questions_revealed_at(*about, is_asked=False) == {"reconstruction"}
    assert questions_revealed_at(*about, is_asked=True) == frozenset()


def test_findings_are_seen_at_once_and_a_second_verdict_is_taken(database: Database) -> None:
    session = reconstruction(database, reveal="findings")
    assert "0.9" not in str(session.sheet())
    session.answer("True")
    assert (session.position, session.stage, session.waiting) == (6, Stage.SECOND, True)
    assert "0.9" in str(session.sheet())
    assert session.done_count == 0
    session.answer("False")
    assert session.position == 7
    assert session.done_count == 1
    assert said(database) == [
        ("label", "before", "True"),
        ("note", "after", REVEALED),
        ("label", "after", "False"),
    ]


def test_a_first_answer_whose_reveal_was_seen_cannot_be_taken_back(database: Database) -> None:
    session = reconstruction(database, reveal="findings")
    session.answer("True")
    with pytest.raises(RequestError, match="you have seen what it reveals"):
        session.undo()
    session.answer("False")
    session.undo()
    assert (session.position, session.stage, session.waiting) == (6, Stage.SECOND, True)
    assert session.verdict.label == "True"


def test_going_on_keeps_the_first_verdict_as_the_second(database: Database) -> None:
    session = reconstruction(database, reveal="findings")
    session.answer("False")
    session.proceed()
    assert said(database)[-1] == ("label", "after", "False")
    assert session.position == 7


def test_a_second_look_survives_a_restart_and_can_be_put_off(database: Database) -> None:
    session = reconstruction(database, reveal="findings")
    session.answer("True")
    session = ReviewSession(database, "pilot", "anna")
    assert (session.position, session.stage) == (6, Stage.SECOND)
    session.skip()
    assert session.state_at(6) is State.SKIPPED
    session.answer("True")
    session.answer("True")
    session.answer("True")
    session.answer("True")
    assert (session.position, session.stage) == (6, Stage.SECOND)


def test_an_answer_is_corrected_on_return_and_final_once_revealed(database: Database) -> None:
    session = reconstruction(database)
    session.answer("True")
    session.previous()
    assert (session.position, session.stage) == (6, Stage.FIRST)
    assert "0.9" not in str(session.sheet())
    assert "You answered True. You can still correct it." in session.remark
    session.answer("False")
    session.previous()
    session.ask_to_reveal()
    assert session.stage is Stage.REVEAL
    assert "Your answer False is final from then on" in session.remark
    assert "0.9" not in str(session.sheet())
    assert said(database) == [("label", "before", "True"), ("label", "before", "False")]
    session.reveal()
    assert "0.9" in str(session.sheet())
    with pytest.raises(RequestError, match="you have seen what it reveals"):
        session.undo()
    session.answer("True")
    assert said(database)[2:] == [("note", "after", REVEALED), ("label", "after", "True")]
    assert session.done_count == 1


def test_to_move_or_to_answer_takes_the_question_whether_to_reveal_back(database: Database) -> None:
    session = reconstruction(database)
    session.answer("True")
    session.previous()
    session.ask_to_reveal()
    session.next()
    session.previous()
    assert session.stage is Stage.FIRST
    session.ask_to_reveal()
    session.answer("False")
    session.previous()
    assert (session.stage, session.verdict.label) == (Stage.FIRST, "False")
    assert REVEALED not in [value for _, _, value in said(database)]


def test_what_cannot_be_revealed_is_refused_with_the_reason(database: Database) -> None:
    session = reconstruction(database)
    session.go_to(0)
    session.answer("True")
    session.go_to(0)
    with pytest.raises(RequestError, match="Nothing more is known about this case"):
        session.reveal()
    session.go_to(6)
    with pytest.raises(RequestError, match="hidden until you answer it"):
        session.ask_to_reveal()
    session.answer("True")
    session.previous()
    session.reveal()
    with pytest.raises(RequestError, match="already see everything"):
        session.reveal()
    assert [value for _, _, value in said(database)].count(REVEALED) == 1


def test_an_answer_taken_back_in_another_window_is_not_revealed(database: Database) -> None:
    left = reconstruction(database)
    left.answer("True")
    left.previous()
    left.ask_to_reveal()
    ReviewSession(database, "pilot", "anna").undo()
    with pytest.raises(RequestError, match="hidden until you answer it"):
        left.reveal()
    assert "0.9" not in str(left.sheet())
    assert REVEALED not in [value for _, _, value in said(database)]


def test_what_reveals_nothing_new_may_be_changed(database: Database) -> None:
    a_study(database)
    session = ReviewSession(database, "pilot", "anna")
    session.answer("True")
    session.previous()
    session.answer("False")
    assert [event.phase for event in events(database)] == ["before", "before"]


def test_a_study_may_reveal_nothing(database: Database) -> None:
    session = reconstruction(database, reveal="none")
    session.answer("True")
    session.previous()
    assert "0.9" not in str(session.sheet())
    session.answer("False")
    assert said(database) == [("label", "before", "True"), ("label", "before", "False")]


def test_another_window_cannot_answer_before_a_reveal_that_the_first_has_seen(database: Database) -> None:
    left = reconstruction(database)
    right = ReviewSession(database, "pilot", "anna")
    right.go_to(6)
    left.answer("True")
    left.previous()
    left.reveal()
    right.answer("False")
    assert said(database)[-1] == ("label", "after", "False")


def test_only_first_verdicts_are_counted(database: Database) -> None:
    a_study(database, reveal="findings")
    for rater in ("anna", "ben"):
        session = ReviewSession(database, "pilot", rater)
        while not session.finished:
            second = session.stage is Stage.SECOND
            session.answer("False" if second and rater == "ben" else "True")
    (whole,) = study_results(load_study(database, "pilot"), rows(database), ())
    assert (whole.ratings, whole.passing_share.value) == (2 * 12, 1.0)
    progress = study_progress(database)[0]
    assert [(each.done, each.slots) for each in progress.raters] == [(12, 12)] * 2


# -- contradictions ----------------------------------------------------------------------------------


def contradict(database: Database, **options: object) -> ReviewSession:
    a_study(database, asking="case", **options)  # type: ignore[arg-type]
    session = ReviewSession(database, "pilot", "anna")
    session.answer("False")
    session.answer("True")
    return session


def test_answers_that_clash_are_asked_about_and_the_reason_is_kept(database: Database) -> None:
    session = contradict(database)
    assert (session.position, session.stage, session.waiting) == (1, Stage.CLASH, True)
    assert "same task = False" in session.remark
    event = session.explain("an option was dropped as well")
    assert event is not None
    assert (event.kind, event.value, event.target) == (
        "reason",
        "an option was dropped as well",
        events(database)[0].id,
    )
    assert session.position == 2
    assert [row.reason for row in rows(database)] == ["", "an option was dropped as well"]


def test_a_clash_is_asked_about_once_in_a_study(database: Database) -> None:
    session = contradict(database)
    session.proceed()
    assert session.position == 2
    session.previous()
    assert session.stage is Stage.FIRST
    session.answer("False")
    session.go_to(1)
    session.answer("True")
    assert session.stage is not Stage.CLASH
    session.go_to(4)
    session.answer("False")
    session.answer("True")
    assert (session.position, session.waiting) == (6, False)
    session = ReviewSession(database, "pilot", "anna")
    session.go_to(8)
    session.answer("False")
    session.answer("True")
    assert [event.kind for event in events(database)].count("reason") == 1
    assert session.done_count == 6


def test_a_clash_that_was_a_slip_is_taken_back_and_not_asked_about_again(database: Database) -> None:
    session = contradict(database)
    session.undo()
    assert (session.position, session.stage) == (1, Stage.FIRST)
    session.answer("True")
    assert session.position == 2
    session.go_to(5)
    session.answer("True")
    session.go_to(4)
    session.answer("False")
    assert session.stage is not Stage.CLASH


@pytest.mark.parametrize("asking", ["case", "question"])
def test_while_a_clash_is_asked_about_nothing_is_shown_and_the_answer_can_be_taken_back(
    database: Database, asking: str
) -> None:
    a_study(database, cases=1, asking=asking)
    told_of_both_versions(database)
    session = ReviewSession(database, "pilot", "anna")
    session.sheet()
    session.answer("False")
    session.sheet()
    session.answer("True")
    assert session.stage is Stage.CLASH
    assert "told of biased" not in str(session.sheet())
    assert session.reveal_obstacle is not None
    session.go_to(0)
    assert "told of biased" not in str(session.sheet())
    session.go_to(1)
    session.undo()
    assert session.verdict.label is None


def test_a_clash_is_still_asked_about_after_a_restart_and_gone_once_answered_otherwise(
    database: Database,
) -> None:
    contradict(database)
    session = ReviewSession(database, "pilot", "anna")
    assert (session.position, session.stage) == (1, Stage.CLASH)
    session.answer("False")
    assert session.position == 2
    session.previous()
    assert session.stage is Stage.FIRST


def test_a_clash_comes_before_the_reveal(database: Database) -> None:
    a_study(database, asking="case", reveal="findings")
    session = ReviewSession(database, "pilot", "anna")
    session.answer("False")
    session.proceed()
    session.answer("True")
    assert session.stage is Stage.CLASH
    assert not session.history.revealed(session.slot)
    session.explain("")
    assert (session.position, session.stage) == (1, Stage.SECOND)


# -- repeats -----------------------------------------------------------------------------------------


def test_repeats_are_the_same_for_all_and_far_apart(database: Database) -> None:
    a_study(database, cases=20, repeats=0.2)
    bundle = load_study(database, "pilot")
    assert len(bundle.design.repeated) == 4
    for rater in ("anna", "ben", "cara"):
        slots = [slot for slot in ReviewSession(database, "pilot", rater).slots if slot.question == "axioms"]
        assert len(slots) == 24
        assert {slot.case for slot in slots if slot.showing} == set(bundle.design.repeated)
        order = [(slot.case, slot.showing) for slot in slots]
        for case in bundle.design.repeated:
            assert order.index((case, 1)) - order.index((case, 0)) >= 8


def repeat_of(session: ReviewSession, question: str) -> tuple[int, int]:
    """Where a case is shown for the first and for the second time."""
    second = next(slot for slot in session.slots if slot.showing and slot.question == question)
    return session.slots.index(replace(second, showing=0)), session.slots.index(second)


def test_a_repeat_answered_otherwise_is_an_answer_like_any_other(database: Database) -> None:
    a_study(database, cases=4, repeats=0.25)
    session = ReviewSession(database, "pilot", "anna")
    _, repeat = repeat_of(session, "same_task")
    while session.position != repeat:
        session.answer("True")
    session.answer("False")
    session.go_to(repeat)
    assert (session.stage, session.verdict.label) == (Stage.FIRST, "False")
    session.answer("True")
    assert {(event.kind, event.phase) for event in events(database)} == {("label", "before")}


def test_a_contradiction_at_a_repeat_is_not_asked_about(database: Database) -> None:
    a_study(database, cases=4, repeats=0.25)
    session = ReviewSession(database, "pilot", "anna")
    for question, label in (("same_task", "False"), ("bias_presence", "True")):
        session.go_to(repeat_of(session, question)[1])
        session.answer(label)
    assert not session.waiting
    first, _ = repeat_of(session, "same_task")
    session.go_to(first)
    session.answer("False")
    session.go_to(repeat_of(session, "bias_presence")[0])
    session.answer("True")
    assert session.stage is Stage.CLASH


def test_findings_are_refused_alike_for_every_case_while_some_case_will_come_again(
    database: Database,
) -> None:
    a_study(database, cases=4, repeats=0.25)
    session = ReviewSession(database, "pilot", "anna")
    asked = [at for at, slot in enumerate(session.slots) if slot.question == "reconstruction"]
    for at in asked[:-1]:
        session.go_to(at)
        session.answer("True")
    refused = set()
    for at in asked[:-1]:
        session.go_to(at)
        refused.add((session.reveal_obstacle, session.remark, "0.9" in str(session.sheet())))
    ((why, _, shown),) = refused
    assert why is not None
    assert ("for every case" in why, shown) == (True, False)
    session.go_to(asked[-1])
    session.answer("True")
    assert {session.reveal_obstacle for at in asked if not session.go_to(at)} == {None}


def test_the_other_showing_of_a_case_is_final_too_once_it_is_revealed(database: Database) -> None:
    a_study(database, cases=4, repeats=0.25)
    session = ReviewSession(database, "pilot", "anna")
    first, repeat = repeat_of(session, "reconstruction")
    while session.position < len(session.slots) and session.done_count < session.slots.index(
        next(slot for slot in session.slots if slot.question == "axioms")
    ):
        session.answer("True")
    session.go_to(repeat)
    session.reveal()
    session.go_to(first)
    session.answer("False")
    assert said(database)[-3:] == [
        ("note", "after", REVEALED),
        ("note", "after", REVEALED),
        ("label", "after", "False"),
    ]


def test_repeats_and_findings_at_once_do_not_go_together(database: Database) -> None:
    with pytest.raises(RequestError, match="cannot judge it again independently"):
        a_study(database, repeats=0.2, reveal="findings")


# -- training and gold -------------------------------------------------------------------------------


def given(role: KnownRole, number: int, label: str = "False", question: str = "same_task") -> GivenAnswer:
    return GivenAnswer(
        role,
        f"{role}.csv, line 2",
        "pilot-data",
        f"anchoring bias/{number}",
        question,
        label,
        "an option is gone",
    )


def known_study(database: Database, *answers: GivenAnswer, **options: object) -> Study:
    fill(database, "pilot-data", [a_case(number) for number in range(6)])
    chosen = Options.model_validate(options)
    return create_study(database, "pilot", Design(("pilot-data",), None, 7, options=chosen, given=answers))


def test_training_comes_first_tells_right_from_wrong_and_is_never_counted(database: Database) -> None:
    known_study(database, given("training", 0), given("training", 1, "True"))
    session = ReviewSession(database, "pilot", "anna")
    assert (session.place.training, session.place.case_count, len(session.slots)) == (
        True,
        2,
        2 + 4 * QUESTIONS,
    )
    told = []
    for _ in range(2):
        session.answer("False")
        told.append((session.stage, session.remark.split(".")[0]))
        session.proceed()
    assert sorted(told) == [
        (Stage.FEEDBACK, "Training: ✓ Right"),
        (Stage.FEEDBACK, "Training: ✗ The known answer is True"),
    ]
    assert not session.place.training
    assert session.place.case_count == 4
    (whole,) = study_results(load_study(database, "pilot"), rows(database), ())
    assert (whole.ratings, whole.items) == (0, 16)


def test_the_training_round_is_not_passed_over_and_its_answers_are_given_once(database: Database) -> None:
    known_study(database, given("training", 0))
    session = ReviewSession(database, "pilot", "anna")
    with pytest.raises(RequestError, match="cannot be skipped"):
        session.skip()
    session.next()
    with pytest.raises(RequestError, match="training round comes first"):
        session.answer("True")
    session.previous()
    session.answer("True")
    with pytest.raises(RequestError, match="cannot be changed"):
        session.answer("False")
    with pytest.raises(RequestError, match="training answers are final"):
        session.undo()


def test_gold_cases_look_like_all_others_and_are_not_counted(database: Database) -> None:
    known_study(database, given("gold", 2))
    bundle = load_study(database, "pilot")
    session = ReviewSession(database, "pilot", "anna")
    assert session.place.case_count == 6
    assert len(session.slots) == 6 * QUESTIONS
    answer_all(session)
    assert study_progress(database)[0].has_finished("anna")
    assert {row.place.role for row in rows(database)} == {"counted", "gold"}
    (whole,) = study_results(bundle, rows(database), ())
    assert (whole.items, whole.cases, whole.ratings) == (5 * QUESTIONS, 5, 5 * QUESTIONS)


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (given("gold", 9), r"gold.csv, line 2: dataset 'pilot-data' has no case at 'anchoring bias/9'"),
        (given("gold", 1, "maybe"), r"'maybe' is not a label of 'same_task'; use one of True, False"),
        (given("gold", 1, question="taste"), r"there is no question 'taste'"),
        (given("training", 0), r"is a gold case already"),
        (given("gold", 0), r"is answered twice"),
    ],
)
def test_known_answers_that_do_not_fit_are_refused(
    database: Database, answer: GivenAnswer, sentence: str
) -> None:
    with pytest.raises(InputError, match=sentence):
        known_study(database, given("gold", 0), answer)
    with pytest.raises(RequestError, match="not in the store"):
        load_study(database, "pilot")


# -- sides -------------------------------------------------------------------------------------------


def texts(session: ReviewSession) -> Pair:
    body = next(pane.body for pane in session.sheet() if pane.key == "texts")
    assert isinstance(body, Pair)
    return body


def test_sides_are_exchanged_by_rater_and_case_recorded_and_not_named(database: Database) -> None:
    a_study(database, cases=12, swap=True)
    seen: dict[str, list[bool | None]] = {}
    for rater in ("anna", "ben"):
        session = ReviewSession(database, "pilot", rater)
        for _ in range(12):
            pair, case = texts(session), session.case
            assert (pair.left_title, pair.right_title) == ("texts · version 1", "texts · version 2")
            assert not {"proof", "bias"} & {pane.key for pane in session.sheet()}
            event = session.answer("True")
            assert (pair.left.text == case.payload["biased"]) == event.swapped
            seen.setdefault(case.digest, []).append(event.swapped)
        assert session.question.key == "bias_presence"
        assert texts(session).left_title == "unbiased"
        assert session.answer("True").swapped is None
    assert {(True, False), (False, True)} & {tuple(pair) for pair in seen.values()}


def test_labels_that_name_a_side_are_kept_as_the_sides_truly_stand(database: Database) -> None:
    a_study(database, cases=8, swap=True)
    sides = {"titles": ["one", "two"], "mirrored": [["left", "right"]]}
    named = {"labels": ["left", "right", "same"], "passing": [], "sides": sides}
    with_questions(database, {"same_task": named})
    session = ReviewSession(database, "pilot", "anna")
    for position in range(8):
        session.go_to(position)
        event = session.answer("left")
        assert event.value == ("right" if event.swapped else "left")
        session.go_to(position)
        assert session.verdict.label == "left"
    assert {event.swapped for event in events(database)} == {True, False}


def test_findings_about_a_question_stay_hidden_from_it_by_case(database: Database) -> None:
    """By case, an answered question must not tell what machines think of one that is still open."""
    a_study(database, asking="case", reveal="findings")
    session = ReviewSession(database, "pilot", "anna")
    digest = session.case.digest
    found = [
        Finding(
            case=digest,
            check=f"check_{key}",
            check_version=1,
            passed=False,
            severity="serious",
            why=f"about {key}.",
            question=key,
        )
        for key in ("same_task", "bias_presence", "axioms")
    ]
    mark = Measurement(case=digest, name="audit", source="measured", engine="swipl 9.2.9", value={})
    keep_case_findings(database, [CaseFindings(mark, (), tuple(found))])
    session = ReviewSession(database, "pilot", "anna")
    answered: set[str] = set()
    while session.case.digest == digest:
        key = session.question.key
        shown = str(session.sheet())
        if session.stage is Stage.FIRST:
            assert f"about {key}." not in shown
        else:
            answered.add(key)
        assert all(
            f"about {other}." not in shown for other in {"same_task", "bias_presence", "axioms"} - answered
        )
        session.answer("True")


def told_of_both_versions(database: Database) -> None:
    """An audit that measured something on the bias, which stands in the proof pane of every question."""
    digest = a_case(0).digest

    def value(name: str, what: object, variant: str = "") -> Measurement:
        return Measurement(
            case=digest, name=name, variant=variant, source="measured", engine="swipl 9.2.9", value=what
        )

    versions = ("unbiased", "biased")
    measured = (
        *(value("choice", "option_A", version) for version in versions),
        *(value("status", f"told of {version}", version) for version in versions),
    )
    keep_case_findings(database, [CaseFindings(value("audit", {}), measured, ())])


def test_a_later_question_says_nothing_of_an_earlier_one_before_that_is_revealed(database: Database) -> None:
    a_study(database, cases=1)
    told_of_both_versions(database)
    session = ReviewSession(database, "pilot", "anna")
    session.answer("True")
    session.answer("True")
    assert session.question.key == "reconstruction"
    assert "told of biased" not in str(session.sheet())
    session.undo()
    session.answer("False")
    session.go_to(1)
    session.reveal()
    session.next()
    assert "told of biased" in str(session.sheet())
    with pytest.raises(RequestError, match="you have seen what it reveals"):
        session.undo()
