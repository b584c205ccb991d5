"""Weights of criteria by which one of two sides is chosen: logistic regression on differences of scores.

The log odds that the first side is right are w·(x1 − x2), without a constant, so that the place of a side
does not count: Bradley, R. A. and Terry, M. E. (1952), Biometrika 39, 324-345, with covariates. A ridge of
λ/2·|w|² keeps weights finite where a criterion tells all right sides from all wrong ones; le Cessie, S. and
van Houwelingen, J. C. (1992), Applied Statistics 41, 191-201. Accuracy is that of K folds, so that no weights
decide on what they were fitted to.
"""

from typing import Final

import numpy as np

from reviewer.agreement.rating_patterns import Floats, Ints

RIDGE: Final = 1.0
_STEPS: Final = 50
_CLOSE: Final = 1e-8
_FARTHEST: Final = 500.0
"""Beyond this, the exponential of the log odds is 0 or infinite."""


def choice_weights(differences: Floats, first_is_right: Floats) -> Floats:
    """The weights of the K criteria, from N × K differences and N ones and zeros.

    Their absolute values sum to 1; without any signal all are equal.
    """
    weights = _fitted(differences, first_is_right)
    total = np.abs(weights).sum()
    return weights / total if total > _CLOSE else np.full(len(weights), 1 / len(weights))


def held_out_accuracy(differences: Floats, first_is_right: Floats, folds: Ints) -> float:
    """How often weights decide rightly that were fitted to the other folds; a tie is half right."""
    margins = np.zeros(len(first_is_right))
    for fold in np.unique(folds):
        out = folds == fold
        margins[out] = differences[out] @ _fitted(differences[~out], first_is_right[~out])
    return choice_accuracy(margins, first_is_right)


def choice_accuracy(margins: Floats, first_is_right: Floats) -> float:
    """How often the sign of the margin of the first side is right; a tie is half right, as by lot."""
    return float(np.where(margins == 0, 0.5, (margins > 0) == (first_is_right > 0)).mean())


def _fitted(x: Floats, y: Floats) -> Floats:
    """The maximum of the penalised likelihood, which is strictly concave, by Newton's method."""
    weights = np.zeros(x.shape[1])
    for _ in range(_STEPS):
        p = 1 / (1 + np.exp(-np.clip(x @ weights, -_FARTHEST, _FARTHEST)))
        slope = x.T @ (y - p) - RIDGE * weights
        curvature = (x * (p * (1 - p))[:, np.newaxis]).T @ x + RIDGE * np.eye(x.shape[1])
        step = np.linalg.solve(curvature, slope)
        weights = weights + step
        if np.abs(step).max() < _CLOSE:
            break
    return np.asarray(weights, dtype=np.float64)
