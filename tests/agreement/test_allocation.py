"""Allocations of a total to strata."""

from itertools import product
from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewer.agreement.allocation import ALLOCATIONS, Allocation, allocate, shrunk

SIZES = st.lists(st.integers(1, 60), min_size=1, max_size=6)


def variance(sizes: list[int], guesses: list[float], drawn: tuple[int, ...]) -> float:
    """N² times the variance of the share, by the population's own spread."""
    return sum(
        size**2 * (1 / n - 1 / size) * guess * (1 - guess)
        for size, n, guess in zip(sizes, drawn, guesses, strict=True)
    )


@given(SIZES, st.data())
def test_sum_and_bounds_hold(sizes: list[int], data: st.DataObject) -> None:
    total = data.draw(st.integers(sum(min(2, size) for size in sizes), sum(sizes)))
    how: Allocation = data.draw(st.sampled_from(ALLOCATIONS))
    guesses = data.draw(st.lists(st.floats(0, 1), min_size=len(sizes), max_size=len(sizes)))
    drawn = allocate(sizes, total, how, guesses)
    assert sum(drawn) == total
    assert all(min(2, size) <= n <= size for n, size in zip(drawn, sizes, strict=True))


@pytest.mark.parametrize("total", [6, 9, 14, 20])
def test_neyman_has_the_least_variance_of_all(total: int) -> None:
    sizes, guesses = [4, 9, 15], [0.5, 0.95, 0.7]
    others = [range(2, size + 1) for size in sizes]
    least = min(variance(sizes, guesses, drawn) if sum(drawn) == total else inf for drawn in product(*others))
    assert variance(sizes, guesses, allocate(sizes, total, "neyman", guesses)) == pytest.approx(least)


def test_each_allocation_by_hand() -> None:
    assert allocate([1000, 500, 100], 30, "equal") == (10, 10, 10)
    assert allocate([1000, 500, 100], 32, "proportional") == (20, 10, 2)
    assert allocate([1000, 500, 100], 31, "equal") == (11, 10, 10)
    assert allocate([400, 400], 40, "neyman", [0.5, 0.1]) == (25, 15)
    assert allocate([4, 500, 100], 30, "equal") == (4, 13, 13)


def test_guesses_of_certainty_are_shrunk() -> None:
    assert [shrunk(guess) for guess in (0, 0.01, 0.5, 1)] == [0.02, 0.02, 0.5, 0.98]
    assert allocate([100, 100], 20, "neyman", [0, 1]) == (10, 10)


def test_too_many_and_too_few_cases_are_refused() -> None:
    with pytest.raises(ValueError, match="there are 30 cases to draw; you asked for 31"):
        allocate([10, 20], 31, "equal")
    with pytest.raises(ValueError, match="3 strata need 5 cases, 2 of each that has two; you asked for 4"):
        allocate([10, 20, 1], 4, "proportional")
    with pytest.raises(ValueError, match="between 0 and 1"):
        allocate([10, 20], 10, "neyman", [0.5, 1.2])
