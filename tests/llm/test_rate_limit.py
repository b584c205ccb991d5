"""When the next request may go, with a clock of the test's own."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewer.llm.rate_limit import Spacing, Window


def test_nothing_waits_without_limits() -> None:
    window = Window(None, None)
    for _ in range(100):
        assert window.wait(0, 10**9) == 0
        window.take(0, 10**9)


def test_requests_wait_for_the_oldest_to_leave_the_minute() -> None:
    window = Window(2, None)
    window.take(0, 1)
    window.take(10, 1)
    assert window.wait(20, 1) == 40
    assert window.wait(60, 1) == 0


def test_tokens_wait_until_enough_have_left() -> None:
    window = Window(None, 100)
    window.take(0, 40)
    window.take(10, 40)
    assert window.wait(20, 20) == 0
    assert window.wait(20, 60) == 40
    assert window.wait(20, 61) == 50


def test_what_is_larger_than_a_minute_goes_alone() -> None:
    window = Window(None, 100)
    assert window.wait(0, 500) == 0
    window.take(0, 500)
    assert window.wait(1, 1) == 59


def test_a_guess_is_put_right_by_the_count() -> None:
    window = Window(None, 100)
    window.take(0, 90).tokens = 10
    assert window.wait(1, 80) == 0


@given(
    st.lists(st.tuples(st.floats(0, 30), st.integers(1, 60)), max_size=30),
    st.integers(1, 5),
    st.integers(60, 200),
)
def test_no_minute_ever_holds_more(asks: list[tuple[float, int]], requests: int, tokens: int) -> None:
    window, now, taken = Window(requests, tokens), 0.0, []
    for pause, size in asks:
        now += pause
        while wait := window.wait(now, size):
            now += max(wait, 1e-6)
        window.take(now, size)
        taken.append((now, size))
        minute = [(at, of) for at, of in taken if at > now - 60 + 1e-9]
        assert len(minute) <= requests
        assert sum(of for _, of in minute) <= tokens


def test_requests_of_a_burst_go_out_one_after_another() -> None:
    spacing = Spacing(at_once=64)
    spacing.answered(0.64)
    waits = [spacing.wait(10) for _ in range(64)]
    assert waits[:3] == pytest.approx([0, 0.005, 0.01])
    assert waits[-1] < 0.64 / 2, "a burst is over long before its answers come"
    assert spacing.wait(20) == 0, "what comes later need not wait"


def test_requests_are_not_spaced_before_an_answer_or_where_answers_come_soon() -> None:
    spacing = Spacing(at_once=64)
    assert [spacing.wait(1) for _ in range(9)] == [0] * 9
    spacing.answered(0.3)
    assert [spacing.wait(1) for _ in range(9)] == [0] * 9


def test_spacing_follows_a_server_that_gets_slower() -> None:
    spacing = Spacing(at_once=1)
    for seconds in (1.0, *[3.0] * 60):
        spacing.answered(seconds)
    spacing.wait(0)
    assert spacing.wait(0) == pytest.approx(1.5, rel=0.01)
