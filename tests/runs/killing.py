"""A run of generation in a process of its own, killed again and again and carried on.

``python -m tests.runs.killing STORE URL TARGET`` does the run; ``killed`` starts and kills it.
"""

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from sqlmodel import col, select

from reviewer.oracle import pool
from store.calls import StoredCalls
from store.candidates import candidates_of
from store.cases import Filter, list_places
from store.database import Database
from store.records import Call, Candidate, Case, Membership
from store.run_tables import CallRow
from tests.llm.server import LoopbackModels
from tests.quick_start import quick_start
from tests.runs.generating import a_request, generate, with_seeds
from tests.studies import open_store

GROUPS = ("anchoring bias", "framing effect", "hindsight bias")
ROOT = Path(__file__).parents[2]
Made = tuple[list[tuple[Membership, Case]], list[Candidate]]


@dataclass(frozen=True)
class Kill:
    """One kill: how many requests the server had got, and how many answers the store had."""

    asked: int
    kept: int

    @property
    def lost(self) -> int:
        """Requests that were sent and whose answer was not kept."""
        return self.asked - self.kept


def killed(store: Path, server: LoopbackModels, target: int, moments: int, seed: int) -> list[Kill]:
    """Start the run and kill it after random numbers of requests, so many times; then let it end."""
    chosen, kills = random.Random(seed), list[Kill]()
    while len(kills) < moments:
        stop_at = len(server.asked) + chosen.randint(1, 60)
        process = _start(store, server.url, target)
        while process.poll() is None and len(server.asked) < stop_at:
            time.sleep(0.005)
        time.sleep(chosen.random() / 20)
        process.send_signal(signal.SIGKILL)
        process.communicate()  # its output ends when it has ended
        if process.returncode != -signal.SIGKILL:
            break
        time.sleep(0.1)  # what the server was still reading counts as asked
        kills.append(Kill(len(server.asked), len(answers(store))))
    last = _start(store, server.url, target)
    last.communicate()
    if last.returncode != 0:
        raise AssertionError("the run did not end well")
    return kills


def killed_again_and_again(
    module: str,
    store: Path,
    server: LoopbackModels,
    kills: int,
    runs: Sequence[str],
    seed: int,
    most: int = 6,
) -> None:
    """Carry a run on and kill it after random numbers of requests, so often in all; then let all runs end.

    The module carries on the run of each line that it is sent, in a process of its own.
    """
    chosen = random.Random(seed)
    command = [*quick_start(), "-m", module, str(store), server.url]
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin
        assert process.stdout
        for number in range(kills):
            child = _begun(runs[number % len(runs)], process.stdin, process.stdout)
            stop_at = len(server.asked) + chosen.randint(1, most)
            while len(server.asked) < stop_at:
                time.sleep(0.001)
            time.sleep(chosen.random() / 50)
            os.kill(child, signal.SIGKILL)
            assert int(process.stdout.readline()) == -signal.SIGKILL
        for run in runs:
            _begun(run, process.stdin, process.stdout)
            assert int(process.stdout.readline()) == 0
        process.stdin.close()


def _begun(run: str, lines_in: IO[str], lines_out: IO[str]) -> int:
    lines_in.write(f"{run}\n")
    lines_in.flush()
    return int(lines_out.readline())


def answers(store: Path) -> list[Call]:
    """Every answer that the store has."""
    with Database.open(str(store)).read() as session:
        rows = session.exec(select(CallRow).where(col(CallRow.error).is_(None)).order_by(col(CallRow.id)))
        return [Call.model_validate(row.model_dump()) for row in rows]


def made(database: Database) -> Made:
    """The dataset and the candidates of the run."""
    with database.read() as session:
        return list_places(session, Filter(datasets=("run",))), candidates_of(session, "run")


def made_anew(store: Path, folder: Path, target: int) -> Made:
    """What a run that is never interrupted makes of the same answers, with nobody there to be asked."""
    database = with_seeds(open_store(folder))
    rows = answers(store)
    StoredCalls(database).keep(rows)
    with pool.open_executor(1) as executor:
        generate(database, rows[0].endpoint, executor, a_request(GROUPS, target=target))
    return made(database)


def alike(one: Made, other: Made) -> bool:
    """Whether two runs made the same, similarities within the precision of their vectors.

    A text's vector differs in its last digits with the texts that are encoded beside it, on some processors.
    """
    return one[0] == other[0] and all(
        _unmeasured(first) == _unmeasured(second)
        and _measured(first).keys() == _measured(second).keys()
        and all(_near(value, _measured(second)[name]) for name, value in _measured(first).items())
        for first, second in zip(one[1], other[1], strict=True)
    )


def _unmeasured(candidate: Candidate) -> Candidate:
    return candidate.model_copy(update={"values": {}, "value": None})


def _measured(candidate: Candidate) -> dict[str, object]:
    return {**candidate.values, "the value that decided": candidate.value}


def _near(first: object, second: object) -> bool:
    if isinstance(first, float) and isinstance(second, float):
        return abs(first - second) < 1e-6
    return first == second


def _start(store: Path, url: str, target: int) -> subprocess.Popen[bytes]:
    command = [*quick_start(), "-m", "tests.runs.killing", str(store), url, str(target)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE)


def main(store: str, url: str, target: str) -> None:
    """Carry the run on to its end."""
    database = Database.open(store)
    with pool.open_executor(1) as executor:
        generate(database, url, executor, a_request(GROUPS, target=int(target)))


if __name__ == "__main__":
    main(*sys.argv[1:])
