"""Import, audit, agreement, report and export, in turn here and in another checkout of this project.

Usage: python tests/bench/commands.py [--against CHECKOUT] [--rounds 10] [--cases FILE]

The sixteen shipped seeds are audited; what is imported are the seeds too, or the cases of a file. Every
command runs in a process of its own; what counts is its processor time, with that of the processes it starts.
The other checkout takes part twice: its spread against itself shows what a ratio of 1 looks like. A first
round, which does not count, compiles all modules of both checkouts, as they are where people use them.
"""

import argparse
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from reviewer.core.table import Table  # noqa: E402
from reviewer.report.text_table import text_table  # noqa: E402

SEEDS = ROOT / "seeds" / "probe_swe"
OURS, THEIRS, THEIRS_AGAIN = "ours", "theirs", "theirs again"
FINISHED = """
import sys
from pathlib import Path
from store.database import Database
from tests.bench.support import large_store
database = large_store.build(Path(sys.argv[1]), 400, 0)
large_store._add_finished_study(database, "finished", 8, ["anna", "ben", "cara"])
database.close()
"""


def main() -> None:
    """Make the stores, run every command in turn, print."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--against", type=Path, default=ROOT, help="the other checkout; this one by default")
    options.add_argument("--rounds", type=int, default=10)
    options.add_argument("--cases", type=Path, default=SEEDS, help="what is imported")
    chosen = options.parse_args()
    other = chosen.against.resolve()
    checkouts = {OURS: ROOT, THEIRS: other, THEIRS_AGAIN: other}
    with tempfile.TemporaryDirectory() as folder:
        _keep_compiled(Path(folder) / "compiled")
        stores = {name: _made(checkouts[name], Path(folder) / name) for name in checkouts}
        seconds: defaultdict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
        for number in range(chosen.rounds + 1):
            for command in _commands(chosen.cases):
                for name, checkout in checkouts.items():
                    took = _run(checkout, command, stores[name], chosen.cases)
                    if number:
                        seconds[command][name].append(took)
    print(text_table(Table.of(("command", *checkouts, "ours to theirs", "theirs to itself"), _rows(seconds))))


def _commands(cases: Path) -> Mapping[str, Sequence[str]]:
    """Name → store (``empty``, ``imported``, ``finished``) and the arguments; FOLDER is to be written."""
    return {
        "import": ("empty", "import", str(cases), "--dataset", "cases"),
        "audit": ("imported", "audit", "cases", "--workers", "1"),
        "agreement": ("finished", "agreement", "finished"),
        "report": ("finished", "report", "finished", "-o", "FOLDER"),
        "export": ("finished", "export", "finished", "-o", "FOLDER"),
    }


def _keep_compiled(folder: Path) -> None:
    """Have Python keep what it compiles, of both checkouts, in a folder of this run."""
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ["PYTHONPYCACHEPREFIX"] = str(folder)


def _made(checkout: Path, folder: Path) -> Path:
    """A folder with the three stores, made by the commands of that checkout."""
    folder.mkdir()
    _python(checkout, "-c", FINISHED, str(folder / "finished.db"))
    _python(checkout, *_command(folder / "imported.db", "import", str(SEEDS), "--dataset", "cases"))
    return folder


def _run(checkout: Path, command: str, stores: Path, cases: Path) -> float:
    """Seconds of the processor, on a fresh copy of the store."""
    which, *arguments = _commands(cases)[command]
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "copy.db"
        for source in stores.glob(f"{which}.db*"):  # with its log, if it has one
            shutil.copy(source, store.with_name(source.name.replace(which, "copy")))
        written = str(Path(folder) / "written")
        arguments = [written if word == "FOLDER" else word for word in arguments]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        _python(checkout, *_command(store, *arguments))
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _command(store: Path, *arguments: str) -> list[str]:
    return ["-m", "reviewer", *arguments, "--store", str(store)]


def _python(checkout: Path, *arguments: str) -> None:
    done = subprocess.run([sys.executable, *arguments], cwd=checkout, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(arguments)} in {checkout} ended with {done.returncode}:\n{done.stderr}")


def _rows(seconds: Mapping[str, Mapping[str, list[float]]]) -> list[tuple[str, ...]]:
    return [
        _row(command, {name: median(times) for name, times in by.items()}) for command, by in seconds.items()
    ]


def _row(command: str, medians: Mapping[str, float]) -> tuple[str, ...]:
    theirs = medians[THEIRS]
    times = (f"{medians[name]:.2f} s" for name in (OURS, THEIRS, THEIRS_AGAIN))
    return command, *times, f"{medians[OURS] / theirs:.3f}", f"{medians[THEIRS_AGAIN] / theirs:.3f}"


if __name__ == "__main__":
    main()
