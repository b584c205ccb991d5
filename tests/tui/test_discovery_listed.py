"""A discovery run on the screen of runs: listed with its state, and carried on to its end."""

import asyncio

import pytest
from textual.widgets import Input

from reviewer.llm.request_errors import KeyRefused
from reviewer.runs.discovery.discovery_setup import prepared_discovery
from reviewer.runs.run_list import case_making_run
from reviewer.tui.dialogs.new_run import StartDialog
from reviewer.tui.screens import run_work
from reviewer.tui.screens.home import HomeScreen
from store.candidates import keep_round
from store.database import Database
from store.leases import held
from store.records import Candidate
from tests.llm.server import Answer, Asked, error, serving
from tests.runs.discovering import Habits, a_discovery, discover, with_material
from tests.runs.generating import WordVectors
from tests.tui.conftest import Opener, press, seen, settle
from tests.tui.evaluated_store import STEADY, an_evaluation


@pytest.fixture
def one_round(database: Database) -> None:
    """The store has an open discovery run that kept nothing so far."""
    with_material(database, 2, 2)
    run = prepared_discovery(database, a_discovery()).run.model_copy(update={"rounds": 1})
    fates = (("rewrites", "judgement", "right", True), ("rewrites", "rewrite", "length_kept", False))
    tried = [
        Candidate(
            run=run.name,
            number=number,
            group="Length bias",
            expansion=1,
            place=number + 1,
            key=str(number),
            approved=approved,
            step=step,
            check=check,
            counts_as=kind,
            why="" if approved else "It is too long.",
            payload={},
            values={},
            calls=[],
            prompts_digest=run.prompts_digest,
        )
        for number, (kind, step, check, approved) in enumerate(fates)
    ]
    with held(database, run.name, kind="discover") as hold:
        keep_round(database, hold, run, tried, (), ())


@pytest.mark.usefixtures("one_round")
async def test_a_discovery_run_is_listed_as_what_it_is(opened: Opener) -> None:
    async with opened(None) as pilot:
        await press(pilot, "m")
        await settle(pilot)
        shown = seen(pilot)
        assert "● open · discovery, 0 kept · judge-1" in shown
        assert "judge judge-1 · teacher teacher-1" in shown
        assert "0 kept in 1 complete round." in shown
        assert "1  rewrites · rewrite · length kept" in shown
        await press(pilot, "d")
        await settle(pilot)
        assert "It is too long." in seen(pilot)
        await press(pilot, "q", "q")
        assert isinstance(pilot.app.screen, HomeScreen)


@pytest.mark.usefixtures("one_round")
async def test_runs_of_all_kinds_are_on_one_screen(opened: Opener, database: Database) -> None:
    an_evaluation(database, {"model-1": [STEADY] * 4})
    async with opened(None) as pilot:
        await press(pilot, "m")
        shown = seen(pilot)
        assert "● open · 50% · 1 model" in shown
        assert "● open · discovery, 0 kept · judge-1" in shown
        assert "3 repeats" in shown, "the evaluation comes first and is highlighted"
        await press(pilot, "d")
        assert "Only a run that makes cases discards some" in seen(pilot)
        await press(pilot, "down")
        assert "judge judge-1 · teacher teacher-1" in seen(pilot)
        await press(pilot, "e")
        assert "Only an evaluation has effects" in seen(pilot)
        await press(pilot, "enter")
        assert "It is too long." in seen(pilot)


@pytest.mark.slow
async def test_an_interrupted_run_is_carried_on_to_the_end_that_it_would_have_had(
    opened: Opener, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_work, "open_embedder", lambda database: WordVectors())
    said, before = Habits(), 15

    def respond(asked: Asked) -> Answer:
        return said(asked) if asked.number < before else error(401, "Incorrect key.")

    with_material(database, 12, 12)
    with serving(respond) as server:
        with pytest.raises(KeyRefused):
            await asyncio.to_thread(discover, database, server.url, a_discovery(), concurrency=4)
        interrupted = len(server.asked)
        server.respond = said
        async with opened(None) as pilot:
            await press(pilot, "m", "c")
            assert not pilot.app.screen.query("#target")
            pilot.app.screen.query_one("#base-url", Input).value = server.url
            await pilot.press("ctrl+s")
            while not isinstance(pilot.app.screen, StartDialog):
                await pilot.pause()
            assert "1 round, none wrong" in seen(pilot)
            await pilot.press("ctrl+s")
            await pilot.pause()
            await settle(pilot)
            await settle(pilot)
            assert "found: finished. Why: round 2 kept no entry." in seen(pilot)
            assert "✓ finished · discovery, 1 kept" in seen(pilot)
            await press(pilot, "c")
            assert "found is finished, because round 2 kept no entry." in seen(pilot)
    assert case_making_run(database, "found").rounds == 2
    assert len(server.asked) - interrupted == 192 - before  # 192 without an interruption
