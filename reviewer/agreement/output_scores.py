"""How good each of n outputs is by rankings: its mean rank, share of wins and Bradley-Terry score.

The rankings of one case count together as one: a case with more raters does not weigh more. A mean rank is
the mean of mid-ranks (see ``rankings``), 1 for an output that is always the best alone. The share of wins is
of its comparisons with other outputs, a tie counted as half a win.

Bradley-Terry: output i wins against j with probability exp(s_i) / (exp(s_i) + exp(s_j)), a tie counted as
half a win of each; the scores are those of greatest likelihood and sum to 0. Bradley, R. A. and Terry, M. E.
(1952), Rank analysis of incomplete block designs, Biometrika 39, 324-345. Each two outputs begin with one
tie, so that the score of an output that always wins is finite too. Twice the odds of a win are 0.69 more.

Intervals are percentiles over resampled cases: the rankings of a case are not independent of each other.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from reviewer.agreement.bootstrap import DEFAULT_RESAMPLES, with_bootstrap
from reviewer.agreement.intervals import DEFAULT_LEVEL
from reviewer.agreement.rankings import mid_ranks
from reviewer.agreement.rating_patterns import Floats
from reviewer.core.estimate import NO_DATA, Estimate
from reviewer.core.ranked_outputs import Ranking

_BEGINS_WITH: Final = 0.5
_MOST_STEPS, _LONGEST_STEP, _CLOSE = 60, 2.0, 1e-10
_AT_ONCE: Final = 2_000


@dataclass(frozen=True, slots=True)
class OutputScore:
    """What rankings say of one output."""

    output: str
    mean_rank: Estimate
    wins: Estimate
    score: Estimate


def output_scores(
    cases: Sequence[Sequence[Ranking]],
    outputs: Sequence[str],
    *,
    seed: int,
    resamples: int = DEFAULT_RESAMPLES,
    level: float = DEFAULT_LEVEL,
) -> list[OutputScore]:
    """Each output, in their order. ``cases`` are the rankings of each case; those without any are left out.

    Without ``resamples`` no value has an interval.
    """
    ranked = [rankings for rankings in cases if rankings]
    if not ranked:
        none = Estimate.undefined(NO_DATA, 0)
        return [OutputScore(output, none, none, none) for output in outputs]
    order = [sorted(outputs).index(output) for output in outputs]
    ranks = np.array([mid_ranks(rankings).mean(axis=0)[order] for rankings in ranked])
    won = np.array([_wins(mid_ranks(rankings)[:, order]) for rankings in ranked])
    points = _of_weights(ranks, won, np.ones((1, len(ranked))))
    drawn = _resampled(ranks, won, seed, resamples)
    return [
        OutputScore(output, *(_estimate(points, drawn, what, at, len(ranked), level) for what in range(3)))
        for at, output in enumerate(outputs)
    ]


def _wins(ranks: Floats) -> Floats:
    """n × n, the share of rankings in which the row's output is before the column's, ties as half."""
    before = np.sign(ranks[:, None, :] - ranks[:, :, None])
    wins = (before + 1).mean(axis=0) / 2
    np.fill_diagonal(wins, 0)
    return np.asarray(wins)


def _resampled(ranks: Floats, won: Floats, seed: int, resamples: int) -> tuple[Floats, ...]:
    generator, cases = np.random.default_rng(seed), len(ranks)
    shares = np.full(cases, 1 / cases)
    pieces = [
        _of_weights(ranks, won, _drawn(generator, shares, min(_AT_ONCE, resamples - start)))
        for start in range(0, resamples, _AT_ONCE)
    ]
    return tuple(np.concatenate(parts) for parts in zip(*pieces, strict=True))


def _drawn(generator: np.random.Generator, shares: Floats, rows: int) -> Floats:
    return generator.multinomial(len(shares), shares, rows).astype(np.float64)


def _of_weights(ranks: Floats, won: Floats, weights: Floats) -> tuple[Floats, Floats, Floats]:
    """B × n mean ranks, shares of wins and scores, under each row of weights of the cases."""
    totals = weights.sum(axis=1)
    n = ranks.shape[1]
    wins = (weights @ won.reshape(len(won), -1)).reshape(-1, n, n)
    shares = wins.sum(axis=2) / (totals[:, None] * (n - 1))
    return weights @ ranks / totals[:, None], shares, bradley_terry(wins)


def bradley_terry(wins: Floats) -> Floats:
    """B × n scores from B × n × n wins (row against column), after one tie of each two; they sum to 0.

    Newton's steps on the concave log likelihood, each bounded, until none moves a score.
    """
    n = wins.shape[1]
    others = 1 - np.eye(n)
    wins = wins + _BEGINS_WITH * others
    games, won = wins + wins.transpose(0, 2, 1), wins.sum(axis=2)
    scores = np.zeros((len(wins), n))
    for _ in range(_MOST_STEPS):
        odds = 1 / (1 + np.exp(scores[:, None, :] - scores[:, :, None]))
        curved = games * odds * (1 - odds) * others
        gradient = won - (games * odds * others).sum(axis=2)
        # All-ones added: the scores are known up to a constant, and their steps then sum to 0.
        matrix = np.eye(n) * curved.sum(axis=2)[:, :, None] - curved + 1
        step = np.clip(np.linalg.solve(matrix, gradient[:, :, None])[:, :, 0], -_LONGEST_STEP, _LONGEST_STEP)
        scores += step - step.mean(axis=1, keepdims=True)
        if np.abs(step).max() < _CLOSE:
            break
    return scores


def _estimate(
    points: tuple[Floats, ...], drawn: tuple[Floats, ...], what: int, at: int, cases: int, level: float
) -> Estimate:
    point = Estimate(float(points[what][0, at]), cases)
    return with_bootstrap(point, drawn[what][:, at], cases, level) if drawn else point
