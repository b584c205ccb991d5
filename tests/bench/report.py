"""Time to make the report of a 120-case, 3-rater, 4-question study over three generators.

Run as ``python tests/bench/report.py``. The baseline is the same report without its figures, whose cost is
matplotlib's; the wall is five seconds for everything, the start of the program included.
"""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from reviewer.core.table import Table  # noqa: E402
from reviewer.report.text_table import text_table  # noqa: E402
from tests.judged import judged_study  # noqa: E402
from tests.studies import open_store  # noqa: E402

_RUNS = 3
_WORK = {
    "whole report": (),
    "analytic intervals": ("--interval", "analytic"),
    "no figures (baseline)": ("--no-figures",),
}


def seconds(folder: Path, options: tuple[str, ...]) -> float:
    """The best of some runs of the command, each a process of its own."""
    command = [sys.executable, "-m", "reviewer", "report", "pilot", "--store", str(folder / "reviewer.db")]
    times = []
    for run in range(_RUNS):
        start = time.perf_counter()
        subprocess.run(
            [*command, "-o", str(folder / f"out{run}"), *options], cwd=ROOT, check=True, capture_output=True
        )
        times.append(time.perf_counter() - start)
    return min(times)


def main() -> None:
    """Print one line a way of making it."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        judged_study(open_store(folder))
        measured = {title: seconds(folder, options) for title, options in _WORK.items()}
    baseline = measured["no figures (baseline)"]
    rows = [(title, f"{took:.2f} s", f"{took / baseline:.1f}") for title, took in measured.items()]
    print(text_table(Table.of(("report of 120 cases × 4 questions × 3 raters", "time", "ratio"), rows)))


if __name__ == "__main__":
    main()
