"""Beginning to review on a large store, writing to it during an import, and what a verdict takes of it.

Usage: python tests/bench/review.py [--cases 100000] [--verdicts 1000000] [--store FILE-TO-KEEP]
"""

import argparse
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from reviewer.core.table import Table  # noqa: E402
from reviewer.report.text_table import text_table  # noqa: E402
from reviewer.study.session.review_session import ReviewSession  # noqa: E402
from store.case_import import Entry, import_entries  # noqa: E402
from store.database import Database  # noqa: E402
from store.records import Dataset  # noqa: E402
from tests.bench.support.large_store import RATER, STUDY, build  # noqa: E402
from tests.bench.support.pressing import BARE  # noqa: E402
from tests.studies import AT, BIASES, a_case, entries_for  # noqa: E402
from tests.terminal import Terminal  # noqa: E402

STARTS = 5
IMPORTED = 5_000

Row = tuple[str, str, str, str]


def main() -> None:
    """Build the store (minutes at full size), measure, print."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--cases", type=int, default=100_000)
    options.add_argument("--verdicts", type=int, default=1_000_000)
    options.add_argument("--store", type=Path, help="built here if it does not exist, and kept")
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = chosen.store or Path(folder) / "large.db"
        started = time.perf_counter()
        database = Database.open(str(path)) if path.exists() else build(path, chosen.cases, chosen.verdicts)
        seconds = time.perf_counter() - started
        print(f"store of {chosen.cases:,} cases and {chosen.verdicts:,} verdicts: made in {seconds:.0f} s")
        review = ["-m", "reviewer", "review", STUDY, "--rater", RATER, "--store", str(path)]
        rows = [
            first_screen(review),
            import_rate(Path(folder)),
            *keys_during_import(database),
            verdict_size(Path(folder)),
        ]
    print(text_table(Table.of(("measure", "ours", "baseline", "ratio"), rows)))


def first_screen(review: Sequence[str]) -> Row:
    """From starting Python to the question on the screen."""
    ours = [_start(review, "True") for _ in range(STARTS)]
    bare = [_start(BARE, "ready") for _ in range(STARTS)]
    return _row(
        "first review screen, median", statistics.median(ours), statistics.median(bare), "blank Textual app"
    )


def _start(command: Sequence[str], shown: str) -> float:
    started = time.perf_counter()
    with Terminal(command) as terminal:
        terminal.wait_for(shown)
        return time.perf_counter() - started


def import_rate(folder: Path) -> Row:
    """Cases with their published values, against writing their bare texts with sqlite3."""
    cases = [a_case(number, BIASES[number % 8]) for number in range(IMPORTED)]
    entries = entries_for("new", cases)
    database = Database.open(str(folder / "import.db"))
    ours = _seconds(lambda: _import(database, entries))
    bare = sqlite3.connect(folder / "bare.db")
    bare.execute("CREATE TABLE cases (digest PRIMARY KEY, payload)")
    texts = [(case.digest, case.model_dump_json()) for case in cases]

    def write_texts() -> None:
        with bare:
            bare.executemany("INSERT INTO cases VALUES (?, ?)", texts)

    seconds = _seconds(write_texts)
    ratio = f"{ours / seconds:.1f}"
    return (
        "import, cases a second",
        f"{IMPORTED / ours:,.0f}",
        f"{IMPORTED / seconds:,.0f} (bare sqlite3)",
        ratio,
    )


def _import(database: Database, entries: Sequence[Entry]) -> None:
    import_entries(
        database, Dataset(name="new", protocol="probe-swe", source="a bench", imported_at=AT), entries
    )


def keys_during_import(database: Database) -> list[Row]:
    """The longest a rater's key takes to be saved while another process imports, and while none does."""
    session = ReviewSession(database, STUDY, "ben")
    quiet = [_seconds(lambda: session.answer("True")) for _ in range(400)]
    name = f"imported-{time.time_ns()}"
    code = (
        "import sys; from store.database import Database; from store.cases import import_entries;"
        "from store.records import Dataset; from tests.studies import *;"
        f"cases = [a_case(n + time_ns, BIASES[n % 8]) for n in range({IMPORTED})];"
        f"import_entries(Database.open(sys.argv[1]), Dataset(name={name!r}, protocol='probe-swe', source='b',"
        f" imported_at=AT), entries_for({name!r}, cases)); print('done')"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", f"time_ns = {time.time_ns()};" + code, database.location], cwd=ROOT, text=True
    )
    ended = threading.Event()
    threading.Thread(target=lambda: (process.wait(), ended.set())).start()
    busy = []
    while not ended.is_set():
        busy.append(_seconds(lambda: session.answer("True")))
        session.previous()
        time.sleep(0.005)
    return [
        _row("key saved during an import, p95", _p95(busy), _p95(quiet), "no import"),
        _row("key saved during an import, longest", max(busy), max(quiet), "no import"),
    ]


def verdict_size(folder: Path) -> Row:
    """Bytes of the store a verdict costs, against its row in labels.csv."""
    path = folder / "size.db"
    database = build(path, 4_100, 0)
    before = path.stat().st_size
    build_on = ReviewSession(database, STUDY, "cara")
    while not build_on.finished:
        build_on.answer("True")
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    each = (path.stat().st_size - before) / len(build_on.slots)
    from reviewer.results.tables.label_tables import LABELS
    from reviewer.study.session.label_rows import label_rows

    rows = label_rows(build_on.bundle, list(build_on.history.events.values()))
    text = len(LABELS.for_programs(rows).to_csv()) / len(rows)
    return "store, bytes a verdict", f"{each:,.0f}", f"{text:,.0f} (row in labels.csv)", f"{each / text:.1f}"


def _seconds(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def _p95(values: Sequence[float]) -> float:
    return sorted(values)[int(len(values) * 0.95)]


def _row(measure: str, ours: float, baseline: float, name: str) -> Row:
    return measure, f"{ours * 1000:.1f} ms", f"{baseline * 1000:.1f} ms ({name})", f"{ours / baseline:.1f}"


if __name__ == "__main__":
    main()
