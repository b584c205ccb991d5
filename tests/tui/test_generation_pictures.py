"""Pictures of generation: no run yet, some runs, one under way, and its forms."""

from pathlib import Path

import pytest
from textual.widgets import Input

from reviewer.llm.usage import Usage
from reviewer.runs.generation.generation_progress import kept_generation
from reviewer.runs.generation.generation_setup import prepared_generation
from reviewer.tui.app import ReviewerApp
from reviewer.tui.dialogs.new_run import StartDialog
from reviewer.tui.screens.run_work import RunMoved
from reviewer.tui.screens.runs_screen import RunsScreen
from store.candidates import keep_round
from store.database import Database
from store.leases import held
from store.records import Candidate, Run
from store.runs import find_run
from tests.new_stores import made_once
from tests.runs.generating import a_request, with_seeds
from tests.studies import BIASES
from tests.tui.conftest import Opened, settle
from tests.tui.picturing import Before, Compare, after, each_pictured

_STEPS = ("template", "similarity", "collision", "bias", "logic")


@pytest.fixture
def database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, steady_cursor: None) -> Database:
    """The shipped seeds under a name that is the same everywhere."""
    monkeypatch.chdir(tmp_path)
    return Database.open("reviewer.db")


@pytest.fixture
def with_runs(database: Database) -> Database:
    """One run that has ended with two groups given up, and one that was interrupted."""
    made_once(database, _keep_both)
    return database


def _keep_both(database: Database) -> None:
    with_seeds(database)
    _keep(database, "spring batch of dilemmas for the second study", valid=(4, 4, 4, 1, 4, 4, 4, 3))
    _keep(database, "first", valid=(2, 1, 0, 3, 1, 1, 2, 0), ended=False)


def _keep(database: Database, name: str, valid: tuple[int, ...], ended: bool = True) -> None:
    """A run whose groups have so many valid cases, and each one more of every kind that was discarded."""
    run = prepared_generation(database, a_request(BIASES, name, target=4)).run
    told = "Given up: anchoring bias, hindsight bias." if ended else ""
    run = run.model_copy(update={"state": "finished" if ended else "open", "why": told, "rounds": 3})
    fates = [
        (bias, "approved" if number < wanted else _STEPS[(number + place) % len(_STEPS)])
        for place, (bias, wanted) in enumerate(zip(BIASES, valid, strict=True))
        for number in range(wanted + 3)
    ]
    with held(database, name) as hold:
        keep_round(database, hold, run, [_candidate(run, n, *fate) for n, fate in enumerate(fates)], (), ())


def _candidate(run: Run, number: int, group: str, step: str) -> Candidate:
    return Candidate(
        run=run.name,
        number=number,
        group=group,
        expansion=number,
        place=1,
        key=f"{group}/{number}",
        approved=step == "approved",
        step=step,
        check=step,
        payload={},
        values={},
        calls=[],
        prompts_digest=run.prompts_digest,
    )


async def under_way(pilot: Opened) -> None:
    """Says to the screen what the work behind it would say."""
    await after("m")(pilot)
    screen = pilot.app.screen
    assert isinstance(screen, RunsScreen)
    screen.under_way = "first"
    with screen.database.read() as session:
        kept = find_run(session, "first")
    assert kept is not None
    spent = Usage(412, 398, 2, 31, 12, 310_400, 92_000, 0.1042, seconds=184.0)
    screen.say("first: under way")
    progress = kept_generation(screen.database, kept)
    screen.show_moved(RunMoved("first", progress, spent, "time left: about 6 min"))
    await settle(pilot)


@each_pictured("keys", {"none": ("m",), "new": ("m", "n")}, wide_only=("none",))
def test_without_runs(
    database: Database, snap_compare: Compare, keys: tuple[str, ...], size: tuple[int, int]
) -> None:
    made_once(database, with_seeds)
    app = ReviewerApp(database, "anna")
    assert snap_compare(app, terminal_size=size, run_before=after(*keys))


async def asked_to_start(pilot: Opened) -> None:
    """Fills the form of a new run, whose estimate is then to be agreed to."""
    await after("m", "n")(pilot)
    typed = {"name": "third", "model": "model-1", "base-url": "http://127.0.0.1:9/v1", "target": "20"}
    for field, text in typed.items():
        pilot.app.screen.query_one(f"#{field}", Input).value = text
    await pilot.press("ctrl+s")
    while not isinstance(pilot.app.screen, StartDialog):
        await pilot.pause()


BEFORE = {
    "discards": after("m", "d"),
    "start": asked_to_start,
    "under-way": under_way,
}


@each_pictured("before", BEFORE)
def test_runs(
    with_runs: Database,
    snap_compare: Compare,
    before: Before,
    size: tuple[int, int],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    file = Path("models.toml")
    file.write_text('[limits]\nbudget = 2.5\n[prices."model-1"]\nprompt = 1\ncompletion = 2\n')
    monkeypatch.setenv("REVIEWER_MODELS", str(file))
    app = ReviewerApp(with_runs, "anna")
    assert snap_compare(app, terminal_size=size, run_before=before)
