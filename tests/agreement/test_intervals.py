"""The ends of percentile intervals against those of numpy, to the last digit."""

import numpy as np
import pytest

from reviewer.agreement.intervals import percentile_ends

CHANCE = np.random.default_rng(5)


@pytest.mark.parametrize("size", [2, 3, 7, 40, 41, 999, 10_000])
@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_ends_of_resampled_values_are_those_of_numpy(size: int, kind: type[np.floating]) -> None:
    for level in (0.5, 0.8, 0.9, 0.95, 0.99, 0.999):
        many = CHANCE.normal(size=size), CHANCE.integers(-3, 4, size) / 7, np.full(size, 0.1)
        for values in (each.astype(kind) for each in many):
            low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2])
            assert percentile_ends(values, level) == (float(low), float(high))


def test_values_stay_in_their_order() -> None:
    values = np.array([3.0, 1.0, 2.0])
    assert percentile_ends(values, 0.5) == (1.5, 2.5)
    assert values.tolist() == [3, 1, 2]
