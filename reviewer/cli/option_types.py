"""What every option and argument may hold, whatever command it belongs to.

Click's own types take nan for a number in any range, whole numbers that no database can hold, and text that
no file can. The types here refuse those with a sentence; ``strict`` puts them into a command.
"""

import errno
import math
from typing import Any

import click

from reviewer.options.option import NONE

_MOST = 2**63 - 1
_OF_PATHS = (
    *("exists", "file_okay", "dir_okay", "writable", "readable", "resolve_path", "allow_dash", "executable"),
)


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


class _Path(click.Path):
    """A path that the system can have at all; whether it may be reached is another question."""

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
        return super().convert(value, param, ctx)


class PathOf(_Path):
    """A path as an object; pathlib loads only where one is given."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path; fails for one that is too long."""
        from pathlib import Path

        return Path(super().convert(value, param, ctx))


class OrNone(click.ParamType[Any]):
    """What another type takes, or the word NONE, which says that there shall be nothing."""

    def __init__(self, other: click.ParamType[Any]) -> None:
        self._other = strict_type(other)
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


def strict(command: click.Command) -> click.Command:
    """The command, and all below it, with the types of this module in place of Click's own."""
    for parameter in command.params:
        parameter.type = strict_type(parameter.type)
    if isinstance(command, click.Group):
        for below in command.commands.values():
            strict(below)
    return command


def strict_type(kind: click.ParamType[Any]) -> click.ParamType[Any]:
    """The type of this module in place of Click's own."""
    # Compared by class, not by kind: a type of a command's own stays what it is.
    if type(kind) is click.types.StringParamType:
        return _Text()
    if type(kind) is click.types.IntParamType:
        return _Whole()
    if type(kind) is click.types.FloatParamType:
        return _Finite()
    if type(kind) is click.IntRange:
        return _WholeRange(kind.min, kind.max, kind.min_open, kind.max_open, kind.clamp)
    if type(kind) is click.FloatRange:
        return _FiniteRange(kind.min, kind.max, kind.min_open, kind.max_open, kind.clamp)
    if type(kind) is click.Path:
        return _Path(path_type=kind.type, **{name: getattr(kind, name) for name in _OF_PATHS})
    return kind
