"""An interval of a share that holds at every look at once, of cases in random order without replacement.

Prior-posterior ratio [Waudby-Smith and Ramdas 2020, Confidence sequences for sampling without replacement]:
with a prior on the number of passing cases among all N, the numbers whose prior exceeds 1/α of their
posterior after t cases are ruled out, at all t at once with error α. With the uniform prior (beta-binomial,
a = b = 1) the ratio of a number K is C(N, t) (t + 1)^-1 (N + 1) / … which is computed in logarithms here.
"""

import math
from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np

from reviewer.agreement.rating_patterns import Floats
from reviewer.core.estimate import Estimate, Interval

SEQUENCE: Final = "confidence sequence"
NOT_BEGUN: Final = "no case is complete at the beginning of the order"


@dataclass(frozen=True, slots=True)
class ConfidenceSequence:
    """What is known of a share among ``size`` cases after ``seen`` of them, of which ``passed`` pass."""

    size: int
    seen: int
    passed: int
    level: float = 0.95

    def __post_init__(self) -> None:
        if not 0 <= self.passed <= self.seen <= self.size:
            raise ValueError("a sequence has seen at most all cases, and at most these pass")

    @property
    def ends(self) -> tuple[float, float]:
        """The lowest and the highest share that is not ruled out."""
        possible = np.flatnonzero(_log_ratio(self.size, self.seen, self.passed) < -math.log1p(-self.level))
        return float(possible[0] / self.size), float(possible[-1] / self.size)

    @property
    def estimate(self) -> Estimate:
        """The share of the seen cases that pass, with the ends."""
        if not self.seen:
            return Estimate.undefined(NOT_BEGUN, 0)
        return Estimate(
            self.passed / self.seen, self.seen, interval=Interval(*self.ends, self.level, SEQUENCE)
        )

    def is_above(self, share: float) -> bool:
        """Whether it may be claimed that more than this share of all cases pass."""
        return self.ends[0] > share


def _log_ratio(size: int, seen: int, passed: int) -> Floats:
    """Length N + 1: log of prior over posterior of each number of passing cases; inf where impossible.

    The likelihood of s passing cases among t of N, of which K pass, is hypergeometric. With the uniform prior
    the marginal likelihood of s is 1/(t + 1), so that prior/posterior = 1 / ((t + 1) hypergeometric(s)).
    """
    logs = _log_factorials(size)
    every = np.arange(size + 1)
    rest = every - passed
    able = (rest >= 0) & (rest <= size - seen)
    passing, others = every[able], size - every[able]
    failed = seen - passed
    log_likelihood = (
        logs[passing]
        - logs[passed]
        - logs[passing - passed]
        + logs[others]
        - logs[failed]
        - logs[others - failed]
        - (logs[size] - logs[seen] - logs[size - seen])
    )
    ratio = np.full(size + 1, np.inf)
    ratio[able] = -math.log(seen + 1) - log_likelihood
    return ratio


@cache
def _log_factorials(most: int) -> Floats:
    """log n! for n = 0 … most."""
    return np.concatenate(([0.0], np.cumsum(np.log(np.arange(1, most + 1)))))


def fewest_passing(size: int, most_seen: int, share: float, level: float = 0.95) -> list[int | None]:
    """For t = 1 … ``most_seen``: how many of t cases must pass so that more than ``share`` may be claimed.

    None where not even all of them are enough.
    """
    fewest: list[int | None] = []
    failures = 0  # how many cases may fail never falls by more than a few as t grows
    for seen in range(1, most_seen + 1):
        failures += 1
        while failures >= 0 and not _may_claim(size, seen, seen - failures, share, level):
            failures -= 1
        fewest.append(None if failures < 0 else seen - failures)
        failures = max(failures, 0)
    return fewest


def _may_claim(size: int, seen: int, passed: int, share: float, level: float) -> bool:
    return passed >= 0 and ConfidenceSequence(size, seen, passed, level).is_above(share)
