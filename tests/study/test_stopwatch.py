"""Active time: what counts while somebody is there, and the pace that follows from it."""

from reviewer.core.pane import Code, Pane, Text
from reviewer.study.session.reading_times import seconds_on_screen
from reviewer.study.session.stopwatch import ActiveClock, minutes_left, usual_minutes
from store.records import Event


class Now:
    """A clock that is set by hand."""

    seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


def test_a_pause_counts_only_up_to_the_cut_off() -> None:
    now = Now()
    clock = ActiveClock(60, now)
    now.seconds = 50
    assert clock() == 50
    clock.touch()
    now.seconds = 1_000
    assert clock() == 110
    clock.touch()
    assert clock() == 110
    now.seconds = 1_010
    assert clock() == 120


def test_reading_is_no_sign_of_life() -> None:
    now = Now()
    clock = ActiveClock(60, now)
    for second in range(0, 500, 10):
        now.seconds = second
        clock()
    assert clock() == 60


def test_many_touches_add_up_to_the_time_that_went_by() -> None:
    now = Now()
    clock = ActiveClock(5, now)
    for second in range(100):
        now.seconds = second
        clock.touch()
    assert clock() == 99


def label(number: int, milliseconds: int | None, question: str = "q", case: int | None = None) -> Event:
    return Event.sealed(
        id=f"{number:032x}",
        study="s",
        rater="r",
        case=f"{number if case is None else case:064x}",
        question=question,
        question_digest="0" * 64,
        kind="label",
        given="app",
        value="True",
        at="2026-01-01T00:00:00.000Z",
        active_ms=milliseconds,
    )


def test_the_pace_is_the_median_of_the_newest_forty() -> None:
    slow = [label(number, 600_000) for number in range(30)]
    quick = [label(100 + number, 30_000) for number in range(40)]
    assert minutes_left([*slow, *quick], {"q": 10}) == 5
    assert minutes_left(quick[:5], {"q": 1}) == 1
    assert minutes_left(quick[:4], {"q": 10}) is None
    assert minutes_left(quick, {"q": 0}) is None
    assert minutes_left([label(number, None) for number in range(9)], {"q": 10}) is None


def test_each_question_has_its_own_pace_and_a_new_one_begins_with_that_of_the_others() -> None:
    slow = [label(number, 60_000, "slow") for number in range(30)]
    quick = [label(100 + number, 6_000, "quick") for number in range(30)]
    assert minutes_left([*slow, *quick], {"slow": 7}) == 7
    assert minutes_left([*slow, *quick], {"quick": 40}) == 7
    assert minutes_left(slow, {"new": 7}) == 6
    assert minutes_left([*slow, label(200, 600_000, "new")], {"new": 2}) == 5
    assert minutes_left([*slow, label(200, 100, "new")], {"new": 7}) == 5


def test_a_verdict_that_was_changed_counts_once_with_all_its_time() -> None:
    given = [label(number, 30_000, case=number % 30) for number in range(60)]
    assert minutes_left(given, {"q": 6}) == 6
    assert minutes_left([label(number, 30_000, case=number % 4) for number in range(8)], {"q": 4}) is None


def test_minutes_are_rounded_the_more_the_longer_it_takes() -> None:
    given = [label(number, 60_000) for number in range(400)]
    times = [minutes_left(given, {"q": left}) for left in (7, 12, 14, 34, 37, 97, 100)]
    assert times == [7, 10, 15, 30, 40, 90, 105]
    assert [usual_minutes(number) for number in (1, 12, 96)] == [1, 6, 45]


def test_one_long_answer_does_not_move_the_estimate() -> None:
    given = [label(number, 20_000 + 500 * number) for number in range(12)]
    assert minutes_left(given, {"q": 60}) == minutes_left([*given, label(50, 900_000)], {"q": 60}) == 25


def test_long_texts_let_more_of_a_pause_count() -> None:
    now = Now()
    clock = ActiveClock(60, now)
    clock.allow(reading_seconds=90)
    now.seconds = 1000
    assert clock() == 5 * 90
    clock.touch()
    clock.allow(reading_seconds=4)
    now.seconds = 1100
    assert clock() == 450 + 60


def test_programs_on_the_screen_take_time_to_read() -> None:
    panes = [Pane("a", "A", Text("word " * 400)), Pane("b", "B", Code("word " * 200))]
    assert seconds_on_screen(panes) == 90
