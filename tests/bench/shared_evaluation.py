"""One process and two that share an evaluation run on PostgreSQL, against a server that takes 200 ms.

1. Calls a second of one process and of two, each with 256 calls at a time.
2. 10,000 calls by two processes, one of which is killed twice and started again: requests that were sent
   beyond one for each question, and whether the outcomes are those of one process with a file.

``python tests/bench/shared_evaluation.py [CALLS]``; needs PostgreSQL's server programs.
"""

import asyncio
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from reviewer.core.table import Table  # noqa: E402
from reviewer.report.text_table import text_table  # noqa: E402
from store import leases  # noqa: E402
from store.database import Database  # noqa: E402
from tests.llm.server import Answer, LoopbackModels, serving  # noqa: E402
from tests.postgres import Server, binaries  # noqa: E402
from tests.runs.evaluating import decide, evaluate, outcomes_of, with_cases  # noqa: E402

LATENCY, CONCURRENCY, LEASE_MS = 0.2, 256, 3_000
MODELS, REPEATS, CONDITIONS = ("m1",), 5, 2


def main(calls: int) -> None:
    """Print one table, and a sentence on the kills."""
    programs = binaries()
    if programs is None:
        print("Skipped: PostgreSQL's server programs are not installed.")
        return
    folder = Path(tempfile.mkdtemp(prefix="reviewer-postgres-"))
    folder.chmod(0o755)
    server = Server.create(programs, folder / "server")
    try:
        rows = [rate_of(server.database(f"rate_{count}"), count, calls) for count in (1, 2)]
        columns = ("processes", "calls", "seconds", "calls/s", "of the ideal", "CPU ms a call")
        print(text_table(Table.of(columns, rows)), flush=True)
        print(killed_twice(server.database("killed"), folder, calls))
    finally:
        server.stop()
        shutil.rmtree(folder)


def rate_of(store: str, count: int, calls: int) -> tuple[str | int, ...]:
    """Calls a second between the first request and the last answer."""
    filled(store, calls)
    with slow_server() as url, closing(Database.open(store)) as database:
        before = os.times()
        processes = [start(store, url) for _ in range(count)]
        while not outcomes_so_far(database):
            time.sleep(0.005)
        began = time.perf_counter()
        for process in processes:
            assert process.wait() == 0
        seconds, after = time.perf_counter() - began, os.times()
    busy = after.children_user + after.children_system - before.children_user - before.children_system
    ideal = count * CONCURRENCY / LATENCY
    rate = calls / seconds
    return count, calls, f"{seconds:.1f}", f"{rate:.0f}", f"{rate / ideal:.0%}", f"{1000 * busy / calls:.1f}"


def killed_twice(store: str, folder: Path, calls: int) -> str:
    """Two processes; after a quarter and a half of the calls one is killed, and another takes its place."""
    filled(store, calls)
    with serving(lambda asked: Answer(decide(asked).text, delay=LATENCY)) as server:
        others = [start(store, server.url) for _ in range(2)]
        for part in (4, 2):
            asked_at_least(server, calls // part)
            others[0].send_signal(signal.SIGKILL)
            others[0].wait()
            others[0] = start(store, server.url)
        assert [process.wait() for process in others] == [0, 0]
        asked = len(server.asked)
        with closing(Database.open(store)) as database:
            shared = outcomes_of(database)
        alone = with_cases(Database.open(str(folder / "alone.db")), cases_for(calls))
        server.respond = decide
        with closing(alone):
            evaluate(alone, server.url, MODELS, repeats=REPEATS, client_limits={"concurrency": 64})
            same = outcomes_of(alone) == shared
    return (
        f"{calls:,} calls, one of two processes killed twice: {asked - calls:,} requests were sent again, of "
        f"at most {2 * CONCURRENCY} under way at the kills; outcomes {'equal' if same else 'DIFFER FROM'} "
        "those of one process."
    )


def cases_for(calls: int) -> int:
    return calls // (REPEATS * CONDITIONS * len(MODELS))


def filled(store: str, calls: int) -> None:
    with closing(with_cases(Database.open(store), cases_for(calls))):
        pass


def outcomes_so_far(database: Database) -> int:
    with database.read() as session:
        return int(session.connection().exec_driver_sql("SELECT count(*) FROM calls").scalar_one())


def asked_at_least(server: LoopbackModels, number: int) -> None:
    while len(server.asked) < number:
        time.sleep(0.01)


def start(store: str, url: str) -> "subprocess.Popen[bytes]":
    return subprocess.Popen([sys.executable, __file__, "--share", store, url], cwd=ROOT)


def share(store: str, url: str) -> None:
    leases.LEASE_MS = LEASE_MS
    with closing(Database.open(store)) as database:
        evaluate(database, url, MODELS, repeats=REPEATS, client_limits={"concurrency": CONCURRENCY})


class slow_server:  # noqa: N801  # a block, as in the other benches
    """The URL of a server in a process of its own that decides after the latency."""

    def __enter__(self) -> str:
        command = [sys.executable, __file__, "--serve"]
        self._process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()

    def __exit__(self, *_: object) -> None:
        self._process.kill()


def serve() -> None:
    server = LoopbackModels(lambda asked: Answer(decide(asked).text, delay=LATENCY))
    asyncio.run(server.run(lambda: print(server.url, flush=True), 0))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--share"]:
        share(*sys.argv[2:])
    elif sys.argv[1:2] == ["--serve"]:
        serve()
    else:
        main(int(sys.argv[1]) if sys.argv[1:] else 10_000)
