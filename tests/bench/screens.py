"""Opening screens on a large store, from key to painted, against reading the study's events with sqlite3.

Usage: python tests/bench/screens.py [--cases 100000] [--store FILE-TO-KEEP]

The store holds a closed study of 1,200 cases by ten raters (48,000 labels), and 48 small ones beside it.
*First sign* is when anything was painted: what takes longer says meanwhile that it is at work.
"""

import argparse
import sqlite3
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from reviewer.core.table import Table  # noqa: E402
from reviewer.report.text_table import text_table  # noqa: E402
from store.database import Database  # noqa: E402
from store.studies import list_studies  # noqa: E402
from tests.bench.support.large_store import FINISHED, FINISHED_RATER, add_finished_studies, build  # noqa: E402
from tests.bench.support.pressing import press_and_see  # noqa: E402
from tests.terminal import Terminal  # noqa: E402

_TIMES = 3
_DOWN = "\x1b[B"

Step = tuple[str, str, str]
"""The name of the measurement ("" for none), the keys, and a pattern of the screen that they paint."""

AS_RATER: Sequence[Step] = (
    ("own labels beside the final ones", "f", r"other than the final label"),
    ("one of them", "\r", r"final: "),
    ("", "q", r"other than the final label"),
    ("back to the studies", "q", r"Studies"),
    ("agreement, resampled", "a", r"all questions"),
    ("its disagreements", "\x1b[C\x1b[C\x1b[C\x1b[C\r", r"disagreements"),
    ("one of them", "\r", r"1 of "),
    ("", "q", r"disagreements"),
    ("", "q", r"all questions"),
    ("", "q", r"Studies"),
    ("cases", "l", r"200 listed"),
    ("", "\x1b", r"Studies"),
    ("the study itself", "\r", r"Everything is labelled"),
)
AS_ADJUDICATOR: Sequence[Step] = (
    ("disputes", "d", r"disputes?: "),
    ("one of them", "\r", r"dispute 1 of"),
    ("the next", "n", r"dispute 2 of"),
    ("back to the disputes", "q", r"disputes?: "),
)


def main() -> None:
    """Build the store (two minutes at full size), measure, print."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--cases", type=int, default=100_000)
    options.add_argument("--store", type=Path, help="built here if it does not exist, and kept")
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = chosen.store or Path(folder) / "large.db"
        place = _place_of_the_study(path, chosen.cases)
        events = min(_read_events(path) for _ in range(_TIMES))
        rounds = [_round(path, place) for _ in range(_TIMES)]
    print(f"{chosen.cases:,} cases; the quickest of {_TIMES}; to reading the study's events: {_ms(events)}")
    rows = [_row(what, [each[what] for each in rounds], events) for what in rounds[0]]
    print(text_table(Table.of(("screen", "first sign", "painted", "to the events"), rows)))


def _place_of_the_study(path: Path, cases: int) -> int:
    """Where it stands on the home screen."""
    database = Database.open(str(path)) if path.exists() else build(path, cases, 0)
    with closing(database), database.read() as session:
        names = [study.name for study in list_studies(session)]
        if FINISHED in names:
            return names.index(FINISHED)
    add_finished_studies(database, cases)
    return len(names)


def _read_events(path: Path) -> float:
    started = time.perf_counter()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("SELECT * FROM events WHERE study = ? ORDER BY id", (FINISHED,)).fetchall()
    return time.perf_counter() - started


def _round(path: Path, place: int) -> dict[str, tuple[float, float]]:
    """First sign and painted, in seconds, of every step."""
    found: dict[str, tuple[float, float]] = {}
    for rater, steps in ((FINISHED_RATER, AS_RATER), ("zoe", AS_ADJUDICATOR)):
        with _at_home(path, rater, place, found) as terminal:
            before = ""
            for what, keys, painted in steps:
                seconds = press_and_see(terminal, keys, painted)
                if what:
                    found[f"{before}: {what}" if what == "one of them" else what] = seconds
                    before = what
    return found


@contextmanager
def _at_home(path: Path, rater: str, place: int, found: dict[str, tuple[float, float]]) -> Iterator[Terminal]:
    started = time.perf_counter()
    with Terminal(["-m", "reviewer", "--store", str(path)], LOGNAME=rater) as terminal:
        terminal.wait_for("Studies")
        signed = time.perf_counter() - started
        terminal.wait_for(FINISHED)
        found["program started, home"] = signed, time.perf_counter() - started
        press_and_see(terminal, _DOWN * place)
        yield terminal


def _row(what: str, seconds: Sequence[tuple[float, float]], events: float) -> tuple[str, ...]:
    sign, painted = (min(each) for each in zip(*seconds, strict=True))
    return what, _ms(sign), _ms(painted), f"{painted / events:.1f}"


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:.0f} ms"


if __name__ == "__main__":
    main()
