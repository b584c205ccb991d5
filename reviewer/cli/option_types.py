"""What every option and argument may hold, whatever command it belongs to.

Click's own types take nan for a number in any range, whole numbers that no database can hold, and text that
no file can. The types here refuse those with a sentence.
"""

import errno
import math
import os
from collections.abc import Callable
from typing import Any

import click

from reviewer.options.option import NONE

_MOST = 2**63 - 1


class _Text(click.types.StringParamType):
    """Text that can be stored and printed."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The text; fails where it has a NUL or half of a character."""
        from reviewer.core.sanitize import strange_character

        text = super().convert(value, param, ctx)
        if isinstance(text, str) and (strange := strange_character(text)):
            self.fail(f"text cannot hold {strange}; write it again.", param, ctx)
        return text


class _Whole(click.types.IntParamType):
    """A whole number of at most 64 bits."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The number; fails for one that is too large."""
        return _bounded(self, super().convert(value, param, ctx), param, ctx)


class _WholeRange(click.IntRange):
    """A whole number of at most 64 bits in a range."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The number; fails for one that is too large."""
        return _bounded(self, super().convert(value, param, ctx), param, ctx)


class _Finite(click.types.FloatParamType):
    """A number that is neither nan nor infinite."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The number; fails for nan and infinity."""
        return _finite(self, super().convert(value, param, ctx), param, ctx)


class _FiniteRange(click.FloatRange):
    """A number in a range, which nan is not."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The number; fails for nan and infinity."""
        return _finite(self, super().convert(value, param, ctx), param, ctx)


class PathOf(click.Path):
    """A path that the system can have at all; whether it may be reached is another question.

    It becomes an object, for which pathlib loads only where one is given.
    """

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path; fails for one that is too long."""
        from pathlib import Path

        from reviewer.core.sanitize import one_line

        try:
            Path(value).exists()
        except OSError as error:
            if error.errno == errno.ENAMETOOLONG:
                self.fail(
                    f"'{one_line(str(value), 60)}' cannot be a path here ({error.strerror}).", param, ctx
                )
        return Path(os.fsdecode(super().convert(value, param, ctx)))


class OrNone(click.ParamType[Any]):
    """What another type takes, or the word NONE, which says that there shall be nothing."""

    def __init__(self, other: click.ParamType[Any]) -> None:
        self._other = other
        self.name = f"{other.name} or {NONE}"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The word NONE, or the other type's value; fails where that fails."""
        return value if value == NONE else self._other.convert(value, param, ctx)


def _bounded(kind: click.ParamType[Any], number: Any, param: Any, ctx: Any) -> Any:
    if not -_MOST <= number <= _MOST:
        kind.fail("the number is too large; give one of at most 18 digits.", param, ctx)
    return number


def _finite(kind: click.ParamType[Any], number: Any, param: Any, ctx: Any) -> Any:
    if not math.isfinite(number):
        kind.fail(f"{number} is not a finite number; give one that is.", param, ctx)
    return number


PLAIN_TYPES: dict[type, click.ParamType[Any]] = {str: _Text(), int: _Whole(), float: _Finite()}
RANGES: dict[type, Callable[..., click.ParamType[Any]]] = {int: _WholeRange, float: _FiniteRange}
