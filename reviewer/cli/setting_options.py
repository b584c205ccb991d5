"""``--set`` and ``--settings`` of commands, and the list of settings in their help."""

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from reviewer.cli.options import protocols_here
from reviewer.core.errors import InputError, RequestError
from reviewer.core.sanitize import one_line
from reviewer.core.source_text import read_toml, toml_content
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
    """Adds both options, and hands what they say to the command, unchecked, as ``settings``."""

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
        return command(settings=_settings(file, assignments), **others)

    return given


def _settings(file: Path | None, assignments: tuple[str, ...]) -> dict[str, JsonValue]:
    """What the file and then the command line set, unchecked."""
    said = _from_file(file) if file else {}
    for assignment in assignments:
        name, equals, value = assignment.partition("=")
        if not equals:
            raise RequestError(f"--set {one_line(assignment)!r} sets nothing; say NAME=VALUE.")
        said[name.strip()] = _value(value.strip())
    return said


def _from_file(file: Path) -> dict[str, JsonValue]:
    where = f"settings {one_line(str(file), 120)!r}"
    return read_toml(file, where, "give another file")


def _value(text: str) -> JsonValue:
    """A value as TOML has it; what is none is a text."""
    try:
        return toml_content(f"value = {text}", "")["value"]
    except InputError:
        return text
