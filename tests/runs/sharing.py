"""Processes that share the run ``first``, each of which can be killed or stopped.

``python -m tests.runs.sharing STORE URL LEASE_MS`` forks a process for each line that says ``go``, and says
its number. The first waits until the second is as far, so that both take part. After ``wait`` and a number
it waits for that process, and says how it ended.
"""

import multiprocessing
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager

from store import evaluation_leases
from store.database import Database
from tests.quick_start import quick_start
from tests.runs.evaluating import evaluate
from tests.runs.killing import ROOT

REPEATS = 3


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

    def _said(self, line: str) -> str:
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(f"{line}\n")
        self._process.stdin.flush()
        return self._process.stdout.readline()


@contextmanager
def sharers(store: str, url: str, lease_ms: int) -> Iterator[Sharers]:
    """Starts processes on a store that ask a server, with leases of this length."""
    command = [*quick_start(), "-m", "tests.runs.sharing", store, url, str(lease_ms)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, text=True) as process:
        yield Sharers(process)
        assert process.stdin
        process.stdin.close()


def main(store: str, url: str, lease_ms: str) -> None:
    """Do what the lines say."""
    evaluation_leases.LEASE_MS = int(lease_ms)
    with closing(Database.open(store)) as database:
        evaluate(database, url, ["warm"], name="warm")  # loads everything that a run needs, before the forks
    ready = multiprocessing.get_context("fork").Barrier(2)
    for line in sys.stdin:
        what, _, number = line.strip().partition(" ")
        if what == "wait":
            _, status = os.waitpid(int(number), 0)
            print(os.waitstatus_to_exitcode(status), flush=True)
            continue
        child = os.fork()
        if child == 0:
            with closing(Database.open(store)) as database:
                ready.wait(timeout=60)
                evaluate(database, url, repeats=REPEATS)
            os._exit(0)
        print(child, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
