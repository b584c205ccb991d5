"""Opening files that somebody else made: only regular ones, of a bearable size, in UTF-8."""

import stat
from pathlib import Path

from reviewer.core.errors import InputError
from reviewer.core.plaintext import one_line

MOST_BYTES = 512 * 1024 * 1024
"""In one file: more than 100,000 pairs of the published kind."""

_LONGEST_SHOWN = 100


def shown(text: str) -> str:
    """A name from outside as it stands in a sentence: one visible line, cut before the rest is looked at."""
    return one_line(_printable(text[: 2 * _LONGEST_SHOWN]), _LONGEST_SHOWN)


def shown_path(path: Path) -> str:
    """A path as it stands in a sentence."""
    return f"'{one_line(_printable(str(path)), 200)}'"


def read_text(path: Path, where: str, most_bytes: int = MOST_BYTES) -> str:
    """The file's text without a byte order mark; raises InputError, naming the file as ``where`` says."""
    try:
        status = path.stat()
        # A pipe or a device would never end, so it is not even opened.
        if not stat.S_ISREG(status.st_mode):
            raise InputError(where, "is not a regular file", "save its content to a file and import that")
        if status.st_size > most_bytes:
            wrong = f"has {status.st_size:,} bytes, more than the {most_bytes:,} that are read"
            raise InputError(where, wrong, "split it, or check that it is the right file")
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(where, f"is not UTF-8 text (byte {error.start:,})", "save it as UTF-8") from None
    except (OSError, ValueError) as error:
        raise unreadable(where, error) from error


def unreadable(where: str, error: OSError | ValueError) -> InputError:
    """The sentence for a path that the system refuses; ValueError stands for a path that none can have."""
    if isinstance(error, FileNotFoundError):
        return InputError(where, "is not there", "check the path")
    reason = error.strerror if isinstance(error, OSError) else "no path can have this name"
    return InputError(where, f"cannot be read ({reason})", "check the path and its permissions")


def _printable(text: str) -> str:
    """File names may hold bytes that are no UTF-8, which Python keeps as lone surrogates."""
    return text.encode(errors="replace").decode()
