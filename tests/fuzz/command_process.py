"""Running ``reviewer`` many times a second: each call in a process of its own, forked where all is loaded.

The fork server imports the program once. A call has real file descriptors, an encoding and a working folder
of its own, and is killed when it takes too long.
"""

import functools
import io
import multiprocessing
import os
import signal
import sys
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from reviewer.cli.main import main
from tests.fuzz.isolation import away_from_everything

TRACEBACK = "Traceback (most recent call last)"
# Longer than asking a server in vain with the patience that is the default.
MOST_SECONDS = 60.0


@dataclass(frozen=True)
class Call:
    """One command line, and its environment.

    ``output`` is where stdout goes: "file", "full" (a device that is full), "closed" or "pipe" (whose reader
    is gone). ``gone`` deletes the working folder before the command starts.
    """

    arguments: Sequence[str]
    folder: Path
    encoding: str = "utf-8"
    output: str = "file"
    errors: str = "file"
    gone: bool = False
    typed: bytes = b""
    environment: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Done:
    """How a call ended; ``code`` is None where it was killed for taking too long."""

    code: int | None
    out: str
    err: str


def call(context: multiprocessing.context.ForkServerContext, wanted: Call, logs: Path) -> Done:
    """Run one command line to its end."""
    logs.mkdir(exist_ok=True)
    process = context.Process(target=_run, args=(wanted, logs))
    process.start()
    process.join(MOST_SECONDS)
    hung = process.is_alive()
    if hung and process.pid:
        os.killpg(process.pid, signal.SIGKILL)
        process.join()
    code = None if hung else process.exitcode
    return Done(code, _text(logs / "out"), _text(logs / "err"))


def _text(path: Path) -> str:
    return path.read_bytes().decode("utf-8", "replace") if path.exists() else ""


def _run(wanted: Call, logs: Path) -> None:
    os.setsid()
    away_from_everything()
    os.environ.update(wanted.environment)
    os.chdir(wanted.folder)
    (logs / "in").write_bytes(wanted.typed)
    os.dup2(os.open(logs / "in", os.O_RDONLY), 0)
    if wanted.gone:
        _delete_working_folder()
    _open_stream(1, wanted.output, logs / "out")
    _open_stream(2, wanted.errors, logs / "err")
    # The process's own streams, as the interpreter would have opened them at its start.
    sys.stdin = open(0, encoding="utf-8", errors="surrogateescape", closefd=False)  # noqa: SIM115
    sys.stdout = sys.__stdout__ = _text_stream(1, wanted.output, wanted.encoding, "strict")
    sys.stderr = sys.__stderr__ = _text_stream(2, wanted.errors, wanted.encoding, "backslashreplace")
    sys.argv = ["reviewer", *wanted.arguments]
    os._exit(code_of_main(logs))


def code_of_main(logs: Path) -> int:
    """The exit code as a shell would see it, and the traceback it would show."""
    try:
        main()
    except SystemExit as left:
        code = left.code if isinstance(left.code, int) else int(left.code is not None)
    except BaseException:  # what the interpreter would print before it ends
        with (logs / "err").open("ab") as file:
            file.write(traceback.format_exc().encode("utf-8", "backslashreplace"))
        return 1
    return _flushed(code, logs)


def _flushed(code: int, logs: Path) -> int:
    """As the interpreter at its end: what cannot be written any more is an exit code of 120."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except (OSError, ValueError):
        with (logs / "err").open("ab") as file:
            file.write(b"Exception ignored while flushing stdout\n")
        return 120
    return code


def _delete_working_folder() -> None:
    folder = Path.cwd() / "gone"
    folder.mkdir()
    os.chdir(folder)
    folder.rmdir()


def _open_stream(number: int, kind: str, file: Path) -> None:
    if kind == "closed":
        os.close(number)
        return
    if kind == "pipe":
        reader, target = os.pipe()
        os.close(reader)
    else:
        path = "/dev/full" if kind == "full" else file
        target = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.dup2(target, number)
    os.close(target)


def _text_stream(number: int, kind: str, encoding: str, errors: str) -> io.TextIOWrapper | None:
    if kind == "closed":
        return None  # as the interpreter has it
    return open(number, "w", encoding=encoding, errors=errors, closefd=False)


@functools.cache
def forking() -> multiprocessing.context.ForkServerContext:
    """The context whose processes begin with everything loaded; returns once the server has loaded it."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.fuzz.preloaded"])
    first = context.Process(target=_nothing)
    first.start()
    first.join()
    return context


def _nothing() -> None:
    pass
