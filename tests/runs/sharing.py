"""Processes that share the run ``first``, each of which can be killed or stopped.

``python -m tests.runs.sharing STORE URL`` forks a process for each line that says ``go``, and says its
number. The first waits until the second is as far, so that both take part. Other lines name a process:
``wait`` waits for its end, and says how it ended; ``stop`` returns when it stopped itself, where it uses no
connection to the store; ``continue`` lets it go on, as if the time of a lease had passed meanwhile.
"""

import multiprocessing
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from multiprocessing.synchronize import Barrier
from typing import NoReturn

from reviewer.runs.engine import shared_run
from store import leases
from store.database import Database
from tests.quick_start import quick_start
from tests.runs.evaluating import evaluate
from tests.runs.killing import ROOT

REPEATS = 3
FORK = multiprocessing.get_context("fork")


class Sharers:
    """The processes that share a run."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process

    def go(self) -> int:
        """Start one; returns its process number."""
        return int(self._said("go"))

    def wait(self, number: int) -> int:
        """How the process of this number ended."""
        return int(self._said(f"wait {number}"))

    def stop(self, number: int) -> None:
        """Stop the process of this number."""
        self._said(f"stop {number}")

    def go_on(self, number: int) -> None:
        """Let the process of this number go on a lease later."""
        self._said(f"continue {number}")

    def _said(self, line: str) -> str:
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(f"{line}\n")
        self._process.stdin.flush()
        return self._process.stdout.readline()


@contextmanager
def sharers(store: str, url: str) -> Iterator[Sharers]:
    """Starts processes on a store that ask a server."""
    command = [*quick_start(), "-m", "tests.runs.sharing", store, url]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, text=True) as process:
        yield Sharers(process)
        assert process.stdin
        process.stdin.close()


class Clock:
    """The clock of a process, by which its lease ends; the process that forked it sets it."""

    def __init__(self) -> None:
        self._stops, self._slept = FORK.Value("b", 0, lock=False), FORK.Value("d", 0.0, lock=False)

    def stop(self, process: int) -> None:
        """Let the process stop itself, and wait until it has."""
        self._stops.value = 1
        os.waitpid(process, os.WUNTRACED)

    def go_on(self, process: int) -> None:
        """Continue the process, when the time of a lease has passed."""
        self._slept.value = leases.LEASE_MS / 1000
        os.kill(process, signal.SIGCONT)

    def follow(self, database: Database) -> None:
        """In the new process: go by this clock."""
        clock = shared_run._clock

        def now() -> float:
            # Others would wait in vain for the locks of a process that is stopped in the middle of a write.
            if self._stops.value and not database._reading.pool.checkedout():  # type: ignore[attr-defined]
                self._stops.value = 0
                os.kill(os.getpid(), signal.SIGSTOP)
            return clock() + float(self._slept.value)

        shared_run._clock = now


def main(store: str, url: str) -> None:
    """Do what the lines say."""
    with closing(Database.open(store)) as database:
        evaluate(database, url, ["warm"], name="warm")  # loads everything that a run needs, before the forks
    both, clocks = FORK.Barrier(2), dict[int, Clock]()
    for line in sys.stdin:
        what, _, number = line.strip().partition(" ")
        if what == "go":
            clock = Clock()
            child = os.fork()
            if child == 0:
                _share(store, url, both, clock)
            clocks[child] = clock
            answer = child
        elif what == "wait":
            answer = os.waitstatus_to_exitcode(os.waitpid(int(number), 0)[1])
        else:
            answer = int(number)
            (clocks[answer].stop if what == "stop" else clocks[answer].go_on)(answer)
        print(answer, flush=True)


def _share(store: str, url: str, both: Barrier, clock: Clock) -> NoReturn:
    """Take part in the run, in a new process."""
    with closing(Database.open(store)) as database:
        clock.follow(database)
        both.wait(timeout=60)
        evaluate(database, url, repeats=REPEATS)
    os._exit(0)


if __name__ == "__main__":
    main(*sys.argv[1:])
