"""The arcsine approximation against published values and its own inverse."""

import math
from statistics import NormalDist

import pytest

from reviewer.agreement import detectable_rate


@pytest.mark.parametrize(("rate", "n"), [(0.9, 40), (1.0, 16), (0.5, 393)])
def test_the_power_at_the_rate_is_what_was_asked_for(rate: float, n: int) -> None:
    below = detectable_rate(rate, n, n)
    assert below is not None
    h = 2 * math.asin(math.sqrt(rate)) - 2 * math.asin(math.sqrt(below))
    power = NormalDist().cdf(h / math.sqrt(2 / n) - NormalDist().inv_cdf(0.975))
    assert power == pytest.approx(0.8)


def test_cohens_table() -> None:
    # Cohen (1988), table 6.4.1: h = .20 with a power of .80 at .05, two-sided, takes 392 of each.
    below = detectable_rate(0.5, 392, 392)
    assert below is not None
    assert 2 * math.asin(math.sqrt(0.5)) - 2 * math.asin(math.sqrt(below)) == pytest.approx(0.2, abs=1e-3)


def test_what_cannot_be_told_from_anything() -> None:
    assert detectable_rate(0.1, 4, 4) is None
    with pytest.raises(ValueError, match="two samples"):
        detectable_rate(0.5, 0, 4)
