"""The audit of the same cases by the local pool, by a cluster of one worker and by one of two.

Usage: python tests/bench/cluster.py [--cases 200] [--rounds 1]

Processor time is that of all processes that take part: client, scheduler, workers, and the children that run
programs. Starting them, and the first programs that calibrate SWI-Prolog, are counted apart. Beside the
seconds stands the forecast by the formula of the manual's page on planning. Of several rounds, the
one with the least processor time is shown, since other programs on the machine can only add to it.
"""

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from reviewer.cluster import dispatch  # noqa: E402
from reviewer.cluster.address import cluster_address  # noqa: E402
from reviewer.cluster.cluster_runner import open_cluster_runner  # noqa: E402
from reviewer.cluster.worker_checks import ClusterWork  # noqa: E402
from reviewer.core.table import Table  # noqa: E402
from reviewer.exchange.rows.dataset_import import import_path  # noqa: E402
from reviewer.oracle import pool  # noqa: E402
from reviewer.oracle.program_runner import ProgramRunner, local_runner  # noqa: E402
from reviewer.planning.estimates import MEASURED, Planner  # noqa: E402
from reviewer.report.text_table import text_table  # noqa: E402
from reviewer.runs.audit.dataset_audit import audit  # noqa: E402
from store.database import Database  # noqa: E402
from store.findings import cases_in  # noqa: E402
from tests.bench.support.oracle_programs import PUBLISHED  # noqa: E402
from tests.bench.support.processor_time import family, seconds_of  # noqa: E402
from tests.cluster.processes import running_cluster  # noqa: E402

WARM = 8
WAYS = (("local pool, 2 processes", 2, None), *((f"cluster, {n} workers", n, n) for n in (1, 2)))
"""What is measured: its name, how many processes run programs, and the workers of a cluster (None: none)."""


@dataclass
class Measured:
    """One audit: seconds by the clock, and of the processor: of all, the client, the scheduler; start-up."""

    name: str
    workers: int
    seconds: float
    cpu: float
    client: float
    scheduler: float
    start: float
    sent: int = 0


def main() -> None:
    """Audit three times and print."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--cases", type=int, default=200)
    options.add_argument("--rounds", type=int, default=1)
    chosen = options.parse_args()
    number = chosen.cases
    if not PUBLISHED.exists():
        print("The published pairs are not here.")
        return
    rows = [least([measured(*way, number) for _ in range(chosen.rounds)]) for way in WAYS]
    local = rows[0]
    columns = (
        "",
        "seconds",
        "forecast",
        "CPU a case (ms)",
        "client",
        "beyond local",
        "bytes a case",
        "start",
    )
    print(text_table(Table.of(columns, [row(each, local, number) for each in rows])))


def least(rounds: Sequence[Measured]) -> Measured:
    """The round with the least processor time, which other programs on the machine disturbed least."""
    return min(rounds, key=lambda one: one.cpu)


def row(one: Measured, local: Measured, number: int) -> tuple[str, ...]:
    """The cells of one audit."""
    return (
        one.name,
        f"{one.seconds:.1f}",
        f"{forecast(local, one, number):.1f}",
        f"{one.cpu / number * 1e3:.1f}",
        f"{one.client / number * 1e3:.1f}",
        f"{one.cpu / local.cpu - 1:+.1%}",
        f"{one.sent / number:,.0f}" if one.sent else "–",
        f"{one.start:.1f} s",
    )


def forecast(local: Measured, one: Measured, number: int) -> float:
    """Seconds by the formula, from the time of a case in the local pool and the kept figures of a cluster.

    With fewer cores than processes, the processor time of all cannot pass faster than the cores allow.
    """
    figures = replace(MEASURED, program_seconds=(local.cpu - local.client) / number)
    planner = Planner(figures)
    if not one.sent:
        return planner.audit_here(number).seconds
    planned = planner.audit_on_cluster(number, one.workers)
    return max(planned.seconds, planned.core_hours * 3_600 / (os.cpu_count() or 1))


def measured(name: str, workers: int, cluster: int | None, number: int) -> Measured:
    """One audit of a fresh store."""
    with tempfile.TemporaryDirectory() as folder, closing(Database.open(f"{folder}/reviewer.db")) as database:
        import_path(database, PUBLISHED, "pairs")
        with database.read() as session:
            cases = cases_in(session, "pairs")
        some = cases[:: len(cases) // (number + WARM)]
        sent = counted_bytes()
        began = family()
        with opened(Path(folder), cluster) as (runner, scheduler):
            audit(database, [some[:WARM]], runner)  # every process has calibrated its SWI-Prolog then
            before, clock, scheduled = family(), time.monotonic(), seconds_of(scheduler)
            sent.clear()
            audit(database, [some[WARM : number + WARM]], runner)
            seconds, after = time.monotonic() - clock, family()
            scheduled = seconds_of(scheduler) - scheduled
        pool.close()
    return Measured(
        name,
        workers,
        seconds,
        sum(after) - sum(before),
        after[0] - before[0],
        scheduled,
        sum(before) - sum(began),
        sum(sent),
    )


@contextmanager
def opened(folder: Path, workers: int | None) -> Iterator[tuple[ProgramRunner, int]]:
    """Who runs programs, and the scheduler's process (0: none)."""
    if workers is None:
        with local_runner(2) as runner:
            yield runner, 0
        return
    work = ClusterWork(programs=True)
    with (
        running_cluster(folder, workers) as cluster,
        open_cluster_runner(cluster_address(cluster.address), work) as runner,
    ):
        yield runner, cluster.scheduler.pid


def counted_bytes() -> list[int]:
    """The sizes of all chunks and replies from now on."""
    sizes: list[int] = []
    write, read = dispatch.written_chunk, dispatch.read_chunk_reply

    def writing(header: object, jobs: Sequence[bytes]) -> bytes:
        sizes.append(len(payload := write(header, jobs)))  # type: ignore[arg-type]
        return payload

    def reading(payload: bytes, jobs: int) -> object:
        sizes.append(len(payload))
        return read(payload, jobs)

    dispatch.written_chunk, dispatch.read_chunk_reply = writing, reading  # type: ignore[assignment]
    return sizes


if __name__ == "__main__":
    main()
