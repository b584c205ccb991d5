"""One writer of the bench, as a process of its own: says ``ready``, waits for a line, and writes for a while.

Usage: python writer.py bare|store|desk LOCATION RATER SECONDS. Says in the end, as one line of JSON, how many
milliseconds each acknowledged write took, and how many writes gave up waiting.
"""

import json
import random
import sqlite3
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from reviewer.core.errors import StoreBusyError
from reviewer.exchange.packs.workspace import workspace_away_from
from reviewer.study.session.review_session import ReviewSession
from store.database import Database

STUDY = "pilot"
BARE_TABLE = "CREATE TABLE IF NOT EXISTS verdicts (id INTEGER PRIMARY KEY, body TEXT)"
_BODY = "x" * 600
"""About the size of an event of the ledger."""


def bare_write(location: str) -> Callable[[], None]:
    """The least that a durable row costs: sqlite3, WAL, synchronous=FULL, one row a commit."""
    connection = sqlite3.connect(location, isolation_level=None, timeout=30.0)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")

    def write() -> None:
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("INSERT INTO verdicts (body) VALUES (?)", (_BODY,))
        connection.execute("COMMIT")

    return write


def session_write(database: Database, rater: str) -> Callable[[], None]:
    """One answer of a session, anywhere in the study."""
    session = ReviewSession(database, STUDY, rater)
    chance = random.Random(rater)

    def write() -> None:
        session.go_to(chance.randrange(len(session.slots)))
        session.answer(chance.choice(("True", "False")))

    return write


def writing(kind: str, location: str, rater: str) -> tuple[Callable[[], None], Callable[[], object]]:
    """A write of this kind, and how to leave."""
    if kind == "bare":
        return bare_write(location), lambda: None
    if kind == "desk":
        workspace, _ = workspace_away_from(location, STUDY, rater)
        return session_write(workspace.database, rater), lambda: workspace.leave(5.0)
    database = Database.open(location, must_exist=True)
    return session_write(database, rater), database.close


def main() -> None:
    """Write, and tell."""
    kind, location, rater, seconds = sys.argv[1:]
    write, leave = writing(kind, location, rater)
    print("ready", flush=True)
    sys.stdin.readline()
    latencies, gave_up = list[float](), 0
    until = time.perf_counter() + float(seconds)
    while (began := time.perf_counter()) < until:
        try:
            write()
            latencies.append(1000 * (time.perf_counter() - began))
        except StoreBusyError:
            gave_up += 1
    print(json.dumps({"latencies": latencies, "gave_up": gave_up}), flush=True)
    leave()


if __name__ == "__main__":
    main()
