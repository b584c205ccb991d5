"""Tests that draw examples draw the same ones in every run: a run is red by a change, not by chance."""

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st


def _drawn() -> list[int]:
    drawn: list[int] = []

    @given(st.integers())
    def draw(number: int) -> None:
        drawn.append(number)

    draw()
    return drawn


def test_examples_are_the_same_in_every_run() -> None:
    assert _drawn() == _drawn()


def test_a_slow_machine_makes_no_example_wrong() -> None:
    assert settings.default is not None
    assert settings.default.deadline is None
    assert HealthCheck.too_slow in settings.default.suppress_health_check
