"""Tests that repeat something rare: a round or two of it runs with every suite, the others are slow."""

from collections.abc import Iterable, Sequence

import pytest
from _pytest.mark import ParameterSet


def rounds(usual: int, slow: Iterable[int]) -> list[int | ParameterSet]:
    """Parameters of a test: one that runs always, and those that ``make slow`` runs."""
    return [usual, *(pytest.param(number, marks=pytest.mark.slow) for number in slow)]


def some_always(parameters: Sequence[object], every: int) -> list[object]:
    """Parameters of a test of something rare: each of these places runs always, the others are slow."""
    return [
        parameter if not place % every else pytest.param(parameter, marks=pytest.mark.slow)
        for place, parameter in enumerate(parameters)
    ]
