"""The workbench: from the last key to new counts on screen, and opening it, on published pairs or the seeds.

*Counts* is the time after the wait that follows the last key: authors are promised 120 ms.
Opening is compared with opening the same case above its finding, which the workbench may take twice.
"""

import asyncio
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from textual.pilot import Pilot  # noqa: E402

from reviewer.core.table import Table  # noqa: E402
from reviewer.exchange.rows.dataset_import import check_source, store_source  # noqa: E402
from reviewer.oracle import pool  # noqa: E402
from reviewer.oracle.oracle_errors import OracleMissing  # noqa: E402
from reviewer.oracle.program_runner import LocalRunner  # noqa: E402
from reviewer.oracle.workers import find_engine  # noqa: E402
from reviewer.report.text_table import text_table  # noqa: E402
from reviewer.runs.audit.dataset_audit import audit  # noqa: E402
from reviewer.tui.app import ReviewerApp  # noqa: E402
from reviewer.tui.screens.audit_screen import AuditScreen  # noqa: E402
from reviewer.tui.screens.finding import FindingScreen  # noqa: E402
from reviewer.tui.screens.workbench import AFTER_KEY_SECONDS, WorkbenchScreen  # noqa: E402
from reviewer.tui.widgets.text_pane import TextPane  # noqa: E402
from store.database import Database  # noqa: E402
from store.findings import cases_in  # noqa: E402
from tests.bench.support.oracle_programs import PUBLISHED, SEEDS  # noqa: E402

CASES, KEYS = 4, 5
SIZE = (160, 48)
DATASET = "workbench"
PROMISED = 0.120
MOST_SECONDS = 30.0


def main() -> None:
    """Audit a few cases, open each of them, type, and print medians and the slowest."""
    try:
        find_engine()
    except OracleMissing as missing:
        print(missing)
        return
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_STATE_HOME"] = folder
        with closing(Database.open(str(Path(folder) / "reviewer.db"))) as database:
            _fill(database)
            counts, opened, case = asyncio.run(_measured(database))
    rows = [
        _row("counts after the wait", counts, f"{1000 * PROMISED:.0f} ms"),
        _row("the case, opened", case, ""),
        _row("the workbench, opened", opened, f"{2000 * statistics.median(case):.0f} ms"),
    ]
    columns = ("what", "times", "median ms", "slowest ms", "promised")
    print(text_table(Table.of(columns, rows)))
    waited, size = f"{1000 * AFTER_KEY_SECONDS:.0f} ms", "x".join(map(str, SIZE))
    print(f"the programs run after {waited} without a key; {CASES} cases at {size}")


def _row(what: str, seconds: Sequence[float], promised: str) -> tuple[str | int, ...]:
    median, slowest = 1000 * statistics.median(seconds), 1000 * max(seconds)
    return what, len(seconds), f"{median:.0f}", f"{slowest:.0f}", promised


def _fill(database: Database) -> None:
    source = PUBLISHED if PUBLISHED.exists() else SEEDS
    checked = check_source(source, DATASET)
    store_source(database, checked)
    with database.read() as session:
        some = cases_in(session, DATASET)[:: max(1, len(cases_in(session, DATASET)) // CASES)][:CASES]
    with pool.open_executor() as executor:
        audit(database, [some], LocalRunner(executor))


async def _measured(database: Database) -> tuple[list[float], list[float], list[float]]:
    counts, opened, case = list[float](), list[float](), list[float]()
    app = ReviewerApp(database, "bench")
    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        await app.workers.wait_for_complete()  # home has read the store
        await pilot.pause()
        await pilot.press("v")
        await _until(pilot, lambda: isinstance(app.screen, AuditScreen) and _is_painted(pilot))
        for _ in range(CASES):
            case.append(await _opening(pilot, "enter", FindingScreen))
            await pilot.press("q")
            await _until(pilot, lambda: isinstance(app.screen, AuditScreen))
            opened.append(await _opening(pilot, "E", WorkbenchScreen))
            counts += await _typing(pilot)
            await pilot.press("escape", "Z", "q")
            await _until(pilot, lambda: isinstance(app.screen, AuditScreen))
            await pilot.press("down")
            await app.workers.wait_for_complete()
    return counts, opened, case


async def _opening(pilot: Pilot[None], key: str, screen: type) -> float:
    began = time.perf_counter()
    await pilot.press(key)
    await _until(pilot, lambda: isinstance(pilot.app.screen, screen) and _is_painted(pilot))
    return time.perf_counter() - began


def _is_painted(pilot: Pilot[None]) -> bool:
    return any(pane.pane_text is not None for pane in pilot.app.screen.query(TextPane))


async def _typing(pilot: Pilot[None]) -> list[float]:
    """Type into the first program, and wait for the counts after each key."""
    screen = pilot.app.screen
    assert isinstance(screen, WorkbenchScreen)
    await _until(pilot, lambda: screen._tried.trial is not None)
    await pilot.press("shift+tab", "shift+tab", "enter", "up")
    times = []
    for number in range(KEYS):
        before = screen._tried
        await pilot.press("%" if number == 0 else "x")
        began = time.perf_counter()
        await _until(pilot, lambda before=before: screen._tried is not before)  # type: ignore[misc]
        await pilot.pause()
        times.append(time.perf_counter() - began - AFTER_KEY_SECONDS)
    return times


async def _until(pilot: Pilot[None], holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(MOST_SECONDS):
        while not holds():
            await asyncio.sleep(0.002)


if __name__ == "__main__":
    main()
