"""What a rater sees beside a verdict: a second look, a contradiction, training; one key each."""

from reviewer.study.design.known_answers import GivenAnswer
from reviewer.study.design.study_creation import Design, create_study
from reviewer.study.design.study_design import Options
from reviewer.tui.screens.review import ReviewScreen
from store.database import Database
from tests.studies import a_case, a_study, fill
from tests.tui.conftest import NARROW, Opened, Opener, press, saved, seen


def position(pilot: Opened) -> int:
    screen = pilot.app.screen
    assert isinstance(screen, ReviewScreen)
    return screen.session.position


async def test_findings_appear_after_the_verdict_and_one_key_keeps_or_changes_it(
    opened: Opener, database: Database
) -> None:
    a_study(database, reveal="findings")
    async with opened(size=NARROW) as pilot:
        await press(pilot, "n", "n", "n", "n", "n", "n")
        assert "0.9" not in seen(pilot)
        await press(pilot, "t")
        assert "You said True." in seen(pilot)
        assert "0.9" in seen(pilot)
        assert "it is final: more is shown now" in seen(pilot)
        assert "undo" not in seen(pilot)
        await press(pilot, "u")
        assert "you have seen what it" in seen(pilot)
        await press(pilot, "f")
        assert "second look: reconstruction = False (case 1, first True)" in seen(pilot)
        assert position(pilot) == 7
        await press(pilot, "t", "enter")
        assert "(case 2, as before)" in seen(pilot)
    assert saved(database) == [
        ("label", "True"),
        ("note", "revealed"),
        ("label", "False"),
        ("label", "True"),
        ("note", "revealed"),
        ("label", "True"),
    ]


async def test_a_contradiction_is_asked_about_and_answered_by_one_key_or_a_reason(
    opened: Opener, database: Database
) -> None:
    a_study(database, asking="case")
    async with opened(size=NARROW) as pilot:
        await press(pilot, "f", "t")
        assert "You also answered" in seen(pilot)
        await press(pilot, "f")
        assert "do both stand?" in seen(pilot)
        assert saved(database) == [("label", "False"), ("label", "True")]
        await press(pilot, "r", *"gone", "enter")
        assert "both answers stand (case 1)   with your reason" in seen(pilot)
        assert saved(database)[-1] == ("reason", "gone")
        assert position(pilot) == 2
        await press(pilot, "t", "t", "f", "t")
        assert position(pilot) == 6


async def test_a_contradiction_that_is_a_slip_is_taken_back_by_one_key(
    opened: Opener, database: Database
) -> None:
    a_study(database, asking="case")
    async with opened() as pilot:
        await press(pilot, "f", "t", "u")
        assert "bias presence (case 1) is open again" in seen(pilot)
        await press(pilot, "f", *"ttft", "enter")
        assert "reason" not in [kind for kind, _ in saved(database)]


async def test_training_tells_right_from_wrong_before_the_study_counts(
    opened: Opener, database: Database
) -> None:
    fill(database, "data", [a_case(number) for number in range(3)])
    known = GivenAnswer(
        "training", "t.csv", "data", "anchoring bias/0", "same_task", "False", "It [changed]."
    )
    create_study(database, "pilot", Design(("data",), None, 1, options=Options(), given=(known,)))
    async with opened(size=NARROW) as pilot:
        assert "training" in seen(pilot)
        assert "skip" not in seen(pilot)
        await press(pilot, "s")
        assert "cannot be skipped" in seen(pilot)
        assert "undo" in seen(pilot)
        await press(pilot, "t")
        assert "[changed]." in seen(pilot)
        assert "undo" not in seen(pilot)
        assert "f  False" not in seen(pilot)
        await press(pilot, "enter")
        assert "training" not in seen(pilot)
        assert "1/2" in seen(pilot) or "case 1 of 2" in seen(pilot)


async def test_the_end_waits_for_the_last_second_look(opened: Opener, database: Database) -> None:
    a_study(database, cases=1, reveal="findings")
    async with opened() as pilot:
        await press(pilot, *["t", "enter"] * 3, "t")
        assert "Everything is labelled" not in seen(pilot)
        await press(pilot, "enter")
        assert "Everything is labelled" in seen(pilot)


async def test_an_answer_is_corrected_on_return_and_a_key_says_what_it_locks_before_it_reveals(
    opened: Opener, database: Database
) -> None:
    a_study(database)
    async with opened(size=NARROW) as pilot:
        await press(pilot, *"nnnnnn", "t", "b")
        assert "You answered True. You can still" in seen(pilot)
        assert "show findings, then it is final" in seen(pilot)
        assert "0.9" not in seen(pilot)
        await press(pilot, "f", "b")
        assert "You answered False." in seen(pilot)
        await press(pilot, "R")
        assert "You will see what checks and models" in seen(pilot)
        assert "0.9" not in seen(pilot)
        await press(pilot, "n", "b", "R", "R")
        assert "0.9" in seen(pilot)
        assert "reconstruction = False (case 1) is final" in seen(pilot)
        await press(pilot, "R")
        assert "You already see everything on this question." in seen(pilot)
        await press(pilot, "u")
        assert "you have seen what it" in seen(pilot)
        await press(pilot, "o", "R")
        assert "hidden until you answer it" in seen(pilot)
    assert saved(database) == [("label", "True"), ("label", "False"), ("note", "revealed")]


async def test_while_two_answers_are_asked_about_nothing_can_be_revealed(
    opened: Opener, database: Database
) -> None:
    a_study(database, asking="case")
    async with opened() as pilot:
        await press(pilot, "f", "t", "R")
        assert "Answer first what you are asked" in seen(pilot)
        assert "show findings" not in seen(pilot)
        await press(pilot, "u", "f")
    assert saved(database) == [("label", "False"), ("label", "True"), ("undo", None), ("label", "False")]
