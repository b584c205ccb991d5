"""A store of ten million verdicts on a PostgreSQL server: time and peak memory of what people do with it.

Usage: nice python tests/bench/verdicts.py [--cases 100000] [--tenth] [--folder FOLDER-TO-KEEP]

``--cases`` 100000 makes 10,000,000 events in ten studies of 1,000,000 verdicts each (half an hour, 20 GB).
``--tenth`` measures a store of a tenth of that first, and prints how time and memory grew. ``--folder`` keeps
the stores, so that a later call measures the same ones. Memory is that of this program, not of the server.
Processor time is that of both, and does not depend on what else the machine does.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from reviewer.core.table import Table  # noqa: E402
from reviewer.report.text_table import text_table  # noqa: E402
from store.database import Database  # noqa: E402
from tests.bench.support.processor_time import seconds_below  # noqa: E402
from tests.bench.support.verdict_store import EVENTS_PER_CASE, fill_store, study_name  # noqa: E402
from tests.postgres import Server, binaries  # noqa: E402

STUDY = study_name(0)
_OPEN = "import sys; from store.database import Database; database = Database.open(sys.argv[1]);"
_CASES = "from store.cases import Filter, count_places, facets, list_places;"
_LISTS = f"{_OPEN} {_CASES} session = database.read().__enter__();"
_PROGRESS = "from reviewer.study.session.rater_progress import progress_of;"


# The system's report of a child begins with its parent's memory, so the child reports its own peak.
_AT_THE_END = (
    "import atexit, pathlib; atexit.register(lambda: pathlib.Path('peak').write_text("
    "pathlib.Path('/proc/self/status').read_text().split('VmHWM:')[1].split()[0]));"
)
_COMMAND = "import runpy; runpy.run_module('reviewer', run_name='__main__', alter_sys=True)"


def program(text: str) -> list[str]:
    """The arguments of Python for a few statements."""
    return ["-c", f"{_AT_THE_END} {text}"]


def command(*words: str) -> list[str]:
    """The arguments of Python for a command of the project."""
    return ["-c", f"{_AT_THE_END} {_COMMAND}", *words, "--store"]


MEASURED: Mapping[str, Sequence[str]] = {
    "open the store": program(_OPEN),
    "home: studies, datasets, progress": program(f"{_OPEN} database.overview()"),
    "progress of one study": program(f"{_OPEN} {_PROGRESS} progress_of(database, {STUDY!r})"),
    "cases: counts of the filters": program(f"{_LISTS} facets(session)"),
    "cases: a page in the middle": program(
        f"{_LISTS} list_places(session, Filter(), 200, count_places(session, Filter()) // 2)"
    ),
    "cases: a page of one group": program(
        f"{_LISTS} list_places(session, Filter(group='anchoring bias'), 200, 200)"
    ),
    "cases: a page with a word": program(f"{_LISTS} list_places(session, Filter(text='flaky'), 200)"),
    "cases: a word of one case": program(
        f"{_LISTS} wanted = Filter(text='suite. 17'); list_places(session, wanted, 200)"
    ),
    "agreement of one study": command("agreement", STUDY),
    "pass rates of one study": command("agreement", STUDY, "--pass-rates"),
    "export of one study": command("export", STUDY, "-o", "exported"),
    "report of one study": command("report", STUDY, "-o", "report.md"),
    "store check": command("store", "check"),
}


@dataclass(frozen=True)
class Cost:
    """What one program took: seconds, those of the processor (with the server), and its peak memory in MB."""

    seconds: float
    processor: float
    megabytes: float


def main() -> None:
    """Make the stores, measure, print."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--cases", type=int, default=100_000)
    options.add_argument("--tenth", action="store_true", help="measure a tenth of it first")
    options.add_argument("--folder", type=Path, help="where the server's files are made and kept")
    options.add_argument("--only", default="", help="measure only what has these words in its name")
    chosen = options.parse_args()
    sizes = [chosen.cases // 10, chosen.cases] if chosen.tenth else [chosen.cases]
    with _server(chosen.folder) as server, tempfile.TemporaryDirectory() as scratch:
        columns = [_measure(server, _store(server, size), chosen.only, Path(scratch)) for size in sizes]
    heads = [f"{size * EVENTS_PER_CASE:,} events" for size in sizes]
    rows = [_row(what, [column[what] for column in columns]) for what in columns[0]]
    grown = ("growth", "of CPU", "of memory") if chosen.tenth else ()
    print(
        text_table(
            Table.of(("what", *(name for head in heads for name in (head, "CPU", "MB")), *grown), rows)
        )
    )


def _row(what: str, costs: Sequence[Cost]) -> list[str]:
    cells = [
        cell
        for cost in costs
        for cell in (f"{cost.seconds:.1f} s", f"{cost.processor:.1f} s", f"{cost.megabytes:,.0f}")
    ]
    if len(costs) == 1:
        return [what, *cells]
    first, last = costs
    grown = (
        last.seconds / first.seconds,
        last.processor / first.processor,
        last.megabytes / first.megabytes,
    )
    return [what, *cells, *(f"{factor:.1f}x" for factor in grown)]


@contextmanager
def _server(folder: Path | None) -> Iterator[Server]:
    """A server of its own; its files are removed unless a folder was given."""
    programs = binaries()
    if programs is None:
        raise SystemExit("PostgreSQL's server programs (initdb, pg_ctl) are not installed.")
    home = Path(tempfile.mkdtemp(prefix="reviewer-verdicts-")) if folder is None else folder
    home.mkdir(exist_ok=True)
    home.chmod(0o755)
    server = Server.opened(programs, home / "server")
    try:
        yield server
    finally:
        server.stop("fast")
        if folder is None:
            shutil.rmtree(home)


def _store(server: Server, cases: int) -> str:
    """The URL of the store with so many cases, which is made unless an earlier call did."""
    name = f"verdicts_{cases}"
    url = server.url(name)
    if server.ask("postgres", f"SELECT 1 FROM pg_database WHERE datname = '{name}'"):
        return url
    began = time.perf_counter()
    draft = server.database(f"{name}_draft")
    with closing(Database.open(draft)) as database:
        fill_store(database, cases)
    server.ask(f"{name}_draft", "VACUUM ANALYZE")
    server.ask("postgres", f"ALTER DATABASE {name}_draft RENAME TO {name}")
    print(f"{cases:,} cases made in {time.perf_counter() - began:,.0f} s", file=sys.stderr)
    return url


def _measure(server: Server, url: str, only: str, scratch: Path) -> dict[str, Cost]:
    costs = {}
    for what, arguments in MEASURED.items():
        if only in what:
            costs[what] = cost = _cost(server, [sys.executable, *arguments, url], scratch)
            print(
                f"{what}: {cost.seconds:.1f} s, {cost.processor:.1f} s of CPU, {cost.megabytes:,.0f} MB",
                file=sys.stderr,
            )
    return costs


def _cost(server: Server, arguments: Sequence[str], scratch: Path) -> Cost:
    """Run a program; raises SystemExit with its last words if it fails."""
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    began, before = time.perf_counter(), _processor(server)
    with (scratch / "said").open("w") as said:
        child = subprocess.run(arguments, cwd=scratch, env=environment, stdout=said, stderr=said, check=False)
    seconds = time.perf_counter() - began
    if child.returncode:
        raise SystemExit(f"{arguments}: {(scratch / 'said').read_text()[-2000:]}")
    return Cost(seconds, _processor(server) - before, int((scratch / "peak").read_text()) / 1024)


def _processor(server: Server) -> float:
    """Seconds of the processor of the server and of all programs that this one started and that ended."""
    ended = os.times()
    postmaster = int((server.folder / "data" / "postmaster.pid").read_text().split()[0])
    return seconds_below(postmaster) + ended.children_user + ended.children_system


if __name__ == "__main__":
    main()
