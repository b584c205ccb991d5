"""Programs that begin with everything loaded, for tests that are not about the start of a program.

``(*quick_start(), "-m", "reviewer")`` runs what ``(sys.executable, "-m", "reviewer")`` runs,
in a process of its own. It is forked from a server that loaded every command once, for all workers of a
test run. What a test starts is a small client. It hands its streams, its environment and its folder over,
passes signals on and ends as the program ends. If it is killed, so is the program.
"""

import fcntl
import functools
import gc
import importlib
import marshal
import os
import runpy
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import traceback
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from selectors import EVENT_READ, DefaultSelector

import textual.constants

import reviewer.cli.entry

ROOT = Path(__file__).parents[1]
_CLIENT = """
import fcntl, marshal, os, signal, socket, sys
streams = []
for number in range(3):
    try: os.fstat(number); streams.append(number)
    except OSError: pass
made = socket.socket(socket.AF_UNIX)
server = socket.socket(fileno=fcntl.fcntl(made.fileno(), fcntl.F_DUPFD_CLOEXEC, 3))
made.close()
server.connect(sys.argv[1])
try: folder = os.getcwd()
except OSError: folder = ""
told = marshal.dumps((streams, sys.argv[2:], dict(os.environ), folder))
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    signal.signal(number, lambda number, frame: server.send(bytes([number])))
socket.send_fds(server, [b"P" + len(told).to_bytes(4, "big")], streams)
server.sendall(told)
for number in streams: os.close(number)
status = int.from_bytes(server.recv(4), "big", signed=True)
if status < 0:
    if status != -signal.SIGKILL: signal.signal(-status, signal.SIG_DFL)
    os.kill(os.getpid(), -status)
os._exit(status)
"""


@functools.cache
def quick_start() -> tuple[str, ...]:
    """The beginning of a command line, in the place of the interpreter; the first call starts the server."""
    run = os.environ.get("PYTEST_XDIST_TESTRUNUID", str(os.getpid()))
    folder = Path(tempfile.gettempdir()) / f"reviewer-{run}"
    folder.mkdir(mode=0o700, exist_ok=True)
    place = str(folder / "server")
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        holding = socket.socket(socket.AF_UNIX)
        try:
            holding.connect(place)
        except OSError:
            Path(place).unlink(missing_ok=True)
            _start(place)
            holding.connect(place)
        holding.sendall(b"H")
    _HELD.append(holding)
    return (sys.executable, "-I", "-S", "-c", _CLIENT, place)


_HELD: list[socket.socket] = []
"""Connections that keep the server: it ends when the last worker of the tests has ended."""


def _start(place: str) -> None:
    code = "import sys; from tests.quick_start import serve; serve(sys.argv[1])"
    server = subprocess.Popen(
        [sys.executable, "-c", code, place],
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], "LANG": "C.UTF-8"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    assert server.stdout is not None
    assert server.stdout.readline() == b"ready\n"
    server.stdout.close()
    server.returncode = 0  # it outlives this process, and nobody waits for it


@dataclass(frozen=True)
class Program:
    """What a client asks for: the streams that it has, a command line, an environment, a working folder."""

    streams: Mapping[int, int]
    arguments: Sequence[str]
    environment: Mapping[str, str]
    folder: str

    def run(self) -> None:
        """Be this program, in a new process."""
        self._take_streams()
        os.environ.clear()
        os.environ.update(self.environment)
        if self.folder:
            os.chdir(self.folder)
        else:
            _be_nowhere()
        _be_new()
        os._exit(_code_of(functools.partial(_execute, [*self.arguments])))

    def _take_streams(self) -> None:
        kept = {number: fcntl.fcntl(given, fcntl.F_DUPFD, 10) for number, given in self.streams.items()}
        for number in range(3):
            os.close(number)
            if number in kept:
                os.dup2(kept[number], number)
        os.closerange(3, max([*kept.values(), *self.streams.values()], default=3) + 1)
        encoding, _, errors = self.environment.get("PYTHONIOENCODING", "").partition(":")
        for number, name in enumerate(("stdin", "stdout", "stderr")):
            stream = None  # as the interpreter has it where a stream is closed
            if number in kept:
                usual = "backslashreplace" if number == 2 else errors or "strict"
                stream = open(  # noqa: SIM115
                    number, "w" if number else "r", encoding=encoding or "utf-8", errors=usual, closefd=False
                )
            setattr(sys, name, stream)
            setattr(sys, f"__{name}__", stream)


def _be_nowhere() -> None:
    folder = Path(tempfile.mkdtemp())
    os.chdir(folder)
    folder.rmdir()


def _be_new() -> None:
    """As at a start: the entry has its name, and what imports read from the environment is read again."""
    reviewer.cli.main = reviewer.cli.entry.main
    importlib.reload(textual.constants)


def _execute(arguments: list[str]) -> None:
    if arguments[0] == "-I":
        del arguments[0]
    kind, what, *words = arguments
    sys.argv = [what if kind == "-m" else "-c", *words]
    if kind == "-m":
        runpy.run_module(what, run_name="__main__", alter_sys=True)
    else:
        assert kind == "-c", arguments
        exec(compile(what, "<string>", "exec"), {"__name__": "__main__"})


def _code_of(execute: Callable[[], None]) -> int:
    """The exit code as a shell sees it; a traceback is shown."""
    code = 0
    try:
        execute()
    except SystemExit as left:
        code = left.code if isinstance(left.code, int) else int(left.code is not None)
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGINT)
    except BaseException:
        traceback.print_exc()
        code = 1
    try:
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()
    except (OSError, ValueError):
        return 120  # as the interpreter ends where its output cannot be written
    return code


def serve(place: str) -> None:
    """Start programs until nobody holds the server any more."""
    for name in ("tests.fuzz.preloaded", "openai"):
        importlib.import_module(name)
    gc.collect()
    gc.freeze()
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(place)
    listening.listen(100)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for the keepers
    print("ready", flush=True)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    waiting = DefaultSelector()
    waiting.register(listening, EVENT_READ)
    begun = False
    while not begun or len(waiting.get_map()) > 1:
        for key, _ in waiting.select():
            if key.fileobj is listening:
                client, _ = listening.accept()
                kind, given, _, _ = socket.recv_fds(client, 5, 3)
                if kind == b"H":
                    waiting.register(client, EVENT_READ)
                    begun = True
                elif kind:
                    _begin(client, given, int.from_bytes(kind[1:], "big"))
            else:
                waiting.unregister(key.fileobj)
    Path(place).unlink()


def _begin(client: socket.socket, given: list[int], length: int) -> None:
    if not os.fork():
        _keep(client, given, length)
    client.close()
    for number in given:
        os.close(number)


def _keep(client: socket.socket, given: list[int], length: int) -> None:
    """In a process of its own: start the program, pass signals on to it, and say how it ended."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    with client.makefile("rb", buffering=0) as reading:
        told = b""
        while len(told) < length:
            told += reading.read(length - len(told))
    streams, *rest = marshal.loads(told)
    program = Program(dict(zip(streams, given, strict=True)), *rest)
    process = os.fork()
    if not process:
        os.setsid()
        client.close()
        program.run()
    for number in given:
        os.close(number)
    threading.Thread(target=_pass_signals_on, args=(client, process), daemon=True).start()
    _, status = os.waitpid(process, 0)
    with suppress(OSError):
        client.sendall(os.waitstatus_to_exitcode(status).to_bytes(4, "big", signed=True))
    os._exit(0)


def _pass_signals_on(client: socket.socket, process: int) -> None:
    with suppress(ProcessLookupError):  # it has just ended
        while number := client.recv(1):
            os.kill(process, number[0])
        os.kill(process, signal.SIGKILL)
