"""Standard streams as they may be: closed, full, without a reader, or of too small an encoding."""

import codecs
import errno
import io
import os
import sys
from collections.abc import Callable
from typing import NoReturn, TextIO

from reviewer.core.errors import ReviewerError

_OUTPUT_LOST = 3
_READER_GONE = 128 + 13
"""As after SIGPIPE, which other programs end with here."""
_REPLACING = "reviewer_replacing"
_replaced = False
_closed: set[int] = set()


class OutputLost(ReviewerError):  # noqa: N818  # it describes the state of the output
    """The output cannot be written any more; ``reader_gone`` if its reader has stopped."""

    def __init__(self, error: OSError) -> None:
        self.reader_gone = error.errno == errno.EPIPE
        super().__init__(
            f"the output cannot be written ({error.strerror}) and is not whole; "
            "everything else that the command did remains done. Free some space, or send the output "
            "elsewhere."
        )


class _Output(io.FileIO):
    """Standard output, whose errors are told apart from those of every other file."""

    def write(self, data: object) -> int:
        """Write bytes; raises OutputLost."""
        try:
            return super().write(data)  # type: ignore[arg-type]
        except OSError as error:
            raise OutputLost(error) from error


class _Messages(io.FileIO):
    """Standard error, which has nowhere to say that it cannot say anything."""

    def write(self, data: object) -> int:
        """Write bytes, or lose them."""
        try:
            return super().write(data)  # type: ignore[arg-type]
        except OSError:
            return len(data)  # type: ignore[arg-type]


def input_is_closed() -> bool:
    """Whether the process was started without a standard input, so that it now reads as empty."""
    return 0 in _closed


def _prepare_streams() -> None:
    """Prepare the three streams so that printing can only fail with OutputLost.

    A closed stream becomes the null device, because the next opened file would take its place. A
    character that the encoding lacks is written as its escape. A stream that is not the process's own (a
    test's) is left alone.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            _closed.add(number)
            os.open(os.devnull, os.O_RDWR)  # takes the lowest number that is free: this one
    codecs.register_error(_REPLACING, _escaped)
    if sys.stdin is None:
        _closed.add(0)
        sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115  # it lives as long as the process
    if sys.stdout is sys.__stdout__:
        sys.stdout = sys.__stdout__ = _stream(1, _Output, sys.stdout)  # type: ignore[misc]
    if sys.stderr is sys.__stderr__:
        sys.stderr = sys.__stderr__ = _stream(2, _Messages, sys.stderr)  # type: ignore[misc]


def exit_with(run: Callable[[], int]) -> NoReturn:
    """End the process with the exit code that ``run`` returns, or with that of lost output."""
    _prepare_streams()
    try:
        code = run()
        sys.stdout.flush()
    except OutputLost as lost:
        _give_up_output()
        code = _READER_GONE if lost.reader_gone else _OUTPUT_LOST
        if code == _OUTPUT_LOST:
            sys.stderr.write(f"Error: {lost}\n")
    if _replaced:  # the reader of the output must know
        sys.stderr.write(
            f"Note: the output's encoding, {sys.stdout.encoding}, lacks some characters, which are written "
            "as escapes (\\u2192). Set PYTHONUTF8=1 to keep them.\n"
        )
    sys.exit(code)


def _give_up_output() -> None:
    """Send what is still to be printed nowhere, so that the end of the process has nothing to complain of."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.close(null)


def output_is_closed() -> bool:
    """Whether standard output was closed when the process began: what is printed reaches nobody."""
    return 1 in _closed


def _stream(number: int, kind: type[io.FileIO], before: TextIO | None) -> io.TextIOWrapper:
    raw = kind(number, "w", closefd=False)
    encoding = (before.encoding if before is not None else None) or "utf-8"
    return io.TextIOWrapper(
        io.BufferedWriter(raw),
        encoding=encoding,
        errors=_REPLACING,
        line_buffering=number == 2 or raw.isatty(),
    )


def _escaped(error: UnicodeError) -> tuple[str | bytes, int]:
    global _replaced
    if isinstance(error, UnicodeEncodeError):
        half_pairs = all("\ud800" <= letter <= "\udfff" for letter in error.object[error.start : error.end])
        _replaced = _replaced or not half_pairs
    return codecs.backslashreplace_errors(error)
