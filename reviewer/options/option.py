"""How a class declares the options of a command, and how they are read from the class.

A field whose type is itself such a class stands for all options of that class. Fields of base classes come
after the class's own.
"""

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar, dataclass_transform

if TYPE_CHECKING:
    from pathlib import Path

    FilePath = Path
else:

    class FilePath:
        """The type of a path: a help page loads no pathlib."""


Declared = TypeVar("Declared")
NONE = "none"
NoneWord = Literal["none"]
"""The word that says that there shall be nothing."""

_OPTION = "option"


class Option(NamedTuple):
    """All that the command line and a form say about one option besides its type and default."""

    words: str
    names: tuple[str, ...] = ()
    """Default: two dashes and the name of the field."""
    metavar: str | None = None
    within: tuple[float | None, float | None] | None = None
    """The least and the greatest number."""
    above: bool = False
    """Whether the number must be greater than the least one."""
    choices: tuple[str, ...] = ()
    """Default: those of the type, if it is a Literal."""
    env: str | None = None
    parse: Callable[[Any], Any] | None = None
    """Makes the field's value of the value that was given; raises ValueError with a sentence."""
    show_default: bool | str = False
    required: bool = False
    hidden: bool = False
    multiple: bool = False
    is_file: bool = False
    """Whether a path must not be a folder."""
    is_argument: bool = False
    flags: Mapping[str, str] = {}
    """The words of each value, if an option of its own chooses it."""


_OPTIONS_WITHIN = Option("")


class OptionField(NamedTuple):
    """One option of a class: the name and type of its field, its default, and what is said about it."""

    name: str
    type: Any
    field: "dataclasses.Field[Any]"
    option: Option

    @property
    def default(self) -> Any:
        """The default, or the function that makes it; None without one."""
        for default in (self.field.default, self.field.default_factory):
            if default is not dataclasses.MISSING:
                return default
        return None


@dataclass_transform(frozen_default=True, kw_only_default=True)
def command_options(declared: type[Declared]) -> type[Declared]:
    """A frozen dataclass of options. It is neither compared nor printed, which makes it faster to create."""
    return dataclasses.dataclass(frozen=True, kw_only=True, eq=False, repr=False)(declared)


def option(words: str, *names: str, default: Any = None, **details: Any) -> Any:
    """A field for an option; a function as ``default`` is called when the value is needed."""
    kept = {_OPTION: Option(words, names, **details)}
    if callable(default):
        return dataclasses.field(default_factory=default, metadata=kept)
    return dataclasses.field(default=default, metadata=kept)


def flag(words: str, *names: str, **details: Any) -> Any:
    """A field for an option without a value."""
    return option(words, *names, default=False, **details)


def several(words: str, *names: str, **details: Any) -> Any:
    """A field for an option that may be repeated."""
    return option(words, *names, default=(), multiple=True, **details)


def one_of(flags: Mapping[str, str], default: str | None = None) -> Any:
    """A field that has one of several values, each chosen by an option of its name; its words by value."""
    return option("", default=default, flags=flags)


def argument(metavar: str, *, default: Any = None, **details: Any) -> Any:
    """A field for an argument; it may be left out if its type is optional or a tuple, unless ``required``."""
    return option("", default=default, metavar=metavar, is_argument=True, **details)


def entries(declared: type) -> Iterator[OptionField]:
    """The options of a class by its own fields, then those of its bases; not those of classes within."""
    fields = {field.name: field for field in dataclasses.fields(declared)}
    for origin in declared.__mro__:
        for name, kind in vars(origin).get("__annotations__", {}).items():
            if field := fields.pop(name, None):
                yield OptionField(name, kind, field, field.metadata.get(_OPTION, _OPTIONS_WITHIN))
