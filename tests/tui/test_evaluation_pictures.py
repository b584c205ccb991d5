"""Pictures of evaluations: no run yet, a new one, one under way, effects, cases and answers."""

from pathlib import Path

import pytest

from reviewer.llm.usage import Usage
from reviewer.runs.evaluation.evaluation_progress import OutcomeCounts, evaluation_progress
from reviewer.tui.app import ReviewerApp
from reviewer.tui.screens.run_work import RunMoved
from reviewer.tui.screens.runs_screen import RunsScreen
from store.database import Database
from tests.new_stores import made_once
from tests.tui.conftest import Opened, settle
from tests.tui.evaluated_store import DRAWN, STEADY, TORN, an_evaluation
from tests.tui.picturing import Before, Compare, after, each_pictured


@pytest.fixture
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, steady_cursor: None) -> Database:
    """A store under a name that is the same everywhere."""
    monkeypatch.chdir(tmp_path)
    return Database.open("reviewer.db")


@pytest.fixture
def evaluated(empty: Database) -> Database:
    """Two models, one of which changes in some cases."""
    drawn = [DRAWN, STEADY, DRAWN, STEADY, STEADY, STEADY, DRAWN, TORN]
    answers = {"steady-1": [STEADY] * 8, "drawn-1": drawn}
    made_once(empty, lambda new: an_evaluation(new, answers), "pictured evaluation")
    return empty


async def under_way(pilot: Opened) -> None:
    """Says to the screen what the work behind it would say."""
    await after("m")(pilot)
    screen = pilot.app.screen
    assert isinstance(screen, RunsScreen)
    screen.getting_ready("first")
    screen.say("first: under way")
    counts = OutcomeCounts({("steady-1", "read"): 2_113, ("steady-1", "unreadable"): 31})
    counts.update({("drawn-1", "read"): 12, ("drawn-1", "missing"): 4_824})
    failed = {"drawn-1": "the server answered 401: no such key"}
    spent = Usage(2_412, 2_125, 2, 31, 12, 310_400, 92_000, 0.1042, seconds=184.0)
    progress = evaluation_progress(("steady-1", "drawn-1"), 4_836, counts, failed)
    screen.show_moved(RunMoved("first", progress, spent, "time left: about 6 min"))
    await settle(pilot)


BEFORE = {
    "under-way": under_way,
    "effects": after("m", "enter"),
    "notes": after("m", "enter", "w"),
    "cases": after("m", "enter", "right", "enter"),
    "answers": after("m", "enter", "right", "enter", "enter"),
}


@each_pictured("keys", {"new": ("m", "m")})
def test_without_evaluations(
    empty: Database, snap_compare: Compare, keys: tuple[str, ...], size: tuple[int, int]
) -> None:
    assert snap_compare(ReviewerApp(empty, "anna"), terminal_size=size, run_before=after(*keys))


@each_pictured("before", BEFORE)
def test_evaluations(
    evaluated: Database, snap_compare: Compare, before: Before, size: tuple[int, int]
) -> None:
    assert snap_compare(ReviewerApp(evaluated, "anna"), terminal_size=size, run_before=before)
