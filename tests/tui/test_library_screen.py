"""The library's screen: from an entry to its changed items, and to a judge's reasons on one."""

from importlib.resources import files
from pathlib import Path

import pytest

from reviewer.exchange.rows.dataset_import import import_path
from reviewer.study.design.study_creation import Design, create_study
from reviewer.tui.app import ReviewerApp
from reviewer.tui.screens.case_screen import CaseScreen
from store.database import Database
from tests.tui.conftest import Opener, press, seen
from tests.tui.picturing import Compare, after, each_pictured

REASON = "which made me less"


@pytest.fixture
def library(database: Database, tmp_path: Path) -> Database:
    """The shipped library with its rewrites."""
    for name in ("judge-biases", "judge-rewrites"):
        path = tmp_path / f"{name}.jsonl"
        path.write_bytes((files("seeds") / "judge_pairs" / path.name).read_bytes())
        import_path(database, path, name)
    return database


@each_pictured("keys", {"entries": (), "items": ("enter",)})
def test_library(
    library: Database, snap_compare: Compare, keys: tuple[str, ...], size: tuple[int, int]
) -> None:
    app = ReviewerApp(library, "anna")
    assert snap_compare(app, terminal_size=size, run_before=after("b", "down", "down", *keys))


async def test_an_entry_leads_to_its_rewrites_and_to_what_a_judge_said(
    library: Database, opened: Opener
) -> None:
    async with opened(None, size=(160, 40)) as pilot:
        await press(pilot, "b")
        assert "judge-biases · 3 entries" in seen(pilot)
        assert "3 turned wrong, 1 turned right (McNemar's exact p .625" in seen(pilot)
        await press(pilot, "down", "down")
        shown = seen(pilot)
        assert "error before  .33 [.14, .61]" in shown
        assert "error after   .92 [.65, .99]" in shown
        assert "demo, round 1 · 2 changed items" in shown
        assert "Certainty bias" in shown
        await press(pilot, "enter")
        assert "Confident tone bias · 2 changed items" in seen(pilot)
        await press(pilot, "enter")
        assert isinstance(pilot.app.screen, CaseScreen)
        for text in (REASON, "right answer", "rewritten answer", "Without any doubt: 12"):
            assert text in seen(pilot)
        await press(pilot, "n")
        assert "2 of 2 · reasoning-1/confident" in seen(pilot)


async def test_a_rater_of_rewrites_sees_neither_evidence_of_them_nor_reasons(
    library: Database, opened: Opener
) -> None:
    create_study(library, "pilot", Design(("judge-rewrites",), None, 7, "full", raters=("anna",)))
    async with opened(None) as pilot:
        await press(pilot, "b", "down", "enter")
        assert "You still have cases of judge-rewrites to answer in study pilot" in seen(pilot)
        assert "demo-writer" not in seen(pilot)
