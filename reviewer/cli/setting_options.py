"""``--set`` and ``--settings`` of commands, and the list of settings in their help."""

from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from reviewer.cli.options import protocols_here
from reviewer.core.errors import InputError, RequestError
from reviewer.core.sanitize import one_line
from reviewer.core.source_text import NO_SOURCE, read_settings, toml_content
from store.records import JsonValue

if TYPE_CHECKING:
    from pydantic import BaseModel

    from reviewer.protocols.base import Protocol


class WithSettings(click.Command):
    """A command whose help lists its settings, looked up only when somebody asks for help."""

    @staticmethod
    def settings_of(protocol: "Protocol") -> "type[BaseModel] | None":
        """The settings that the command has for a protocol; None if it cannot be used with it."""
        raise NotImplementedError

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The settings, then the example."""
        listed = [(protocol, self.settings_of(protocol)) for protocol in protocols_here().values()]
        able = [(protocol, settings) for protocol, settings in listed if settings]
        for protocol, settings in able:
            which = f" ({protocol.title})" if len(able) > 1 else ""
            with formatter.section(f"Settings for --set and --settings{which}"):
                rows = [
                    (f"{name} = {setting.default}", setting.description or "")
                    for name, setting in settings.model_fields.items()
                ]
                formatter.write_dl(rows)
        super().format_epilog(ctx, formatter)


def setting_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds both options, and hands the command ``settings``, unchecked, and their ``source``."""

    @click.option(
        "--set",
        "assignments",
        multiple=True,
        metavar="NAME=VALUE",
        help="Change one setting; may be repeated. The end of this help lists the names.",
    )
    @click.option(
        "--settings",
        "file",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="TOML file with settings.",
    )
    @wraps(command)
    def given(*, assignments: tuple[str, ...], file: Path | None, **others: Any) -> Any:
        said, source = read_settings(file) if file else ({}, NO_SOURCE)
        assigned = _assigned(assignments)
        names = frozenset(name for name in source.names if name not in assigned)
        return command(settings=said | assigned, source=replace(source, names=names), **others)

    return given


def _assigned(assignments: tuple[str, ...]) -> dict[str, JsonValue]:
    """What the command line sets, unchecked."""
    said: dict[str, JsonValue] = {}
    for assignment in assignments:
        name, equals, value = assignment.partition("=")
        if not equals:
            raise RequestError(f"--set {one_line(assignment)!r} sets nothing; say NAME=VALUE.")
        new = _value(value.strip())
        if said.setdefault(name.strip(), new) != new:
            raise RequestError(f"--set gives {one_line(name.strip())!r} two values; leave one of them out.")
    return said


def _value(text: str) -> JsonValue:
    """A value as TOML has it; what is none is a text."""
    try:
        return toml_content(f"value = {text}", "")["value"]
    except InputError:
        return text
