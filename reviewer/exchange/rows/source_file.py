"""Opening files that others made: only regular files within a size limit, in UTF-8."""

from pathlib import Path

from reviewer.core.sanitize import one_line, printable
from reviewer.core.source_text import read_source_text
from reviewer.core.source_text import unreadable as unreadable  # readers of files look for it here

MOST_BYTES = 512 * 1024 * 1024
"""Limit of one file, which holds more than 100,000 pairs of the published kind."""


def shown_path(path: Path) -> str:
    """A path for use in a sentence."""
    return f"'{one_line(printable(str(path)), 200)}'"


def read_text(path: Path, where: str, most_bytes: int = MOST_BYTES) -> str:
    """The file's text without a byte order mark; raises InputError, naming the file as ``where`` says."""
    return read_source_text(path, where, most_bytes, "save its content to a file and give that")
