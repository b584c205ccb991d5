"""Verdicts acknowledged as saved, a second, and how long one takes, for 1, 4 and 16 writers at once.

On one SQLite store, in sessions straight on a PostgreSQL server, and at desks beside that server (saved in
the rater's file, sent behind the keys), against the least that a durable row costs: sqlite3, WAL,
synchronous=FULL, one short row a commit, by as many writers on one file.

Usage: python tests/bench/writers.py [--seconds 3] [--writers 1 4 16]
"""

import argparse
import json
import os
import sqlite3
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from itertools import count
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from reviewer.core.table import Table  # noqa: E402
from reviewer.report.text_table import text_table  # noqa: E402
from store.database import Database  # noqa: E402
from tests.bench.support.own_server import running_server  # noqa: E402
from tests.bench.support.writer import BARE_TABLE, STUDY  # noqa: E402
from tests.postgres import Server, binaries  # noqa: E402
from tests.studies import a_study  # noqa: E402

WRITER = "tests/bench/support/writer.py"
CASES = 20
_numbers = count()


@dataclass(frozen=True, slots=True)
class Measured:
    """Writes of one kind by so many writers."""

    rate: float
    """Acknowledged a second, by all together."""
    median: float
    p95: float
    """Milliseconds."""
    gave_up: int


def main() -> None:
    """Measure, print."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("--seconds", type=float, default=3.0)
    options.add_argument("--writers", type=int, nargs="+", default=[1, 4, 16])
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory(prefix="reviewer-writers-") as folder:
        rows = list(files(Path(folder), chosen.writers, chosen.seconds))
        if binaries() is None:
            print("no PostgreSQL server programs here: its rows are left out")
        else:
            with running_server() as server:
                rows += servers(server, Path(folder), chosen.writers, chosen.seconds)
    bare = {number: found for name, number, found in rows if name == "bare sqlite3"}
    print(text_table(table_of(rows, bare)))


Row = tuple[str, int, Measured]


def files(folder: Path, writers: list[int], seconds: float) -> Iterator[Row]:
    """The baseline and our store, each time in a new file."""
    for number in writers:
        bare = folder / f"bare-{number}.db"
        with closing(sqlite3.connect(bare)) as connection:
            connection.execute(BARE_TABLE)
        yield "bare sqlite3", number, measured("bare", str(bare), number, seconds, folder)
        ours = str(folder / f"ours-{number}.db")
        prepare(ours, number)
        yield "SQLite store", number, measured("store", ours, number, seconds, folder)


def servers(server: Server, folder: Path, writers: list[int], seconds: float) -> Iterator[Row]:
    """Straight on the server and at desks beside it, each time in a new database."""
    for kind, name in (("store", "PostgreSQL, straight"), ("desk", "PostgreSQL, at desks")):
        for number in writers:
            url = server.database(f"writers_{next(_numbers)}")
            prepare(url, number)
            yield name, number, measured(kind, url, number, seconds, folder)


def prepare(location: str, writers: int) -> None:
    """A store with a study for so many raters."""
    with closing(Database.open(location)) as database:
        a_study(database, STUDY, CASES, raters=[f"rater-{n}" for n in range(writers)], reveal="none")


def measured(kind: str, location: str, writers: int, seconds: float, folder: Path) -> Measured:
    """Start the writers, let them go at once, and add up what they say."""
    environment = {**os.environ, "XDG_STATE_HOME": str(folder / "state")}
    processes = [
        subprocess.Popen(
            [sys.executable, WRITER, kind, location, f"rater-{number}", str(seconds)],
            cwd=ROOT,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for number in range(writers)
    ]
    told = [json.loads(line) for line in _after_ready(processes)]
    latencies = sorted(each for one in told for each in one["latencies"])
    return Measured(
        len(latencies) / seconds,
        statistics.median(latencies),
        latencies[int(0.95 * (len(latencies) - 1))],
        sum(one["gave_up"] for one in told),
    )


def _after_ready(processes: list[subprocess.Popen[str]]) -> list[str]:
    for process in processes:
        if not process.stdout or process.stdout.readline() != "ready\n":
            raise AssertionError("a writer did not start")
    for process in processes:
        if process.stdin:
            process.stdin.write("go\n")
            process.stdin.flush()
    return [process.communicate()[0].splitlines()[-1] for process in processes]


def table_of(rows: list[Row], bare: dict[int, Measured]) -> Table:
    """One row a kind and number of writers; ratios are of rates, to the baseline with as many writers."""
    head = ("where", "writers", "a second", "ratio", "median ms", "p95 ms", "gave up")
    return Table.of(
        head,
        [
            (
                name,
                str(writers),
                f"{found.rate:,.0f}",
                f"{found.rate / bare[writers].rate:.2f}",
                f"{found.median:.1f}",
                f"{found.p95:.1f}",
                str(found.gave_up),
            )
            for name, writers, found in rows
        ],
    )


if __name__ == "__main__":
    main()
