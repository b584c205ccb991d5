"""How long the audit of a dataset takes: the published pairs where they are, else the seed corpus.

Prints one row a way: cases, programs, seconds, and the ratio to the published way (one swipl process for
each program), whose cost for as many programs is reckoned from a sample measured in the same run. The values
that one worker keeps are compared with those of one worker per core.
"""

import os
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from reviewer.core.table import Table  # noqa: E402
from reviewer.exchange.rows.dataset_import import check_source, store_source  # noqa: E402
from reviewer.oracle import pool  # noqa: E402
from reviewer.oracle.oracle_errors import OracleMissing  # noqa: E402
from reviewer.oracle.program_runner import LocalRunner  # noqa: E402
from reviewer.oracle.workers import find_engine  # noqa: E402
from reviewer.report.text_table import text_table  # noqa: E402
from reviewer.runs.audit.dataset_audit import audit  # noqa: E402
from store.cases import get_measurements  # noqa: E402
from store.database import Database  # noqa: E402
from store.findings import cases_in, get_findings  # noqa: E402
from store.records import Measurement  # noqa: E402
from tests.bench.oracle import spawned  # noqa: E402
from tests.bench.support.oracle_programs import PUBLISHED, SEEDS, pairs  # noqa: E402

SAMPLE = 20
DATASET = "audited"


@dataclass(frozen=True)
class Audited:
    """One audit: seconds, cases, programs run (both versions and their variants), and kept values."""

    seconds: float
    cases: int
    programs: int
    kept: list[str]


def main() -> None:
    """Audit with one worker and with one per core, and print both beside the published way."""
    try:
        find_engine()
    except OracleMissing as missing:
        print(missing)
        return
    cores = os.cpu_count() or 1
    one, all_cores = audited(1), audited(cores)
    spawning = seconds_a_program() * one.programs
    rows = [
        ("swipl spawned for each, reckoned", one.cases, one.programs, f"{spawning:.1f}", "1.0x"),
        row("audit, one worker", one, spawning),
        row(f"audit, {cores} workers", all_cores, spawning),
    ]
    print(text_table(Table.of(("way", "cases", "programs", "seconds", "ratio"), rows)))
    same = "the same values and findings" if one.kept == all_cores.kept else "DIFFERENT values or findings"
    print(f"One worker and {cores} keep {same}.")


def row(name: str, done: Audited, baseline: float) -> tuple[str, int, int, str, str]:
    return name, done.cases, done.programs, f"{done.seconds:.1f}", f"{baseline / done.seconds:.1f}x"


def audited(workers: int) -> Audited:
    """A new store, filled before the clock starts, and a worker of its own started within it."""
    pool.close()
    with tempfile.TemporaryDirectory() as folder, closing(Database.open(f"{folder}/audit.db")) as database:
        store_source(database, check_source(PUBLISHED if PUBLISHED.exists() else SEEDS, DATASET))
        with database.read() as session:
            cases = cases_in(session, DATASET)
        started = time.perf_counter()
        with pool.open_executor(workers) as executor:
            audit(database, [cases], LocalRunner(executor))
        seconds = time.perf_counter() - started
        digests = [case.digest for case in cases]
        with database.read() as session:
            measured, found = get_measurements(session, digests), get_findings(session, digests)
    programs = sum(variants(values) for values in measured.values())
    kept = sorted(repr(value) for values in (*measured.values(), *found.values()) for value in values)
    return Audited(seconds, len(cases), programs, kept)


def variants(values: Sequence[Measurement]) -> int:
    """Both versions and every knock-out; the five further changes are left out, so the ratio is modest."""
    return 2 + sum(len(list(value.value)) for value in values if value.name == "knock_outs")


def seconds_a_program() -> float:
    """The published way's cost, start of process included, from a sample spread over the pairs."""
    programs = [pair.unbiased for pair in pairs(SAMPLE)]
    started = time.perf_counter()
    spawned(programs)
    return (time.perf_counter() - started) / (len(programs) + 2)  # two more calibrate it


if __name__ == "__main__":
    main()
