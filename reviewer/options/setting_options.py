"""``--set`` and ``--settings`` of commands whose protocols have settings."""

from typing import TYPE_CHECKING

from reviewer.core.errors import InputError, RequestError
from reviewer.options.option import CommandOptions, FilePath, option, several

if TYPE_CHECKING:
    from reviewer.core.source_text import SettingsSource
    from store.records import JsonValue


class SettingOptions(CommandOptions):
    """Settings one by one, and a file with settings."""

    title = "Settings"

    assignments: tuple[str, ...] = several(
        "Change one setting; may be repeated. `reviewer protocol show NAME` lists the names.",
        "--set",
        metavar="NAME=VALUE",
    )
    settings_file: FilePath | None = option("TOML file with settings.", "--settings", metavar="FILE")

    def read(self) -> "tuple[dict[str, JsonValue], SettingsSource]":
        """The settings, unchecked, and their source; raises InputError and RequestError."""
        from dataclasses import replace

        from reviewer.core.source_text import NO_SOURCE, read_settings

        in_file, source = read_settings(self.settings_file) if self.settings_file else ({}, NO_SOURCE)
        assigned = _assigned(self.assignments)
        names = frozenset(name for name in source.names if name not in assigned)
        return in_file | assigned, replace(source, names=names)


def _assigned(assignments: tuple[str, ...]) -> "dict[str, JsonValue]":
    """The settings of the command line, unchecked."""
    from reviewer.core.sanitize import one_line

    settings: dict[str, JsonValue] = {}
    for assignment in assignments:
        name, equals, value = assignment.partition("=")
        if not equals:
            raise RequestError(f"--set {one_line(assignment)!r} sets nothing; say NAME=VALUE.")
        new = _value(value.strip())
        if settings.setdefault(name.strip(), new) != new:
            raise RequestError(f"--set gives {one_line(name.strip())!r} two values; leave one of them out.")
    return settings


def _value(text: str) -> "JsonValue":
    """A value as TOML has it; what is none is a text."""
    from reviewer.core.source_text import toml_content

    try:
        return toml_content(f"value = {text}", "")["value"]
    except InputError:
        return text
