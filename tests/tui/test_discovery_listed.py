"""A discovery run on the generation screen: listed with its state, and not carried on there."""

from contextlib import closing
from pathlib import Path

import pytest

from reviewer.runs.discovery.discovery_setup import open_discovery
from store.candidates import keep_round
from store.database import Database
from store.records import Candidate
from store.run_lock import held
from tests.runs.discovering import a_discovery, with_material
from tests.studies import open_store
from tests.tui.conftest import Opener, press, seen, settle


@pytest.fixture
def database(tmp_path: Path) -> Database:
    """A store with an open discovery run that kept nothing so far."""
    database = with_material(open_store(tmp_path), 2, 2)
    run = open_discovery(database, a_discovery()).model_copy(update={"rounds": 1})
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
    return database


async def test_a_discovery_run_is_listed_as_what_it_is(opened: Opener, database: Database) -> None:
    with closing(database):
        async with opened(None) as pilot:
            await press(pilot, "g")
            await settle(pilot)
            shown = seen(pilot)
            assert "● open · discovery, 0 kept · judge-1" in shown
            assert "judge judge-1 · teacher teacher-1" in shown
            assert "0 kept in 1 complete round." in shown
            assert "1  rewrites · rewrite · length kept" in shown
            await press(pilot, "c")
            assert "resume it with: reviewer discover found" in seen(pilot)
            await press(pilot, "d")
            await settle(pilot)
            assert "It is too long." in seen(pilot)
