"""How long a trial of a repaired case takes, and the balancing of a dataset.

A trial runs a candidate content with every check: both programs, and all variants of the first. It is
compared with a bare run of both programs, with the same warm worker. Balancing is the whole command without
its printing: it reads, chooses, exchanges, runs and saves. Published pairs where they are, else the seeds,
which are balanced already.
"""

import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from reviewer.core.table import Table  # noqa: E402
from reviewer.exchange.rows.dataset_import import check_source, store_source  # noqa: E402
from reviewer.oracle import pool  # noqa: E402
from reviewer.oracle.oracle_errors import OracleMissing  # noqa: E402
from reviewer.oracle.program_runner import LocalRunner  # noqa: E402
from reviewer.oracle.workers import find_engine  # noqa: E402
from reviewer.report.text_table import text_table  # noqa: E402
from reviewer.runs.audit.check_texts import examination_of  # noqa: E402
from reviewer.runs.repair.balance import balanced_groups, right_options  # noqa: E402
from reviewer.runs.repair.rule_repair import (  # noqa: E402
    places_to_repair,
    repairs_of,
    rule_trials,
    saved_trials,
)
from reviewer.runs.repair.trial import run_content, try_content, warm_up  # noqa: E402
from store.database import Database  # noqa: E402
from tests.bench.support.oracle_programs import PUBLISHED, SEEDS  # noqa: E402

SAMPLE, DATASET = 60, "repaired"


def main() -> None:
    """Print both tables."""
    try:
        find_engine()
    except OracleMissing as missing:
        print(missing)
        return
    with tempfile.TemporaryDirectory() as folder, closing(Database.open(f"{folder}/repair.db")) as database:
        store_source(database, check_source(PUBLISHED if PUBLISHED.exists() else SEEDS, DATASET))
        print(text_table(trials(database)))
        print(text_table(balancing(database)))


def trials(database: Database) -> Table:
    """The median and the slowest of a bare run and of a trial, over a sample of cases."""
    protocol, _ = repairs_of(database, DATASET)
    places = places_to_repair(database, DATASET)
    bare, tried = [], []
    warm_up()
    for now in places[:: max(1, len(places) // SAMPLE)]:
        plan = examination_of(protocol, now.case)
        assert plan is not None
        started = time.perf_counter()
        pool.run_case([plan.first, plan.second])
        bare.append(time.perf_counter() - started)
        stored = run_content(protocol, now.case)
        altered = {**now.case.payload, "unbiased": f"{now.case.payload['unbiased']} Why?"}
        candidate = protocol.case(now.case.group, altered)
        started = time.perf_counter()
        try_content(protocol, stored, candidate)
        tried.append(time.perf_counter() - started)
    rows = [
        (name, len(taken), f"{1000 * median(taken):.0f}", f"{1000 * max(taken):.0f}", f"{ratio:.1f}x")
        for name, taken, ratio in (
            ("both programs, bare", bare, 1.0),
            ("trial with every check", tried, median(tried) / median(bare)),
        )
    ]
    return Table.of(("what", "cases", "median ms", "slowest ms", "ratio"), rows)


def balancing(database: Database) -> Table:
    """Seconds of choosing and of exchanging, and how often each option is right before and after."""
    protocol, repairs = repairs_of(database, DATASET)
    assert repairs.exchange is not None
    with pool.open_executor() as executor:
        started = time.perf_counter()
        places = places_to_repair(database, DATASET)
        groups = balanced_groups(places, right_options(protocol, places, LocalRunner(executor)), seed=0)
        chosen = time.perf_counter()
        saved = 0
        for group in groups:
            found = rule_trials(database, protocol, repairs.exchange, group.surplus, executor)
            with closing(found) as each:
                made = saved_trials(database, each, group.needed, author="bench", reason="balanced")
                saved += sum(tried.trial is not None for tried in made)
        done = time.perf_counter()
        places = places_to_repair(database, DATASET)
        after = balanced_groups(places, right_options(protocol, places, LocalRunner(executor)), seed=0)
    counts = [
        " and ".join(str(sum(group.now[n] for group in some)) for n in (0, 1)) for some in (groups, after)
    ]
    rows = [
        ("choosing", len(places), f"{chosen - started:.1f}", counts[0]),
        ("exchanging and saving", saved, f"{done - chosen:.1f}", counts[1]),
    ]
    return Table.of(("step", "cases", "seconds", "options right"), rows)


if __name__ == "__main__":
    main()
