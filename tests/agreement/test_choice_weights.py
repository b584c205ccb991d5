"""Weights of criteria by which a side is chosen: against a general optimiser, and at the ends."""

import numpy as np
import pytest
from scipy.optimize import minimize

from reviewer.agreement.choice_weights import RIDGE, choice_accuracy, choice_weights, held_out_accuracy


def test_weights_are_those_of_a_general_optimiser() -> None:
    chance = np.random.default_rng(1)
    x = chance.normal(0, 2, (80, 3))
    y = (x @ [0.5, -0.3, 0.0] + chance.logistic(0, 1, 80) > 0).astype(np.float64)
    loss = lambda w: np.logaddexp(0, -(2 * y - 1) * (x @ w)).sum() + RIDGE / 2 * w @ w  # noqa: E731
    best = minimize(loss, np.zeros(3), tol=1e-12).x
    assert choice_weights(x, y) == pytest.approx(best / np.abs(best).sum(), abs=1e-4)


def test_criterion_that_always_decides_keeps_finite_weights() -> None:
    y = np.tile([1.0, 0.0], 500)
    x = np.column_stack([10 * (2 * y - 1), np.zeros(1000)])
    assert choice_weights(x, y) == pytest.approx([1, 0])
    assert held_out_accuracy(x, y, np.arange(1000) % 5) == 1


def test_without_signal_all_weights_are_equal_and_ties_are_half_right() -> None:
    x, y = np.zeros((4, 2)), np.array([1.0, 0.0, 1.0, 1.0])
    assert choice_weights(x, y).tolist() == [0.5, 0.5]
    assert choice_accuracy(x.sum(axis=1), y) == 0.5


def test_texts_of_one_fold_do_not_teach_the_weights_that_decide_on_them() -> None:
    """In each fold another criterion is right, and in the other fold it is wrong."""
    y = np.array([1.0, 0.0] * 20)
    signs = np.where(np.arange(40) < 20, 1, -1)
    x = ((2 * y - 1) * signs)[:, np.newaxis]
    assert held_out_accuracy(x, y, (np.arange(40) >= 20).astype(np.int64)) == 0
