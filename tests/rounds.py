"""Tests that repeat or vary something: a few of its rounds run with every suite, the others are slow."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

import pytest
from _pytest.mark import ParameterSet

Test = TypeVar("Test", bound=Callable[..., Any])


def rounds(usual: int, slow: Iterable[int]) -> list[int | ParameterSet]:
    """Parameters of a test: one that runs always, and those that ``make slow`` runs."""
    return [usual, *(pytest.param(number, marks=pytest.mark.slow) for number in slow)]


def some_always(parameters: Sequence[object], every: int) -> list[object]:
    """Parameters of a test of something rare: each of these places runs always, the others are slow."""
    return [
        parameter if not place % every else pytest.param(parameter, marks=pytest.mark.slow)
        for place, parameter in enumerate(parameters)
    ]


def mostly_slow(every: int) -> Callable[[Test], Test]:
    """Stands above a ``parametrize`` whose values are variations of one behaviour.

    One value in ``every`` runs always, the first among them; the others are slow.
    """

    # Pytest keeps marks in an attribute that the type of a function does not have.
    def mark(test: Test) -> Test:
        *others, parametrize = test.pytestmark  # type: ignore[attr-defined]
        names, values, *more = parametrize.args
        is_one = isinstance(names, str) and "," not in names
        sets = [ParameterSet.extract_from(value, force_tuple=is_one) for value in values]
        chosen = [
            each if not place % every else each._replace(marks=(*each.marks, pytest.mark.slow))
            for place, each in enumerate(sets)
        ]
        test.pytestmark = [  # type: ignore[attr-defined]
            *others,
            pytest.mark.parametrize(names, chosen, *more, **parametrize.kwargs).mark,
        ]
        return test

    return mark
