"""Starts, against a blank Textual app: the home screen, its studies, and commands that print some lines.

Usage: python tests/bench/start.py [--rounds 10] [--against CHECKOUT]

Each start runs in a process of its own, which is killed once its text is there. What counts is the processor
time until then, since other programs change it less than the time on the clock, which is shown too. All kinds
of start take turns, so that a busier minute meets all of them. The store holds the sixteen shipped seeds.
"""

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from reviewer.core.table import Table  # noqa: E402
from reviewer.report.text_table import text_table  # noqa: E402
from tests.bench.support.pressing import BARE  # noqa: E402
from tests.terminal import Terminal  # noqa: E402

STUDY = "seeds-demo"
STORE = """
import sys
sys.path.insert(0, sys.argv[1])
from reviewer.exchange.rows.shipped import SHIPPED, ensure_seeds
from reviewer.study.design.study_creation import Design, create_study
from store.database import Database
database = Database.open(sys.argv[2])
ensure_seeds(database)
create_study(database, "seeds-demo", Design((SHIPPED,), None, 1, raters=("anna",)))
database.close()
"""
OURS = """
import sys
sys.path.insert(0, sys.argv.pop(1))
sys.argv[0] = "reviewer"
from reviewer.cli import main
main()
"""
Seconds = tuple[float, float]
"""Of the processor, and of the clock."""


def main() -> None:
    """Make a store, start everything in turns, print."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rounds", type=int, default=10)
    options.add_argument(
        "--against", type=Path, help="another checkout, whose starts are measured in the same turns"
    )
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        starts = {"blank Textual app": (BARE, "ready"), **_starts(ROOT, Path(folder) / "ours.db", "")}
        if chosen.against:
            other = Path(folder) / "theirs.db"
            starts |= _starts(chosen.against.resolve(), other, " (the other checkout)")
        found: dict[str, list[Seconds]] = {name: [] for name in starts}
        for _ in range(chosen.rounds):
            for name, (arguments, text) in starts.items():
                found[name].append(_start(arguments, text))
    blank, _ = _medians(found["blank Textual app"])
    rows = [_row(name, seconds, blank) for name, seconds in found.items()]
    print(text_table(Table.of(("start", "processor", "clock", "to the blank app"), rows)))


def _starts(checkout: Path, store: Path, which: str) -> dict[str, tuple[list[str], str]]:
    """Name → arguments of Python and the text that is waited for; the checkout makes its store itself."""
    subprocess.run([sys.executable, "-c", STORE, str(checkout), str(store)], check=True, cwd=checkout)
    ours = ["-c", OURS, str(checkout)]
    app = [*ours, "--store", str(store)]
    return {
        f"home screen{which}": (app, "Datasets"),
        f"home with its studies{which}": (app, STUDY),
        f"reviewer --version{which}": ([*ours, "--version"], "version"),
        f"reviewer --help{which}": ([*ours, "--help"], "Example:"),
    }


def _start(arguments: Sequence[str], text: str) -> Seconds:
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    with Terminal(arguments) as terminal:
        terminal.wait_for(text)
        clock = time.perf_counter() - began
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, clock


def _medians(seconds: list[Seconds]) -> Seconds:
    return median(processor for processor, _ in seconds), median(clock for _, clock in seconds)


def _row(name: str, seconds: list[Seconds], blank: float) -> tuple[str, ...]:
    processor, clock = _medians(seconds)
    return name, f"{processor:.2f} s", f"{clock:.2f} s", f"{processor / blank:.2f}"


if __name__ == "__main__":
    main()
