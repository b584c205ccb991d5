"""Reading files that a person names: only regular files of limited size in UTF-8; TOML within bounds.

The parser of TOML takes time and memory that grow with the square of the parts of a key: 20,000 parts, which
are 40 KB, took 6.5 s and 1.6 GB. So size, depth and parts of dotted keys are bounded before it parses.
"""

import re
import stat
import tomllib
from collections.abc import Collection
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from reviewer.core.errors import InputError
from reviewer.core.sanitize import one_line

MOST_CHARACTERS_OF_TOML = 16 * 1024 * 1024
MOST_PARTS_OF_A_KEY = 16
MOST_PARTS = 250_000
"""Parts of all keys, and values, of one text. The parser needs about a kilobyte for a part."""
_DEEPEST = 64

# A text that is not closed goes to its end, as the parser reads it, so no sign is read twice.
_TEXT = r""""(?:[^"\\\n]|\\[^\n])*+"?|'[^'\n]*+'?"""
_PART = rf"(?:[A-Za-z0-9_-]++|{_TEXT})"
_TOKEN = re.compile(
    r'(?P<skipped>#[^\n]*+|"""(?:[^"\\]|\\.|"(?!""))*+"{0,5}+|' + r"'''(?:[^']|'(?!''))*+'{0,5}+)"
    rf"|(?P<key>{_PART}(?:[ \t]*+\.[ \t]*+{_PART})*+)"
    r"|(?P<open>[\[{])|(?P<close>[\]}])",
    re.DOTALL,
)


def toml_fault(text: str) -> str | None:
    """Why a TOML text is not parsed, or None."""
    if len(text) > MOST_CHARACTERS_OF_TOML:
        return f"it has {len(text):,} characters; at most {MOST_CHARACTERS_OF_TOML:,} are read"
    depth = all_parts = 0
    for token in _TOKEN.finditer(text):
        match token.lastgroup:
            case "open":
                depth, all_parts = depth + 1, all_parts + 1
            case "close":
                depth = max(0, depth - 1)
            case "key":
                parts = _parts(token[0])
                all_parts += parts
                if parts > MOST_PARTS_OF_A_KEY:
                    line = text.count("\n", 0, token.start()) + 1
                    return f"line {line} has a key of {parts:,} parts; at most {MOST_PARTS_OF_A_KEY} are read"
        if depth > _DEEPEST:
            return "it is nested too deeply"
        if all_parts > MOST_PARTS:
            return f"it has more than {MOST_PARTS:,} keys and values"
    return None


def _parts(key: str) -> int:
    return 1 if "." not in key else sum(1 for _ in re.finditer(_PART, key))


MOST_BYTES_OF_SETTINGS = 1024 * 1024


@dataclass(frozen=True, slots=True)
class SettingsSource:
    """The file that settings were read from: its name for messages, its text, and the settings in it."""

    where: str = ""
    text: str = ""
    names: Collection[str] = ()

    def place_of(self, name: str) -> str:
        """The file and the line of a setting; "" for a setting that is not in the file."""
        if name not in self.names:
            return ""
        key = re.search(rf"^\s*\[*[\"']?{re.escape(name)}\b", self.text, re.MULTILINE)
        line = self.text.count("\n", 0, key.end()) + 1 if key else 0
        return f"{self.where}, line {line}" if line else self.where


NO_SOURCE = SettingsSource()


def read_source_text(path: Path, where: str, most_bytes: int, remedy: str) -> str:
    """The file's text without a byte order mark; raises InputError with ``where`` as the place."""
    check_regular(path, where, remedy, most_bytes)
    try:
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(where, f"is not UTF-8 text (byte {error.start:,})", "save it as UTF-8") from None
    except (OSError, ValueError) as error:
        raise unreadable(where, error) from error


def check_regular(path: Path, where: str, remedy: str, most_bytes: int | None = None) -> None:
    """Raise InputError unless it is a regular file, with ``remedy``, and for a file of too many bytes."""
    try:
        status = path.stat()
    except (OSError, ValueError) as error:
        raise unreadable(where, error) from error
    if not stat.S_ISREG(status.st_mode):
        raise InputError(where, "is not a regular file", remedy)
    if most_bytes is not None and status.st_size > most_bytes:
        wrong = f"has {status.st_size:,} bytes; at most {most_bytes:,} are read"
        raise InputError(where, wrong, "split it, or check that it is the right file")


def read_toml(path: Path, where: str, remedy: str) -> dict[str, Any]:
    """The content of a TOML file; raises InputError, with ``remedy`` for a path that cannot be read."""
    text = read_source_text(path, where, MOST_BYTES_OF_SETTINGS, remedy)
    return toml_content(text, where)


def shipped_toml(package: str, name: str) -> dict[str, Any]:
    """The content of a TOML file that is part of a package, for modules that open no files themselves."""
    return tomllib.loads((files(package) / name).read_text(encoding="utf-8"))


def read_settings(path: Path) -> tuple[dict[str, Any], SettingsSource]:
    """The settings of a TOML file, unchecked, and where they stand; raises InputError."""
    where = f"settings {one_line(str(path), 120)!r}"
    if path.suffix.casefold() == ".xml" or path.is_dir():
        remedy = "convert templates with `reviewer templates convert` and give what it prints"
        raise InputError(where, "is not a TOML file", remedy)
    text = read_source_text(path, where, MOST_BYTES_OF_SETTINGS, "give another file")
    values = toml_content(text, where)
    return values, SettingsSource(where, text, frozenset(values))


def toml_content(text: str, where: str) -> dict[str, Any]:
    """The content of TOML text within bounds; raises InputError, naming the line if the parser knows it."""
    if fault := toml_fault(text):
        raise InputError(where, f"is not TOML that is read ({fault})", "correct it, or give another file")
    try:
        return tomllib.loads(text)
    except ValueError as error:  # an endless number does not violate the grammar
        reason = one_line(str(error), 120)
        raise InputError(where, f"is not valid TOML ({reason})", "correct that line") from error


def unreadable(where: str, error: OSError | ValueError) -> InputError:
    """The error for a path that the system refuses; a ValueError means that the path is impossible."""
    if isinstance(error, FileNotFoundError):
        return InputError(where, "is not there", "check the path")
    reason = error.strerror if isinstance(error, OSError) else "no path can have this name"
    return InputError(where, f"cannot be read ({reason})", "check the path and its permissions")
