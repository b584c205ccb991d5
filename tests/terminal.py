"""The real app in a real (pseudo) terminal: keys in, screen out."""

import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Sequence
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from types import TracebackType

import pyte

from reviewer.cli.main import main
from tests.fuzz.command_process import forking

ROOT = Path(__file__).parents[1]
_TERMINAL = {"TERM": "xterm-256color", "LANG": "C.UTF-8"}
PATIENCE = 120.0
"""Seconds until a test gives up; only a failing one waits so long."""


class ForkedReviewer:
    """``reviewer`` begun from a process that has loaded everything, which saves half of its start."""

    def __init__(self, arguments: Sequence[str], terminal: str) -> None:
        self._process: ForkServerProcess = forking().Process(
            target=_review, args=(tuple(arguments), terminal)
        )
        self._process.start()
        self.pid = self._process.pid or 0

    def poll(self) -> int | None:
        return self._process.exitcode

    def wait(self, timeout: float | None = None) -> int:
        self._process.join(timeout)
        if self._process.exitcode is None:
            raise subprocess.TimeoutExpired("reviewer", timeout or 0)
        return self._process.exitcode

    def send_signal(self, number: int) -> None:
        os.kill(self.pid, number)

    def kill(self) -> None:
        self._process.kill()


def _review(arguments: tuple[str, ...], terminal: str) -> None:
    """In the new process: be a program in this terminal, with an environment as a test gives it."""
    os.setsid()
    opened = os.open(terminal, os.O_RDWR)
    fcntl.ioctl(opened, termios.TIOCSCTTY, 0)
    for stream in range(3):
        os.dup2(opened, stream)
    os.close(opened)
    sys.stdin = sys.__stdin__ = open(0, encoding="utf-8", closefd=False)  # type: ignore[misc]  # noqa: SIM115
    for name in set(os.environ) - {"PATH"}:
        del os.environ[name]
    os.environ.update(_TERMINAL)
    os.chdir(ROOT)
    sys.argv = ["reviewer", *arguments]
    main()


class Terminal:
    """``python ARGUMENTS`` in a terminal of its own, read through a terminal emulator."""

    def __init__(
        self,
        arguments: Sequence[str],
        columns: int = 160,
        rows: int = 48,
        *,
        prefix: Sequence[str] = (),
        folder: Path = ROOT,
        forked: bool = False,
        **environment: str,
    ) -> None:
        """``prefix`` is a command that starts the program as somebody else; it starts in ``folder``.

        ``forked``: the arguments are those of ``reviewer``, which begins with everything loaded.
        """
        self.screen = pyte.Screen(columns, rows)
        self._lines: dict[int, str] = {}
        self._stream = pyte.ByteStream(self.screen)
        self._master, slave = pty.openpty()
        self.resize(columns, rows)
        self.process: subprocess.Popen[bytes] | ForkedReviewer
        if forked:
            self.process = ForkedReviewer(arguments, os.ttyname(slave))
        else:
            self.process = subprocess.Popen(
                [*prefix, sys.executable, *arguments],
                stdin=slave,
                stdout=slave,
                stderr=slave,
                cwd=folder,
                env={"PATH": os.environ["PATH"], **_TERMINAL, **environment},
                start_new_session=True,
                preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
            )
        os.close(slave)

    def __enter__(self) -> "Terminal":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self._master)

    def resize(self, columns: int, rows: int) -> None:
        """Make the terminal another size, as a person dragging its corner does."""
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.screen.resize(rows, columns)

    def press(self, keys: str) -> None:
        """Type keys."""
        os.write(self._master, keys.encode())

    def hang_up(self) -> None:
        """What a closed terminal window does to its program."""
        self.process.send_signal(signal.SIGHUP)

    def read(self, seconds: float) -> bytes:
        """What the program wrote within a time, fed to the emulator too."""
        data = self.take(seconds)
        self.show(data)
        return data

    def take(self, seconds: float) -> bytes:
        """What the program wrote within a time. Emulating it takes longer than writing it: see ``show``."""
        if not select.select([self._master], [], [], seconds)[0]:
            return b""
        try:
            return os.read(self._master, 1 << 16)
        except OSError:  # the other end is closed
            return b""

    def show(self, data: bytes) -> None:
        """Feed what was taken to the emulator."""
        self._stream.feed(data)

    @property
    def text(self) -> str:
        """The screen as a person sees it; only lines that have changed are put together anew."""
        for row in self.screen.dirty:
            line = self.screen.buffer[row]
            self._lines[row] = "".join(line[column].data for column in range(self.screen.columns))
        self.screen.dirty.clear()
        return "\n".join(self._lines[row] for row in range(self.screen.lines))

    def wait_for(self, *texts: str) -> str:
        """Wait until all texts are on the screen; returns the screen."""
        until = time.monotonic() + PATIENCE
        while not all(map(self.text.__contains__, texts)):
            ended = self.process.poll() is not None  # asked before what it wrote last is read
            if not self.read(0.05) and (ended or time.monotonic() > until):
                raise AssertionError(f"waited in vain for {texts} on\n{self.text}")
        return self.text

    def begin(self) -> None:
        """Go on from the briefing of a rater who begins."""
        self.wait_for("Welcome to study", "goes on")
        self.press("\r")
        until = time.monotonic() + PATIENCE
        while "Welcome to study" in self.text and time.monotonic() < until:
            self.read(0.05)

    def wait_for_end(self) -> int:
        """Wait until the program has ended, and read what it wrote; returns its exit code."""
        until = time.monotonic() + PATIENCE
        while self.process.poll() is None and time.monotonic() < until:
            self.read(0.05)
        while self.read(0):
            pass
        return self.process.wait(timeout=PATIENCE)
