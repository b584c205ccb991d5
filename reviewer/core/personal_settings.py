"""The personal settings for all studies: the theme, the keys, and the idle time."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from reviewer.core.errors import InputError
from reviewer.core.names import closest
from reviewer.core.sanitize import one_line
from reviewer.core.source_text import MOST_BYTES_OF_SETTINGS, read_source_text, toml_content, unreadable
from reviewer.core.whole_files import made_folder, write_private

DEFAULT_THEME = "reviewer-dark"
_VARIABLE = "REVIEWER_SETTINGS"
_OTHER_FILE = "name another with REVIEWER_SETTINGS"


class Settings(BaseModel):
    """The content of the settings file. The app checks whether themes and keys exist (``tui``)."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    theme: str = Field(DEFAULT_THEME, description="name of a theme; the command palette shows them")
    name: str = Field("", description="your name in studies; empty: your login name")
    idle_seconds: int = Field(
        60,
        ge=5,
        le=3_600,
        description="seconds without a key, click or scroll that still count as work; long texts give more",
    )
    pace: bool = Field(True, description="show how many minutes are left at your pace")
    keys: dict[str, str] = Field(
        default_factory=dict, description='other keys for actions: review.skip = "k" (several: "k,ctrl+k")'
    )


def settings_path() -> Path:
    """``$REVIEWER_SETTINGS``, else ``settings.toml`` in the platform's folder for configuration."""
    if named := os.environ.get(_VARIABLE):
        try:
            return Path(named).expanduser()
        except RuntimeError as error:
            raise InputError(
                where(Path(named)), "names a home folder that does not exist", _OTHER_FILE
            ) from error
    from platformdirs import user_config_path

    return user_config_path("dilemma-reviewer", appauthor=False) / "settings.toml"


def load_settings(path: Path) -> Settings:
    """The settings in a file, or the defaults if there is none; raises InputError naming the field."""
    text = _text(path)
    return _parsed(path, text) if text else Settings()


def _text(path: Path) -> str:
    """The file's text, empty if there is no file; the null device means no settings too."""
    try:
        if not path.exists() or path.samefile(os.devnull):
            return ""
    except OSError as error:
        raise unreadable(where(path), error) from error
    return read_source_text(path, where(path), MOST_BYTES_OF_SETTINGS, _OTHER_FILE)


def where(path: Path, field: str = "") -> str:
    """The file and field for error messages."""
    return f"settings file {one_line(str(path), 120)!r}" + (f", {field}" if field else "")


def remember(path: Path, name: str, value: str | bool) -> None:
    """Set one plain setting in the file and keep its comments and its order; raises InputError."""
    path = path.resolve()  # so that a symbolic link stays, and the file that it points to changes
    if path.exists() and not path.is_file():
        raise InputError(where(path), "is not a regular file", _OTHER_FILE)
    before = _text(path)
    expected = _parsed(path, before).model_copy(update={name: value})
    after = _changed(path, before, name, value)
    if _parsed(path, after) != expected:
        raise InputError(where(path, name), "cannot be changed in place", "set it by hand")
    try:
        with made_folder(path.parent):
            write_private(path, after.encode())
    except OSError as error:
        raise InputError(
            where(path), f"cannot be written ({error.strerror})", "make it writable, or name another"
        ) from error


def _parsed(path: Path, text: str) -> Settings:
    content = toml_content(text, where(path))
    if isinstance(content.get("keys"), dict):
        content["keys"] = _flat(content["keys"])
    try:
        return Settings.model_validate(content)
    except ValidationError as error:
        raise _explained(path, error) from error


def _flat(table: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """The table with nested keys joined: TOML reads ``review.skip`` as nested tables, here it is one name."""
    flat: dict[str, Any] = {}
    for name, value in table.items():
        flat |= _flat(value, f"{prefix}{name}.") if isinstance(value, dict) else {prefix + name: value}
    return flat


def _explained(path: Path, error: ValidationError) -> InputError:
    first = error.errors()[0]
    field = ".".join(map(str, first["loc"]))
    if first["type"] == "extra_forbidden":
        remedy = closest(field, Settings.model_fields, "the settings are")
        return InputError(where(path, field), "is not a setting", remedy)
    wrong = first["msg"].replace("Input should be", "should be", 1)
    return InputError(where(path, field), wrong, "see `reviewer settings`")


def _changed(path: Path, text: str, name: str, value: str | bool) -> str:
    """The text with a top-level setting changed, its comments and order kept; raises InputError."""
    import tomlkit  # loads where a setting is written, not at the start of the app
    from tomlkit.exceptions import TOMLKitError

    try:
        document = tomlkit.parse(text)
        document[name] = value
        return tomlkit.dumps(document)
    except TOMLKitError as error:
        raise InputError(where(path, name), "cannot be changed in place", "set it by hand") from error
