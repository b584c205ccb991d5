"""Widths that a plan of a draw promises."""

from math import comb

import pytest

from reviewer.agreement.allocation import allocate
from reviewer.agreement.proportions import wilson, wilson_ends
from reviewer.agreement.sample_sizes import simple_width, stratified_width


def test_width_of_a_simple_draw_is_the_mean_over_all_numbers_of_passes() -> None:
    widths = [wilson(passed, 50).half_width * 2 for passed in range(51)]
    chances = [comb(50, passed) * 0.98**passed * 0.02 ** (50 - passed) for passed in range(51)]
    expected = sum(width * chance for width, chance in zip(widths, chances, strict=True))
    assert simple_width([100_000_000], [0.98], 50, seed=1) == pytest.approx(expected, rel=0.01)


def test_a_guess_near_certainty_is_simulated_as_it_is() -> None:
    chances = [0.999**60, 60 * 0.001 * 0.999**59]
    widths = [wilson(passed, 60).half_width * 2 for passed in (60, 59)]
    expected = sum(width * chance for width, chance in zip(widths, chances, strict=True)) / sum(chances)
    assert stratified_width([10**8], [0.999], [60], seed=1) == pytest.approx(expected, rel=0.01)
    assert stratified_width([10**8], [1.0], [60], seed=1) == pytest.approx(widths[0])


def test_a_whole_stratum_has_no_width() -> None:
    assert stratified_width([50], [0.5], [50], seed=1) == 0


def test_one_stratum_is_a_simple_draw_with_the_finite_size() -> None:
    low, high = wilson_ends(0.5, 60 * 119 / 60, 0.95)
    assert stratified_width([120], [0.5], [60], seed=1) == pytest.approx(high - low, rel=0.01)
    low, high = wilson_ends(0.5, 60, 0.95)
    assert simple_width([120], [0.5], 60, seed=1) == pytest.approx(high - low, rel=0.01)


def test_neyman_is_narrower_than_a_simple_draw_and_a_higher_level_is_wider() -> None:
    sizes, guesses = [766, 40], [0.99, 0.3]
    drawn = allocate(sizes, 120, "neyman", guesses)
    width = stratified_width(sizes, guesses, drawn, seed=1)
    assert width < 0.92 * simple_width(sizes, guesses, 120, seed=1)
    assert width < stratified_width(sizes, guesses, drawn, seed=1, level=0.99)


def test_same_seed_same_width() -> None:
    sizes, guesses, drawn = [100] * 20, [0.5] * 20, [15] * 20
    assert stratified_width(sizes, guesses, drawn, seed=3) == stratified_width(sizes, guesses, drawn, seed=3)
    assert stratified_width(sizes, guesses, drawn, seed=3) != stratified_width(sizes, guesses, drawn, seed=4)
