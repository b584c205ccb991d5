"""Time to merge 20 packs of 10,000 verdicts each, and to merge them again, against copying bare rows.

Usage: python tests/bench/merge.py [--packs 20] [--verdicts 10000]

The baseline reads the same rows with sqlite3 and inserts them into a table with the same key, in one
transaction a file, durable at its end: no checks, no digests, no seal.
"""

import argparse
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import asdict
from pathlib import Path

from sqlalchemy import insert

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from reviewer.core.table import Table  # noqa: E402
from reviewer.exchange.packs.pack import write_pack  # noqa: E402
from reviewer.exchange.packs.store_files import merge_file  # noqa: E402
from reviewer.report.text_table import text_table  # noqa: E402
from reviewer.study.design.study_bundle import StudyBundle, load_study  # noqa: E402
from store.clock import next_id  # noqa: E402
from store.database import Database  # noqa: E402
from store.records import Event  # noqa: E402
from store.study_tables import EventRow  # noqa: E402
from tests.studies import AT, a_study, open_store  # noqa: E402

START = 1_767_225_600_000
QUESTIONS = 4


def main() -> None:
    """Make the packs, merge them, print."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--packs", type=int, default=20)
    options.add_argument("--verdicts", type=int, default=10_000)
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        lead = open_store(folder)
        raters = [f"rater-{number:02d}" for number in range(chosen.packs)]
        a_study(lead, cases=chosen.verdicts // QUESTIONS, raters=raters)
        packs = [worked_pack(lead, rater, folder, chosen.verdicts) for rater in raters]
        bare = seconds(lambda: copy_rows(folder / "bare.db", packs))
        dry = seconds(lambda: merge(lead, packs, dry_run=True))
        first = seconds(lambda: merge(lead, packs))
        again = seconds(lambda: merge(lead, packs))
    many = chosen.packs * chosen.verdicts
    rows = [
        (what, f"{took:.1f} s", f"{took / chosen.packs:.2f} s", f"{many / took:,.0f}", f"{took / bare:.1f}")
        for what, took in (
            ("copying bare rows (baseline)", bare),
            ("dry run", dry),
            ("merge", first),
            ("merge again", again),
        )
    ]
    title = f"{chosen.packs} packs of {chosen.verdicts:,} verdicts"
    print(text_table(Table.of((title, "time", "a pack", "verdicts a second", "ratio"), rows)))


def worked_pack(lead: Database, rater: str, folder: Path, verdicts: int) -> Path:
    """A pack whose rater has labelled everything, without the session, which would take longer."""
    path = folder / f"{rater}.review"
    write_pack(lead, "pilot", rater, path)
    with closing(Database.open(str(path))) as pack:
        events = labels(load_study(pack, "pilot"), rater)[:verdicts]
        with pack.write() as session:
            session.connection().execute(insert(EventRow), [event.model_dump() for event in events])
    return path


def labels(bundle: StudyBundle, rater: str) -> list[Event]:
    """One label a slot."""
    newest, events = None, list[Event]()
    for question in bundle.questions:
        for slot in bundle.slots(question):
            newest = next_id(newest, START)
            content = {**asdict(slot), "question_digest": bundle.shown_digest(slot), "kind": "label"}
            who = {"study": "pilot", "rater": rater, "value": "True", "given": "app"}
            events.append(Event.sealed(**who, **content, id=newest, at=AT))
    return events


def merge(lead: Database, packs: list[Path], *, dry_run: bool = False) -> None:
    """All packs, as the command does it."""
    for pack in packs:
        assert not any(account.refused for account in merge_file(lead, pack, dry_run=dry_run))


def copy_rows(target: Path, packs: list[Path]) -> None:
    """The same rows without a thought."""
    with closing(sqlite3.connect(target, isolation_level=None)) as connection:
        for pragma in ("journal_mode=WAL", "synchronous=FULL"):
            connection.execute(f"PRAGMA {pragma}")
        for pack in packs:
            with closing(sqlite3.connect(pack)) as source:
                rows = source.execute("SELECT * FROM events").fetchall()
            marks = ", ".join("?" * len(rows[0]))
            names = ", ".join(f"c{number}" for number in range(1, len(rows[0])))
            connection.execute(f"CREATE TABLE IF NOT EXISTS events (id PRIMARY KEY, {names})")
            connection.execute("BEGIN IMMEDIATE")
            connection.executemany(f"INSERT OR IGNORE INTO events VALUES ({marks})", rows)
            connection.execute("COMMIT")


def seconds(work: Callable[[], object]) -> float:
    """How long it takes."""
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


if __name__ == "__main__":
    main()
