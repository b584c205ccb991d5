"""What third votes do to numbers, in studies with the margins of PROBE-SWE's published agreement."""

from collections.abc import Callable, Iterator
from itertools import product
from math import comb

import numpy as np
import pytest

from reviewer.agreement.coefficient import COEFFICIENTS
from reviewer.agreement.rating_patterns import Floats, Patterns
from reviewer.agreement.ratings import Ratings
from reviewer.study.design.study_design import StudyDesign
from reviewer.study.session.third_vote import counting_votes

PATTERNS = {3: 0.877, 2: 0.077, 1: 0.036, 0: 0.010}
"""Number of True votes of three → share of items: majority .954, unanimity .877, all agree .887."""
RATERS = ("anna", "ben", "cara")
Votes = dict[str, str | None]
Counting = Callable[[StudyDesign, str, Votes], Votes]
"""Which votes on a case are taken."""


def studies(number: int, cases: int, seed: int) -> Iterator[list[tuple[str, Votes]]]:
    """Studies with all three votes on each case, by the case's digest."""
    random = np.random.default_rng(seed)
    for _ in range(number):
        trues = random.choice([*PATTERNS], cases, p=[*PATTERNS.values()])
        votes = [random.permutation(["True"] * n + ["False"] * (3 - n)).tolist() for n in trues]
        yield [(str(at), dict(zip(RATERS, row, strict=True))) for at, row in enumerate(votes)]


def lean_design(cases: int) -> StudyDesign:
    """Panels of two in turn, and the third rater of each case asked."""
    left_out = {str(at): RATERS[at % 3] for at in range(cases)}
    lists = {rater: (tuple(case for case, third in left_out.items() if third == rater),) for rater in RATERS}
    return StudyDesign(
        cases=cases,
        asked={"q": cases},
        third="on-disagreement",
        panels={case: tuple(r for r in RATERS if r != third) for case, third in left_out.items()},
        third_lists=lists,
    )


def fixed(design: StudyDesign, case: str, votes: Votes) -> Votes:
    return {rater: votes[rater] for rater in RATERS if design.has_fixed_vote(rater, case)}


def counting(design: StudyDesign, case: str, votes: Votes) -> Votes:
    return dict(counting_votes(design, case, [*votes.items()], lambda vote: (vote[0], vote[1] or "")))


def test_majorities_are_those_of_three_votes() -> None:
    design = lean_design(90)
    labels = 0
    for study in studies(5, 90, 1):
        for case, votes in study:
            given = counting(design, case, votes)
            labels += len(given)
            assert ([*given.values()].count("True") * 2 > len(given)) == ([*votes.values()].count("True") > 1)
    assert labels / (5 * 90 * 3) == pytest.approx(1 - 0.308, abs=0.03)


PERMUTED = list(product(("True", "False"), repeat=3))
SHARES = [PATTERNS[votes.count("True")] / comb(3, votes.count("True")) for votes in PERMUTED]


def kappas(count: Counting, cases: int, number: int, seed: int) -> Floats:
    """Fleiss' kappa of many studies, of the votes that ``count`` takes; a third of the cases a panel."""
    design = lean_design(3 * len(PERMUTED))
    kinds = [(str(3 * at + panel), votes) for panel in range(3) for at, votes in enumerate(PERMUTED)]
    given = [count(design, case, dict(zip(RATERS, votes, strict=True))) for case, votes in kinds]
    labels = [[votes.get(rater) for rater in RATERS] for votes in given]
    codes = Ratings.from_labels(labels, ("True", "False"), RATERS).codes
    patterns = Patterns(codes, np.ones(len(codes), dtype=np.int64), ("True", "False"))
    random = np.random.default_rng(seed)
    weights = np.hstack([random.multinomial(cases // 3, SHARES, number) for _ in range(3)])
    return COEFFICIENTS["fleiss_kappa"].values(patterns, weights.astype(float))


def all_three(_design: StudyDesign, _case: str, votes: Votes) -> Votes:
    return votes


def compared(one: Floats, other: Floats) -> tuple[float, float]:
    """The difference of two means and its standard error."""
    one, other = one[~np.isnan(one)], other[~np.isnan(other)]
    error = np.sqrt(one.var() / len(one) + other.var() / len(other))
    return float(one.mean() - other.mean()), float(error)


def test_kappa_of_fixed_votes_is_that_of_studies_with_two_votes_and_no_third() -> None:
    """With 1,000 studies a difference has a standard error of .007, so that .01 says little; these are more.

    The studies are others, so that the votes are not the same ones.
    """
    lean, without = (kappas(fixed, 120, 50_000, seed) for seed in (1, 2))
    difference, error = compared(lean, without)
    assert error < 0.0015
    assert abs(difference) < 3 * error


@pytest.mark.parametrize(("cases", "bias"), [(39, -0.014), (120, -0.004), (600, 0.0)])
def test_three_votes_a_case_have_another_bias_in_small_studies(cases: int, bias: float) -> None:
    """Kappa is biased in small studies, and more so with two votes a case than with three."""
    difference, error = compared(kappas(fixed, cases, 50_000, 1), kappas(all_three, cases, 50_000, 2))
    assert abs(difference - bias) < 0.001 + 3 * error


def test_kappa_of_all_votes_that_were_given_is_wrong() -> None:
    given, without = kappas(counting, 120, 10_000, 1), kappas(all_three, 120, 10_000, 2)
    assert compared(given, without)[0] > 0.15
