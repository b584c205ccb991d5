"""The evaluations screen: a run begun, watched, stopped and carried on, against a server on this machine."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
from textual.widgets import Input

from reviewer.tui.dialogs.new_evaluation import EvaluationDialog
from reviewer.tui.dialogs.new_run import StartDialog
from reviewer.tui.screens.home import HomeScreen
from reviewer.tui.screens.runs_screen import RunsScreen
from reviewer.tui.widgets.form_fields import Checkbox, InlineSelect
from store.database import Database
from store.evaluations import Evaluations
from tests.llm.server import Answer, Asked, error, serving
from tests.runs.evaluating import evaluate, with_findings
from tests.studies import BIASES, a_case, fill
from tests.tui.conftest import NARROW, Opened, Opener, press, seen, settle
from tests.tui.evaluated_store import STEADY, an_evaluation
from tests.tui.quick_apps import threads_go_on

CASES = 30


def decided(asked: Asked) -> Answer:
    return Answer("Decision: option B" if "Ten ship" in asked.last else "Decision: option A")


@pytest.fixture
def dataset(database: Database) -> Database:
    """Enough cases for a run to be stopped in the middle."""
    fill(database, "own", [a_case(number) for number in range(CASES)])
    return database


def words(pilot: Opened) -> str:
    """What is seen, without the frame and the ends of lines."""
    return " ".join(seen(pilot).replace("│", " ").split())


async def submit(pilot: Opened, **fields: str) -> None:
    """Fill in the form, agree to the cost, and start."""
    assert isinstance(pilot.app.screen, EvaluationDialog)
    for field, text in fields.items():
        pilot.app.screen.query_one(f"#{field.replace('_', '-')}", Input).value = text
    await pilot.press("ctrl+s")
    await settle(pilot)
    assert isinstance(pilot.app.screen, StartDialog), seen(pilot)
    assert "Time: about" in seen(pilot)


async def test_a_run_is_begun_stopped_carried_on_and_opened(
    dataset: Database, opened: Opener, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prices = tmp_path / "models.toml"
    prices.write_text('[prices."model-1"]\nprompt = 1000\ncompletion = 1000\n[limits]\nconcurrency = 2\n')
    monkeypatch.setenv("REVIEWER_MODELS", str(prices))
    seconds = [0.2]  # long enough that the key for stopping comes before the end

    def respond(asked: Asked) -> Answer:
        return replace(decided(asked), delay=seconds[0])

    with serving(respond) as server:
        async with opened(None) as pilot:
            await press(pilot, "m")
            assert "No run yet" in seen(pilot)
            await press(pilot, "m")
            once = {"name": "first", "datasets": "own", "repeats": "1", "asked": "model-1"}
            await submit(pilot, **once, base_url=server.url)
            assert "30 cases under 2 conditions, 1 repeat each:" in seen(pilot)
            assert "model-1: 60 calls" in seen(pilot)
            with threads_go_on():
                await pilot.press("ctrl+s")
                while len(server.asked) < 10:
                    await asyncio.sleep(0.005)
                await pilot.press("s")
            await settle(pilot)
            shown = seen(pilot)
            assert "stopped; all answers are kept" in shown
            assert "● open" in shown
            stopped_after = len(server.asked)
            assert stopped_after < 2 * CASES
            seconds[0] = 0.0
            await press(pilot, "c")
            assert words(pilot).count(server.url) == 1, "the server that the run asked stands in its field"
            await submit(pilot)
            await press(pilot, "ctrl+s")
            await settle(pilot)
            shown = seen(pilot)
            assert "first: finished. 60 of 60 outcomes." in shown
            assert "cost 0." in shown
            assert len(server.asked) == 2 * CASES
            await press(pilot, "e")
            await settle(pilot)
            assert "100.0" in seen(pilot)
            await press(pilot, "q", "escape")
            assert isinstance(pilot.app.screen, HomeScreen)


async def test_a_run_of_repairs_is_listed_with_its_refusals_and_carried_on(
    database: Database, opened: Opener
) -> None:
    with_findings(database, 4)
    with serving(lambda _: error(401, "no such key")) as server:
        await asyncio.to_thread(evaluate, database, server.url, name="own-repairs")
    replies = ("I would not.", '{"proposals": []}', '{"proposals": [{"why": "", "texts": {}}]}')
    with serving(lambda asked: Answer(replies[min(asked.number, 2)])) as server:
        async with opened(None) as pilot:
            await press(pilot, "m")
            await settle(pilot)
            assert "● open · 0 with repairs · m1" in words(pilot)
            assert "`reviewer repair own --propose --run own-repairs` lists its proposals" in words(pilot)
            await press(pilot, "c")
            await submit(pilot, base_url=server.url)
            assert "m1: 4 calls" in seen(pilot)
            await press(pilot, "ctrl+s")
            await settle(pilot)
            shown = words(pilot)
            assert "own-repairs: finished. 4 of 4 outcomes." in shown
            assert "✓ finished · 2 with repairs · m1" in shown
            assert ("not JSON" in shown, "no proposal" in shown) == (True, True)
            await press(pilot, "enter")
            assert "The command of run own-repairs lists its proposals" in words(pilot)
            await press(pilot, "c")
            pilot.app.screen.query_one("#asked", Input).value = "m2"
            await press(pilot, "ctrl+s")
            await settle(pilot)
            assert "begins another run" in words(pilot)
    assert len(server.asked) == 4


async def test_the_form_says_how_cases_are_drawn_and_asked(
    database: Database, opened: Opener, tmp_path: Path
) -> None:
    """Four cases of one group and two of another: the smallest group has two."""
    fill(database, "own", [a_case(number, BIASES[number > 3]) for number in range(6)])
    with serving(decided) as server:
        async with opened(None, NARROW) as pilot:
            await press(pilot, "m", "m")
            dialog = pilot.app.screen
            boxes = [*dialog.query(Checkbox)]
            assert [box.on for box in boxes] == [True, True, True, False, True, False, False]
            await press(pilot, "escape")
            assert isinstance(pilot.app.screen, RunsScreen), "nothing was entered, so nothing is asked"
            await press(pilot, "m")
            dialog = pilot.app.screen
            dialog.query(Checkbox)[3].focus()
            await press(pilot, "space")
            dialog.query_one("#repeats-by", InlineSelect).focus()
            await press(pilot, "right", "right")
            file = tmp_path / "cases.csv"
            file.write_text("dataset,key\n")
            fields = {"name": "both", "datasets": "own", "asked": "m1", "repeats": "2", "seed": "7"}
            for field, text in {**fields, "per-group": "smallest", "picked": str(file)}.items():
                dialog.query_one(f"#{field}", Input).value = text
            await press(pilot, "ctrl+s")
            assert "a file names every case; leave the number" in words(pilot)
            await submit(pilot, picked="", base_url=server.url)
            agreed = words(pilot)
            assert "4 cases, every group as large as the smallest, seed 7 under 4 conditions" in agreed
            assert "order: as written, exchanged" in agreed
            await press(pilot, "ctrl+s")
            await settle(pilot)
            assert "2 repeats, told apart by the seed that is sent" in words(pilot)
    assert len(server.asked) == 4 * 4 * 2
    assert {asked.body["seed"] for asked in server.asked} == {0, 1}


async def test_what_was_entered_stays_when_a_run_is_refused(dataset: Database, opened: Opener) -> None:
    async with opened(None, NARROW) as pilot:
        await press(pilot, "m", "m")
        for field, text in {
            "name": "first",
            "datasets": "other",
            "asked": "model-1",
            "base-url": "http://127.0.0.1:9",
        }.items():
            pilot.app.screen.query_one(f"#{field}", Input).value = text
        await pilot.press("ctrl+s")
        await settle(pilot)
        assert isinstance(pilot.app.screen, EvaluationDialog)
        shown = seen(pilot)
        assert "'other'" in shown
        assert pilot.app.screen.query_one("#datasets", Input).value == "other"
    assert Evaluations(dataset).runs() == []


async def test_a_run_of_another_process_is_watched(database: Database, opened: Opener) -> None:
    an_evaluation(database, {"model-1": [STEADY] * 4})
    async with opened(None) as pilot:
        await press(pilot, "m")
        screen = pilot.app.screen
        assert isinstance(screen, RunsScreen)
        assert "24 of 48" in seen(pilot)
        kept = Evaluations(database)
        kept.add_models("first", {"model-2": ""})
        screen._look_again()
        await settle(pilot)
        assert "24 of 96 outcomes" in seen(pilot)
        assert "model-2" in seen(pilot)
