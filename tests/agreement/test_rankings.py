"""Kendall's W, tau-b and Bradley-Terry scores against scipy and plain loops."""

import math
from itertools import combinations

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import kendalltau, rankdata

from reviewer.agreement.bootstrap import bootstrap
from reviewer.agreement.coefficient import RANK_COEFFICIENTS
from reviewer.agreement.output_scores import bradley_terry, output_scores
from reviewer.agreement.rankings import ranking_ratings
from reviewer.core.estimate import ALL_TIED, NO_ITEM_WITH_TWO_RATINGS
from reviewer.core.ranked_outputs import Ranking

OUTPUTS = ("a", "b", "c", "d")
W, TAU = RANK_COEFFICIENTS["kendall_w"], RANK_COEFFICIENTS["kendall_tau_b"]


def ranking_of(scores: "list[int]") -> Ranking:
    """Ties where scores are equal, the smallest first."""
    return tuple(
        tuple(output for output, score in zip(OUTPUTS, scores, strict=True) if score == at)
        for at in sorted({*scores})
    )


def drawn(cases: int, raters: int, seed: int) -> list[list[Ranking | None]]:
    generator = np.random.default_rng(seed)
    rows = [[ranking_of(generator.integers(0, 4, 4).tolist()) for _ in range(raters)] for _ in range(cases)]
    return [[None if generator.random() < 0.2 else one for one in row] for row in rows]


def ranks(ranking: Ranking) -> list[float]:
    places = {output: at for at, group in enumerate(ranking) for output in group}
    return list(rankdata([places[output] for output in OUTPUTS]))


def plain_w(row: "list[Ranking | None]") -> float | None:
    """The formula as Kendall writes it, with the correction for ties."""
    given = [ranks(one) for one in row if one is not None]
    m, n = len(given), len(OUTPUTS)
    if m < 2:
        return None
    sums = [sum(one[j] for one in given) for j in range(n)]
    spread = sum((total - m * (n + 1) / 2) ** 2 for total in sums)
    ties = sum(len(g) ** 3 - len(g) for one in row if one is not None for g in one)
    below = m**2 * (n**3 - n) - m * ties
    return 12 * spread / below if below else None


def plain_tau(row: "list[Ranking | None]") -> float | None:
    pairs = combinations([ranks(one) for one in row if one is not None], 2)
    values = [kendalltau(one, other).statistic for one, other in pairs]
    defined = [value for value in values if not math.isnan(value)]
    return sum(defined) / len(defined) if defined else None


@pytest.mark.parametrize(("coefficient", "plain"), [(W, plain_w), (TAU, plain_tau)], ids=["W", "tau-b"])
def test_means_over_cases_equal_those_of_plain_formulas(coefficient, plain) -> None:  # type: ignore[no-untyped-def]
    rows = drawn(60, 4, seed=7)
    values = [value for row in rows if (value := plain(row)) is not None]
    estimate = coefficient(ranking_ratings(rows, OUTPUTS))
    assert estimate.n == len(values) < 60 or estimate.n == 60
    assert estimate.value == pytest.approx(sum(values) / len(values), abs=1e-12)


def test_an_interval_resamples_cases() -> None:
    rows = drawn(40, 3, seed=3)
    values = [value for row in rows if (value := plain_w(row)) is not None]
    generator = np.random.default_rng(1)
    means = [np.mean(generator.choice(values, len(values))) for _ in range(4_000)]
    estimate = bootstrap(ranking_ratings(rows, OUTPUTS), W, seed=5)
    assert estimate.interval is not None
    low, high = np.quantile(means, [0.025, 0.975])
    assert (estimate.interval.low, estimate.interval.high) == pytest.approx((low, high), abs=0.02)


def test_equal_rankings_agree_fully_and_reversed_ones_not_at_all() -> None:
    order: Ranking = (("a",), ("b",), ("c",), ("d",))
    equal, opposite = (
        ranking_ratings([[order, order]], OUTPUTS),
        ranking_ratings([[order, order[::-1]]], OUTPUTS),
    )
    assert (W(equal).value, TAU(equal).value) == (1, 1)
    assert (W(opposite).value, TAU(opposite).value) == (0, -1)


def test_rankings_that_tie_everything_have_no_value() -> None:
    tied: Ranking = (OUTPUTS,)
    for coefficient in (W, TAU):
        estimate = coefficient(ranking_ratings([[tied, tied]], OUTPUTS))
        assert (estimate.value, estimate.reason) == (None, ALL_TIED)
        alone = coefficient(ranking_ratings([[tied, None], [None, tied]], OUTPUTS))
        assert (alone.value, alone.reason) == (None, NO_ITEM_WITH_TWO_RATINGS)


def test_a_ranking_of_other_outputs_is_refused() -> None:
    with pytest.raises(ValueError, match="does not rank"):
        ranking_ratings([[(("a",), ("b",))]], OUTPUTS)


def log_likelihood(scores: np.ndarray, wins: np.ndarray) -> float:  # type: ignore[type-arg]
    whole = np.append(scores, 0.0)
    return -sum(
        (wins[i, j] + 0.5) * (whole[i] - np.logaddexp(whole[i], whole[j]))
        for i in range(len(whole))
        for j in range(len(whole))
        if i != j
    )


def test_bradley_terry_scores_are_those_of_the_greatest_likelihood() -> None:
    generator = np.random.default_rng(2)
    wins = generator.integers(0, 30, (4, 4)).astype(float)
    np.fill_diagonal(wins, 0)
    best = minimize(log_likelihood, np.zeros(3), args=(wins,), tol=1e-12)
    expected = np.append(best.x, 0.0)
    assert bradley_terry(wins[None])[0] == pytest.approx(expected - expected.mean(), abs=1e-5)


def test_an_output_that_always_wins_has_a_finite_score() -> None:
    first: Ranking = (("a",), ("b", "c", "d"))
    scores = {one.output: one for one in output_scores([[first]] * 30, OUTPUTS, seed=1, resamples=500)}
    best = scores["a"]
    assert (best.mean_rank.value, best.wins.value) == (1, 1)
    assert scores["b"].mean_rank.value == 3
    assert scores["b"].wins.value == pytest.approx(1 / 3)
    assert best.score.value is not None
    assert 2 < best.score.value < 10


def test_mean_ranks_and_wins_equal_plain_means_of_cases() -> None:
    rows = drawn(50, 3, seed=11)
    cases = [[one for one in row if one is not None] for row in rows]
    scores = output_scores(cases, OUTPUTS, seed=4, resamples=2_000)
    kept = [case for case in cases if case]
    means = [np.mean([ranks(one) for one in case], axis=0) for case in kept]
    assert [one.mean_rank.value for one in scores] == pytest.approx(list(np.mean(means, axis=0)))
    generator = np.random.default_rng(9)
    resampled = [
        np.mean([means[i] for i in generator.integers(0, len(means), len(means))], axis=0)[0]
        for _ in range(2_000)
    ]
    assert scores[0].mean_rank.interval is not None
    assert scores[0].mean_rank.interval.low == pytest.approx(np.quantile(resampled, 0.025), abs=0.05)
    assert all(one.score.n == len(kept) for one in scores)


def test_no_rankings_give_no_scores() -> None:
    assert [one.score.reason for one in output_scores([[]], OUTPUTS, seed=1)] == ["no data"] * 4
