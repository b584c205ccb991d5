"""Tests that repeat something rare by chance: a round or two runs with every suite, the others are slow."""

from collections.abc import Iterable

import pytest
from _pytest.mark import ParameterSet


def rounds(usual: int, slow: Iterable[int]) -> list[int | ParameterSet]:
    """Parameters of a test: one that runs always, and those that ``make slow`` runs."""
    return [usual, *(pytest.param(number, marks=pytest.mark.slow) for number in slow)]
