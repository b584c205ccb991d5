"""Active time: what counts while somebody is there, and the pace that follows from it."""

from reviewer.study.session.stopwatch import ActiveClock, minutes_left
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


def label(number: int, milliseconds: int | None) -> Event:
    return Event.sealed(
        id=f"{number:032x}",
        study="s",
        rater="r",
        case="0" * 64,
        question="q",
        question_digest="0" * 64,
        kind="label",
        value="True",
        at="2026-01-01T00:00:00.000Z",
        active_ms=milliseconds,
    )


def test_the_pace_is_the_median_of_the_newest_twenty() -> None:
    slow = [label(number, 600_000) for number in range(30)]
    quick = [label(100 + number, 30_000) for number in range(20)]
    assert minutes_left([*slow, *quick], 10) == 5
    assert minutes_left(quick[:5], 1) == 1
    assert minutes_left(quick[:4], 10) is None
    assert minutes_left(quick, 0) is None
    assert minutes_left([label(number, None) for number in range(9)], 10) is None
