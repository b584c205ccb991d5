"""The click commands and groups of the classes of options: parameters, help, and the call of a function.

The class has everything that a help page shows. The file of the command is loaded when the command runs.
"""

import errno
import importlib
import math
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Any, Literal, Union, get_args, get_origin

import click

from reviewer.cli.store_access import inherited_store, name_store, prepared_location
from reviewer.options.option import (
    NONE,
    CommandGroup,
    CommandOptions,
    FilePath,
    NoneWord,
    Option,
    entries,
    parts_of,
)

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

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


class _Bounded(click.ParamType[Any]):
    """A whole number of at most 64 bits."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The number; fails for one that is too large."""
        number = super().convert(value, param, ctx)
        if not -_MOST <= number <= _MOST:
            self.fail("the number is too large; give one of at most 18 digits.", param, ctx)
        return number


class _Whole(_Bounded, click.types.IntParamType):
    """Any such number."""


class _WholeRange(_Bounded, click.IntRange):
    """Such a number in a range."""


class _Finite(click.ParamType[Any]):
    """A number that is neither nan nor infinite."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The number; fails for nan and infinity."""
        number = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{number} is not a finite number; give one that is.", param, ctx)
        return number


class _Number(_Finite, click.types.FloatParamType):
    """Any such number."""


class _NumberRange(_Finite, click.FloatRange):
    """Such a number in a range."""


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


PLAIN_TYPES: dict[type, click.ParamType[Any]] = {str: _Text(), int: _Whole(), float: _Number()}
RANGES: dict[type, Callable[..., click.ParamType[Any]]] = {int: _WholeRange, float: _NumberRange}


class DeclaredCommand(click.Command):
    """A command whose options a class declares, and which calls the function of its name with them."""

    def __init__(self, words: tuple[str, ...], options: type[CommandOptions], **more: Any) -> None:
        """``words`` call the command, behind the name of the program."""
        self.words, self.options = words, options
        self._sections = sections = {kind.title: [*parameters_of(kind)] for kind in parts_of(options)}
        super().__init__(
            words[-1] if words else None,
            callback=self._call,
            params=[parameter for part in sections.values() for parameter in part],
            help=options.__doc__,
            epilog=f"Example: {options.example}" if options.example else None,
            **more,
        )

    def function(self) -> Callable[[Any], Any]:
        """The command's function, whose module loads now.

        ``reviewer study new`` is ``study_new_command``, in ``cli/study_new.py`` or else in ``cli/study.py``,
        as its options are in ``options/study.py``.
        """
        own = f"reviewer.cli.{'_'.join(self.words)}"
        try:
            module = importlib.import_module(own)
        except ModuleNotFoundError as error:
            if error.name != own:
                raise
            module = importlib.import_module(self.options.__module__.replace(".options.", ".cli."))
        loaded: Callable[[Any], Any] = getattr(module, "_".join((*self.words, "command")))
        return loaded

    def _call(self, **given: Any) -> Any:
        return self.function()(_object_of(self.options, given))

    def sections(self, ctx: click.Context) -> Iterator[tuple[str, list[click.Parameter]]]:
        """The parameters as a help page shows them: the command's own, then those of each class within."""
        within = {title: parameters for title, parameters in self._sections.items() if title}
        others = [parameter for parameters in within.values() for parameter in parameters]
        yield "Options", [parameter for parameter in self.get_params(ctx) if parameter not in others]
        yield from within.items()

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, those of each class within below a head of their own."""
        for title, parameters in self.sections(ctx):
            options = [parameter for parameter in parameters if isinstance(parameter, click.Option)]
            if records := [*filter(None, (option.get_help_record(ctx) for option in options))]:
                with formatter.section(title):
                    formatter.write_dl(records)


class DeclaredGroup(DeclaredCommand, click.Group):
    """A group, whose commands are declared by the other classes of its module; none of their files loads."""

    def __init__(self, words: tuple[str, ...], options: type[CommandGroup], **more: Any) -> None:
        super().__init__(words, options, invoke_without_command=options.alone, **more)

    def options_below(self) -> Mapping[str, type[CommandOptions]]:
        """The commands in the order of their classes: ``StudyNewOptions`` are those of ``study new``.

        A group within the group has a module of its own, from which its class is imported.
        """
        group, suffixes = self.options.__name__.removesuffix("Commands"), ("Options", "Commands")
        return {
            name.removeprefix(group).removesuffix("Options").removesuffix("Commands").lower(): options
            for name, options in vars(sys.modules[self.options.__module__]).items()
            if name.startswith(group) and name.endswith(suffixes) and options is not self.options
        }

    def _call(self, **given: Any) -> Any:
        context = click.get_current_context()
        if "store" in given:
            name_store(context, given["store"])
        return super()._call(**given) if context.invoked_subcommand is None else None

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of the commands."""
        return [*self.options_below()]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of a name."""
        options = self.options_below().get(cmd_name)
        return None if options is None else declared((*self.words, cmd_name), options)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that the first word names; a word that names none gets the most similar commands."""
        name, below = args[0], self.list_commands(ctx)
        if name in below or name.startswith("-"):
            return super().resolve_command(ctx, args)
        from difflib import get_close_matches

        close = " or ".join(get_close_matches(name, below, 3))
        known = f"did you mean {close}" if close else f"its commands are {', '.join(below)}"
        raise click.UsageError(f"{ctx.command_path} has no command {name!r}; {known}", ctx)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, then the commands."""
        super().format_options(ctx, formatter)
        self.format_commands(ctx, formatter)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands, each with its first sentence."""
        with formatter.section("Commands"):
            formatter.write_dl([*self._lines().items()])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> "list[CompletionItem]":
        """The commands and options that begin so."""
        from click.shell_completion import CompletionItem

        lines = {name: line for name, line in self._lines().items() if name.startswith(incomplete)}
        items = [CompletionItem(name, help=line) for name, line in lines.items()]
        return [*items, *click.Command.shell_complete(self, ctx, incomplete)]

    def _lines(self) -> dict[str, str]:
        return {name: _first_sentence(options) for name, options in self.options_below().items()}


def _first_sentence(options: type[CommandOptions]) -> str:
    words = (options.__doc__ or "").partition("\n\n")[0].split()
    end = next((number for number, word in enumerate(words, 1) if word.endswith(".")), len(words))
    return " ".join(words[:end])


def declared(words: tuple[str, ...], options: type[CommandOptions]) -> DeclaredCommand:
    """The command or group that a class declares."""
    if issubclass(options, CommandGroup):
        return DeclaredGroup(words, options)
    return DeclaredCommand(words, options)


def parameters_of(options: type[CommandOptions]) -> Iterator[click.Parameter]:
    """An option or an argument for each field of the class; not those of classes within."""
    for name, kind, option in entries(options):
        if option is None:
            continue
        alternatives = get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)
        if option.flags:
            yield from _flags(name, option)
        elif option.is_argument:
            yield _argument(name, alternatives, option)
        else:
            yield _option(name, alternatives, option)


def _object_of(options: type[CommandOptions], given: Mapping[str, Any]) -> Any:
    return options(
        **{
            name: _object_of(kind, given) if option is None else given[name]
            for name, kind, option in entries(options)
        }
    )


def _argument(name: str, alternatives: tuple[Any, ...], option: Option) -> click.Argument:
    is_list = get_origin(alternatives[0]) is tuple
    needed = option.required or not (is_list or NoneType in alternatives)
    return click.Argument(
        [name],
        type=_type_of(alternatives, option),
        metavar=option.metavar or None,
        envvar=option.env,
        nargs=-1 if is_list else 1,
        required=needed and option.default is None,
        **_default(None if is_list else option.default),
    )


def _option(name: str, alternatives: tuple[Any, ...], option: Option) -> click.Option:
    is_store = name == "store"
    return click.Option(
        [name, *(option.names or (f"--{name.replace('_', '-')}",))],
        type=None if bool in alternatives else _type_of(alternatives, option),
        is_flag=bool in alternatives or None,  # click takes a plain False for a value that may be left out
        multiple=option.multiple,
        show_default=option.show_default,
        required=option.required,
        hidden=option.hidden,
        help=option.words,
        metavar=option.metavar,
        envvar=option.env,
        callback=prepared_location if is_store else option.parse and partial(_parsed, option.parse),
        **_default(inherited_store if is_store else option.default),
    )


def _default(value: Any) -> dict[str, Any]:
    """The default as click takes it: a None that it is given is a value, and nothing is missing then."""
    return {} if value is None else {"default": value}


def _flags(name: str, option: Option) -> Iterator[click.Option]:
    for value, words in option.flags.items():
        usual = {"default": True} if value == option.default else {}  # None would be a default of its own
        yield click.Option([name, f"--{value.replace('_', '-')}"], flag_value=value, help=words, **usual)


def _type_of(alternatives: tuple[Any, ...], option: Option) -> click.ParamType[Any]:
    kind = alternatives[0]
    if get_origin(kind) is tuple:
        kind = str if option.parse else get_args(kind)[0]
    if get_origin(kind) is Literal:
        return click.Choice(get_args(kind))
    if kind is FilePath:
        return PathOf(dir_okay=not option.is_file)
    plain = PLAIN_TYPES[kind]
    if option.within:
        plain = RANGES[kind](*option.within, min_open=option.above)
    return OrNone(plain) if NoneWord in alternatives else plain


def _parsed(
    parse: Callable[[Any], Any], context: click.Context, parameter: click.Parameter, value: Any
) -> Any:
    """The value as the field holds it; what is wrong with it is told as click tells it."""
    try:
        return None if value is None else parse(value)
    except ValueError as error:
        raise click.BadParameter(str(error), context, parameter) from error
