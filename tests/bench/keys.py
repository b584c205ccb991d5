"""From a key to the screen painted, on a large store, against a bare Textual app that echoes a key.

Usage: python tests/bench/keys.py [--cases 100000] [--presses 60] [--store FILE-TO-KEEP]

Both run in a (pseudo) terminal of 160 by 48 and are read until what the key asks for has been written; the
bare app is measured before and after, so that a machine that is busy with something else shows.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import cycle
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from reviewer.core.table import Table  # noqa: E402
from reviewer.report.text_table import text_table  # noqa: E402
from reviewer.study.design.study_creation import Design, create_study  # noqa: E402
from store.database import Database  # noqa: E402
from tests.bench.support.large_store import STUDY, build  # noqa: E402
from tests.bench.support.pressing import BARE, Measured, press  # noqa: E402
from tests.studies import a_case, fill  # noqa: E402
from tests.terminal import Terminal  # noqa: E402

LONG, LONG_CASES, LINES = "long", 40, 3_000
READING = 1.5


def main() -> None:
    """Build the store (a minute at full size), measure, print."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--cases", type=int, default=100_000)
    options.add_argument("--presses", type=int, default=60)
    options.add_argument("--store", type=Path, help="built here if it does not exist, and kept")
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = chosen.store or Path(folder) / "large.db"
        if not path.exists():
            _long_study(build(path, chosen.cases, 0))
        rows = _rows(path, chosen.presses)
    print(f"{chosen.cases:,} cases, {chosen.presses} presses each, terminal of 160 x 48")
    print(text_table(Table.of(("key", "median", "p95", "to the bare echo", "p95"), rows)))


def _long_study(database: Database) -> None:
    """A study of long programs, no two of which are the same."""
    fill(database, LONG, [a_case(9_000_000 + number, **_programs(number)) for number in range(LONG_CASES)])
    create_study(database, LONG, Design((LONG,), None, 1))


def _programs(case: int) -> dict[str, str]:
    facts = "\n".join(f"fact_{number}(option_A, value_{(number + case) % 7})." for number in range(LINES))
    return {"unbiased_prolog": facts, "biased_prolog": facts.replace("value_3", "value_4")}


def _rows(path: Path, presses: int) -> list[tuple[str, ...]]:
    bare = _bare(presses)
    found = [*_review(path, presses), *_search(path, presses), *_long_programs(path, presses)]
    again = _bare(presses)
    rows = [_row(Measured("bare Textual app, echo", bare.seconds), bare)]
    rows += [_row(each, bare) for each in found]
    return [*rows, _row(Measured("bare Textual app, echo, afterwards", again.seconds), bare)]


def _row(each: Measured, bare: Measured) -> tuple[str, ...]:
    times = (f"{each.median * 1000:.1f} ms", f"{each.p95 * 1000:.1f} ms")
    return (each.what, *times, f"{each.median / bare.median:.1f}", f"{each.p95 / bare.p95:.1f}")


def _bare(presses: int) -> Measured:
    with Terminal(BARE) as terminal:
        terminal.wait_for("ready")
        return Measured("", [press(terminal, "t", r"ready") for _ in range(presses)])


@contextmanager
def _reviewing(path: Path, study: str) -> Iterator[Terminal]:
    """A review by somebody new, in a terminal."""
    rater = f"rater {time.time_ns()}"
    with Terminal(["-m", "reviewer", "review", study, "--rater", rater, "--store", str(path)]) as terminal:
        terminal.begin()
        terminal.wait_for("True")
        yield terminal


def _review(path: Path, presses: int) -> list[Measured]:
    with _reviewing(path, STUDY) as terminal:
        label = [press(terminal, "t", r"saved") for _ in range(presses)]
        undo = [press(terminal, "u", r"taken back") for _ in range(presses)]
        moves = [press(terminal, "n") for _ in range(presses)]
        narrow = []
        for _ in range(presses):
            press(terminal, "i", r"filter")
            narrow.append(press(terminal, "\x1b[B\r", r"only"))
            press(terminal, "I")
        words = cycle("release")
        press(terminal, "/")
        within = [press(terminal, next(words)) for _ in range(presses)]
    return [
        Measured("label, saved and the next case", label),
        Measured("undo", undo),
        Measured("next case", moves),
        Measured("filter chosen, 2 keys", narrow),
        Measured("search in the case, a letter", within),
    ]


def _search(path: Path, presses: int) -> list[Measured]:
    """Words typed into the search over all cases, until their list is there."""
    with Terminal(["-m", "reviewer", "--store", str(path)]) as terminal:
        terminal.wait_for("Studies")
        terminal.press("l")
        terminal.wait_for("cases")
        seconds = []
        for number in range(presses):
            terminal.press("\x15")
            terminal.wait_for("200 listed")
            seconds.append(press(terminal, f"release {1_000 + number}", r"\d+ cases|No case"))
    return [Measured("search over all cases, typed in one go", seconds)]


def _long_programs(path: Path, presses: int) -> list[Measured]:
    """Each of them is opened for the first time; half of them after the one before was looked at a while."""
    with _reviewing(path, LONG) as terminal:
        at_once = [press(terminal, "n") for _ in range(min(presses, LONG_CASES // 2))]
        read = [_read_and_press(terminal, "n") for _ in range(min(presses, LONG_CASES // 2 - 1))]
    return [
        Measured(f"next case, programs of {LINES:,} lines, after {READING:g} s of reading", read),
        Measured("the same at once, which nobody reads", at_once),
    ]


def _read_and_press(terminal: Terminal, key: str) -> float:
    time.sleep(READING)
    return press(terminal, key)


if __name__ == "__main__":
    main()
