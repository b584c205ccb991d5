"""Worker processes as the application uses them: started by exec, and given one job at a time.

SWI-Prolog is found here too, as it is installed.
"""

import contextlib
import ctypes.util
import json
import os
import select
import shutil
import subprocess
import sys
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from reviewer.oracle.jail import Jail
from reviewer.oracle.oracle_errors import OracleBroken, OracleMissing
from reviewer.oracle.oracle_program import Program
from reviewer.oracle.worker.frames import frame, read_frame, split, write_all
from reviewer.oracle.worker.text import quoted

STARTING = 120.0  # seconds that a worker may take to start on a busy machine
GRACE = 60.0
WITHOUT_DEADLINE = 3600.0
MAC_APPLICATION = "/Applications/SWI-Prolog.app/Contents/MacOS/swipl"


@dataclass(frozen=True, slots=True)
class Engine:
    """An installed SWI-Prolog: its shared library and its home folder."""

    library: str
    home: str


@lru_cache(maxsize=1)
def find_engine() -> Engine:
    """The installed SWI-Prolog, asked of the ``swipl`` on the path. Raises OracleMissing."""
    given = Engine(os.environ.get("LIBSWIPL_PATH", ""), os.environ.get("SWI_HOME_DIR", ""))
    if given.library and given.home:
        return given
    program = shutil.which("swipl") or (MAC_APPLICATION if Path(MAC_APPLICATION).exists() else None)
    if program is None:
        raise OracleMissing
    variables = _runtime_variables(program)
    home = variables.get("PLBASE", "")
    library = variables.get("PLLIBSWIPL") or ctypes.util.find_library("swipl") or ""
    if not home or not library:
        raise OracleMissing(f"{program} does not name its home and its shared library")
    return Engine(library, home)


def _runtime_variables(program: str) -> dict[str, str]:
    try:
        listing = subprocess.run(  # noqa: S603  # the program is the swipl found on the path
            [program, "--dump-runtime-variables"], capture_output=True, text=True, timeout=60, check=True
        ).stdout
    except (OSError, subprocess.SubprocessError) as error:
        raise OracleMissing(f"{program}: {error}") from error
    pairs = (line.rstrip().rstrip(";").partition("=") for line in listing.splitlines())
    return {name: value.strip('"') for name, _, value in pairs}


ROOT = str(Path(__file__).resolve().parent.parent.parent)
# Our own folder goes before site-packages and after the standard library, whose modules it must not hide.
LAUNCH = """\
import sys
root, configuration = sys.argv[1:]
places = [i for i, p in enumerate(sys.path) if p.endswith(("site-packages", "dist-packages"))]
sys.path.insert(min(places, default=len(sys.path)), root)
from reviewer.oracle.worker.host import main
main(configuration)
"""


@dataclass(frozen=True, slots=True)
class Ending:
    """How a child ended: ``why`` the worker killed it (deadline, output) or None, its signal, exit code and
    CPU seconds, and the replies it had written in whole.
    """

    why: str | None
    signal: int
    code: int
    cpu: float
    replies: tuple[bytes, ...]

    @property
    def clean(self) -> bool:
        """True if the child ended by itself after running all its programs."""
        return self.why is None and self.signal == 0 and self.code == 0


class WorkerGone(OracleBroken):
    """The worker process ended in the middle of a job."""


class Worker:
    """One worker process. Not for two threads at once."""

    def __init__(self, jail: Jail) -> None:
        self.jail = jail
        self._process = _start(find_engine(), jail)
        hello = self._receive()
        self.version = str(hello["version"])
        self.walls: dict[str, bool] = hello["walls"]

    @property
    def pid(self) -> int:
        """The process id of the worker."""
        return self._process.pid

    def ask(self, programs: list[Program]) -> Ending:
        """Run the programs in one child. Raises WorkerGone when the worker itself is lost."""
        assert self._process.stdin is not None
        job = _job(programs, self.jail)
        try:
            write_all(self._process.stdin.fileno(), frame(json.dumps(job).encode()))
        except OSError as error:
            raise WorkerGone("the Prolog worker has ended") from error
        ended = self._receive(job["deadline"] + GRACE if self.jail.deadline else WITHOUT_DEADLINE)
        return Ending(ended["why"], ended["signal"], ended["code"], ended["cpu"], tuple(split(self._frame())))

    def kill(self) -> None:
        """End the process now; a thread that waits for its answer gets WorkerGone."""
        self._process.kill()

    def close(self) -> None:
        """End the process and wait for it."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        try:
            self._process.wait(5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()

    def _frame(self, seconds: float = STARTING) -> bytes:
        """The next frame. A worker that stays silent is killed: a child must have tampered with it."""
        assert self._process.stdout is not None
        descriptor = self._process.stdout.fileno()
        silence = select.poll()
        silence.register(descriptor, select.POLLIN)
        if not silence.poll(seconds * 1000):
            self._process.kill()
        payload = read_frame(descriptor)
        if payload is None:
            raise WorkerGone("the Prolog worker has ended")
        return payload

    def _receive(self, seconds: float = STARTING) -> dict[str, Any]:
        answer: dict[str, Any] = json.loads(self._frame(seconds))
        return answer


def _start(engine: Engine, jail: Jail) -> "subprocess.Popen[bytes]":
    configuration = json.dumps({"jail": asdict(jail), "readable": [str(Path(engine.home).resolve())]})
    own = {"LIBSWIPL_PATH": engine.library, "SWI_HOME_DIR": engine.home, "HOME": "/nonexistent"}
    environment = own if jail.environment else {**os.environ, **own}
    try:
        return subprocess.Popen(  # noqa: S603  # this interpreter, our own code
            [sys.executable, "-I", "-B", "-c", LAUNCH, ROOT, configuration],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
            cwd="/",  # a program could ask where it is
            bufsize=0,
            start_new_session=True,  # Ctrl+C is for the app, which decides what becomes of its workers
        )
    except OSError as error:
        raise OracleBroken(f"the Prolog worker does not start: {error}") from error


def _job(programs: list[Program], jail: Jail) -> dict[str, Any]:
    limits = programs[0].limits
    alone = len(programs) == 1
    return {
        "programs": [
            {"text": program.text, "query": program.query, "options": _options(program, jail, alone)}
            for program in programs
        ],
        "cpu_seconds": limits.cpu_seconds,
        "memory_bytes": limits.memory_bytes,
        "reply_bytes": limits.reply_bytes * len(programs),
        "deadline": limits.seconds + len(programs) - 1,
    }


def _options(program: Program, jail: Jail, alone: bool) -> str:
    asked = (jail.gate, alone, program.listing, program.count, program.prove)
    flags = ", ".join(str(flag).lower() for flag in asked)
    losers = ", ".join(map(quoted, program.explain))
    limits = program.limits
    return f"options({limits.inferences}, {limits.stack_bytes}, {limits.solutions}, {flags}, [{losers}])"
