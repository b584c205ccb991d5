"""Weights between labels: how far two labels that differ still agree.

w_kl is 1 for the same label. For different ones it is 0 (identity), 1 - |k - l| / (q - 1) (linear) or
1 - (k - l)^2 / (q - 1)^2 (quadratic), where k and l are positions in the order of the q declared labels,
whatever numbers the labels are: of the labels 1, 2 and 5, neighbours are one step apart. Cohen, J. (1968),
Psychological Bulletin 70, 213-220; Gwet, K. L. (2014), Handbook of Inter-Rater Reliability (4th ed.).
Some packages have "ordinal" weights, 1 - C(|k - l| + 1, 2) / C(q, 2). They are none of these, and another
thing than the ordinal metric of Krippendorff's alpha (see ``metrics``).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

from reviewer.agreement.rating_patterns import Floats


@dataclass(frozen=True, slots=True)
class Weighting:
    """A q × q matrix of weights for every number of labels q, under its key and the words that name it.

    ``matrix`` is symmetric with ones on the diagonal and smaller numbers beside it.
    """

    key: str
    title: str
    matrix: Callable[[int], Floats]

    def applied(self, table: Floats) -> Floats:
        """sum_l w_kl x_l along the last axis of … × q; with identity weights the very same numbers."""
        if self == IDENTITY:
            return table
        q = table.shape[-1]
        return np.asarray((table.reshape(-1, q) @ self.matrix(q)).reshape(table.shape))

    def mean_row(self, q: int) -> float:
        """T / q, where T is the sum of all weights; 1 with identity weights."""
        return float(self.matrix(q).sum()) / q


def _linear(q: int) -> Floats:
    return 1 - _steps(q)


def _quadratic(q: int) -> Floats:
    return np.asarray(1 - _steps(q) ** 2)


def _steps(q: int) -> Floats:
    """q × q, the steps between two labels as a share of the most that there can be."""
    places = np.arange(q)
    return np.asarray(np.abs(places[:, None] - places) / max(q - 1, 1))


IDENTITY: Final = Weighting("identity", "identity weights", np.eye)
LINEAR: Final = Weighting("linear", "linear weights", _linear)
QUADRATIC: Final = Weighting("quadratic", "quadratic weights", _quadratic)
