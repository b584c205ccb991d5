"""How a class declares the options of a command, and how they are read from the class.

A field whose type is itself such a class stands for all options of that class. Fields of base classes come
after the class's own.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, Self, dataclass_transform

if TYPE_CHECKING:
    from pathlib import Path

    FilePath = Path
else:

    class FilePath:
        """The type of a path: a help page loads no pathlib."""


NONE = "none"
NoneWord = Literal["none"]
"""The word that says that there shall be nothing."""


class Option(NamedTuple):
    """All that the command line and a form say about one option besides its type."""

    words: str
    names: tuple[str, ...] = ()
    """Default: two dashes and the name of the field."""
    default: Any = None
    """The value, or a function that makes it when it is needed."""
    metavar: str | None = None
    within: tuple[float | None, float | None] | None = None
    """The least and the greatest number."""
    above: bool = False
    """Whether the number must be greater than the least one."""
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
    meanings: Mapping[str, str] = {}
    """What each value of a choice means, in a few words."""
    flags: Mapping[str, str] = {}
    """The words of each value, if an option of its own chooses it."""


class OptionField(NamedTuple):
    """A field of a class: its name and type, and its option; None if the type is a class of options."""

    name: str
    type: Any
    option: Option | None

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the option on the command line."""
        own = self.option.names if self.option else ()
        return own or (f"--{self.name.replace('_', '-')}",)


@dataclass_transform(frozen_default=True, kw_only_default=True)
class CommandOptions:
    """Options with their values. A class takes a tenth of the time to create that a dataclass takes."""

    example: ClassVar[str] = ""
    title: ClassVar[str] = ""
    """Of a class within another: the head of its options on the help page."""

    def __init__(self, **given: Any) -> None:
        for name, kind, declared in entries(type(self)):
            value = given[name] if name in given else kind() if declared is None else declared.default
            vars(self)[name] = value() if callable(value) else value

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{name} of {type(self).__name__} cannot change")

    def changed(self, **new: Any) -> Self:
        """The same options, with new values of some."""
        return type(self)(**vars(self) | new)

    def given(self, *fields: str) -> list[str]:
        """The names of these options as people write them, of those that are on or have a value."""
        return [name for name, value in self._named(fields) if _is_value(value)]

    def lacking(self, *fields: str) -> list[str]:
        """The names of these options as people write them, of those that are off or have no value."""
        return [name for name, value in self._named(fields) if not _is_value(value)]

    def _named(self, fields: Sequence[str]) -> Iterator[tuple[str, object]]:
        names = {entry.name: entry.names[0] for entry in entries(type(self))}
        return ((names[field], getattr(self, field)) for field in fields)


def _is_value(value: object) -> bool:
    """Whether something was given: a number is a value, also 0."""
    return bool(value) or (isinstance(value, int | float) and value is not False)


class CommandGroup(CommandOptions):
    """A group such as ``StudyCommands``, whose commands follow it in its module; with its own options."""

    alone: ClassVar[bool] = False
    """Whether the group does something without a command: its function gets the group's own options."""


def option(words: str, *names: str, default: Any = None, **details: Any) -> Any:
    """A field for an option; a function as ``default`` is called when the value is needed."""
    return Option(words, names, default, **details)


def flag(words: str, *names: str, **details: Any) -> Any:
    """A field for an option without a value."""
    return Option(words, names, default=False, **details)


def several(words: str, *names: str, **details: Any) -> Any:
    """A field for an option that may be repeated."""
    return Option(words, names, default=(), multiple=True, **details)


def choice(words: str, meanings: Mapping[str, str], *names: str, default: str | None = None) -> Any:
    """A field that has one of several values; ``meanings`` say in a few words what each stands for."""
    described = "; ".join(f"{value}: {meaning}" for value, meaning in meanings.items())
    shows = default is not None
    return Option(f"{words} {described}.", names, default, meanings=meanings, show_default=shows)


def one_of(flags: Mapping[str, str], default: str | None = None) -> Any:
    """A field that has one of several values, each chosen by an option of its name; its words by value."""
    return Option("", default=default, flags=flags)


def argument(metavar: str, *, default: Any = None, **details: Any) -> Any:
    """A field for an argument; it may be left out if its type is optional or a tuple, unless ``required``."""
    return Option("", default=default, metavar=metavar, is_argument=True, **details)


_FIELDS: dict[type, tuple[OptionField, ...]] = {}


def entries(declared: type[CommandOptions]) -> tuple[OptionField, ...]:
    """The fields of a class: its own, then those of its bases; not those of classes within."""
    if declared not in _FIELDS:
        fields: dict[str, OptionField] = {}
        for origin in declared.__mro__:
            for name, kind in vars(origin).get("__annotations__", {}).items():
                own = vars(origin).get(name)
                is_part = isinstance(kind, type) and issubclass(kind, CommandOptions)
                if isinstance(own, Option) or is_part:
                    fields.setdefault(name, OptionField(name, kind, own))
        _FIELDS[declared] = tuple(fields.values())
    return _FIELDS[declared]


def parts_of(declared: type[CommandOptions]) -> Iterator[type[CommandOptions]]:
    """The class itself, then the classes within."""
    yield declared
    for _, kind, own in entries(declared):
        if own is None:
            yield from parts_of(kind)
