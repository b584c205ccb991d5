"""The arcsine approximation against published values and its own inverse."""

import math
from statistics import NormalDist

import pytest

from reviewer.agreement.sample_sizes import detectable_rates


def power_between(one: float, other: float, n: int) -> float:
    """The power of a two-sided test at .05 of two samples of n."""
    h = abs(2 * math.asin(math.sqrt(one)) - 2 * math.asin(math.sqrt(other)))
    return NormalDist().cdf(h / math.sqrt(2 / n) - NormalDist().inv_cdf(0.975))


@pytest.mark.parametrize(("rate", "n"), [(0.9, 40), (1.0, 16), (0.5, 393)])
def test_power_at_the_lower_rate_is_what_was_asked_for(rate: float, n: int) -> None:
    below, _ = detectable_rates(rate, n, n)
    assert below is not None
    assert power_between(rate, below, n) == pytest.approx(0.8)


def test_higher_rate_can_be_told_apart_too() -> None:
    below, above = detectable_rates(0.66, 16, 16)
    assert below is not None
    assert above is not None
    assert below < 0.66 < above < 1
    assert power_between(0.66, above, 16) == pytest.approx(0.8)
    assert detectable_rates(0.9, 16, 16)[1] is None, "even 1 cannot be told from .9"


def test_cohens_table() -> None:
    # Cohen (1988), table 6.4.1: h = .20 with a power of .80 at .05, two-sided, takes 392 of each.
    below, _ = detectable_rates(0.5, 392, 392)
    assert below is not None
    assert 2 * math.asin(math.sqrt(0.5)) - 2 * math.asin(math.sqrt(below)) == pytest.approx(0.2, abs=1e-3)


def test_rates_that_cannot_be_told_from_anything() -> None:
    assert detectable_rates(0.1, 4, 4)[0] is None
    assert detectable_rates(0.5, 2, 2) == (None, None)
    with pytest.raises(ValueError, match="two samples"):
        detectable_rates(0.5, 0, 4)
