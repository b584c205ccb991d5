"""The click command of a class of options: its parameters, its help, and the call of the command's function.

The class has everything that a help page shows. The file of the command is loaded when the command runs.
"""

import importlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from functools import partial
from types import NoneType, UnionType
from typing import Any, Literal, Union, cast, get_args, get_origin

import click

from reviewer.cli.option_types import PLAIN_TYPES, RANGES, OrNone, PathOf
from reviewer.cli.options import inherited_store, prepared_location
from reviewer.options.option import FilePath, NoneWord, Option, OptionField, entries


class DeclaredCommand(click.Command):
    """A command whose options a class declares, and which calls a function of a module with them."""

    def __init__(self, name: str, options: type, module: str, function: str) -> None:
        self._options, self._place = options, (module, function)
        example = getattr(options, "example", None)
        super().__init__(
            name,
            callback=self._call,
            params=list(parameters_of(options)),
            help=options.__doc__,
            epilog=example and f"Example: {example}",
        )

    def function(self) -> Callable[[Any], Any]:
        """The command's function, whose module loads now."""
        module, function = self._place
        loaded: Callable[[Any], Any] = getattr(importlib.import_module(module), function)
        return loaded

    def _call(self, **given: Any) -> Any:
        return self.function()(_object_of(self._options, given))


def parameters_of(options: type) -> Iterator[click.Parameter]:
    """An option or an argument for each entry of the class and of the classes within."""
    for entry in entries(options):
        if is_dataclass(entry.type):
            yield from parameters_of(cast(type, entry.type))
        elif entry.option.flags:
            yield from _flags(entry)
        elif entry.option.is_argument:
            yield _argument(entry)
        else:
            yield _option(entry)


def _object_of(options: type, given: Mapping[str, Any]) -> Any:
    own = {entry.name: entry for entry in entries(options)}
    return options(
        **{
            field.name: _object_of(own[field.name].type, given)
            if is_dataclass(own[field.name].type)
            else given[field.name]
            for field in fields(options)
        }
    )


def _argument(entry: OptionField) -> click.Argument:
    alternatives, option = _alternatives(entry.type), entry.option
    is_list = get_origin(alternatives[0]) is tuple
    needed = option.required or not (is_list or NoneType in alternatives)
    return click.Argument(
        [entry.name],
        type=_type_of(alternatives, option),
        metavar=option.metavar or None,
        envvar=option.env,
        nargs=-1 if is_list else 1,
        required=needed and entry.default is None,
        **_default(None if is_list else entry.default),
    )


def _option(entry: OptionField) -> click.Option:
    alternatives, option = _alternatives(entry.type), entry.option
    is_store = entry.name == "store"
    return click.Option(
        [entry.name, *(option.names or (f"--{entry.name.replace('_', '-')}",))],
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
        **_default(inherited_store if is_store else entry.default),
    )


def _default(value: Any) -> dict[str, Any]:
    """The default as click takes it: a None that it is given is a value, and nothing is missing then."""
    return {} if value is None else {"default": value}


def _flags(entry: OptionField) -> Iterator[click.Option]:
    for value, words in entry.option.flags.items():
        usual = {"default": True} if value == entry.default else {}  # None would be a default of its own
        yield click.Option(
            [entry.name, f"--{value.replace('_', '-')}"], flag_value=value, help=words, **usual
        )


def _alternatives(annotation: Any) -> tuple[Any, ...]:
    return get_args(annotation) if get_origin(annotation) in (Union, UnionType) else (annotation,)


def _type_of(alternatives: tuple[Any, ...], option: Option) -> click.ParamType[Any]:
    kind = alternatives[0]
    if get_origin(kind) is tuple:
        kind = str if option.parse else get_args(kind)[0]
    if choices := option.choices or (get_args(kind) if get_origin(kind) is Literal else ()):
        return click.Choice(choices)
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
