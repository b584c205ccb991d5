"""Who may change content: no key opens an editor or a shell in a browser window or in a pack."""

import os
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from reviewer.exchange.packs.pack import opened_pack, write_pack
from reviewer.tui.app import ReviewerApp
from reviewer.tui.keys.actions import catalogue
from reviewer.tui.screens.case_list import CasesScreen
from reviewer.tui.screens.review import ReviewScreen
from reviewer.tui.screens.workbench import WorkbenchScreen
from store.database import Database
from tests.studies import a_study
from tests.tui.conftest import NARROW, Opened, put_card_away, seen, settle

ENDS_THE_APP = {"ctrl+q", "ctrl+c", "q", "escape"}
SHELL = ("colon", "exclamation_mark", "s", "h", "enter")


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with closing(Database.open(str(tmp_path / "store.db"))) as opened:
        a_study(opened, raters=("anna",), cases=1)
        yield opened


@pytest.fixture
def reached(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What no key may reach: the workbench, a process, a terminal handed over."""
    found: list[str] = []

    def reach(what: str, *_: object, **__: object) -> None:
        found.append(what)
        raise OSError(what)

    monkeypatch.setattr(WorkbenchScreen, "__init__", partial(reach, "workbench"))
    monkeypatch.setattr(ReviewerApp, "suspend", partial(reach, "suspend"))
    monkeypatch.setattr(subprocess, "Popen", partial(reach, "process"))
    for name in ("system", "posix_spawn", "execv", "execve", "fork"):
        monkeypatch.setattr(os, name, partial(reach, name))
    return found


def every_key() -> Sequence[str]:
    """All keys of all actions, with those that every editor knows for a shell."""
    known = {key for action in catalogue().actions.values() for key in action.keys}
    return [*sorted(known - ENDS_THE_APP), *SHELL, "E"]


async def tried(app: ReviewerApp, keys: Sequence[str]) -> str:
    """Press keys in the review, then ask for the workbench in the list of cases; what the list says then."""
    async with app.run_test(size=NARROW) as pilot:
        await settle(pilot)
        await put_card_away(pilot)
        await press_all(pilot, keys)
        app.push_screen(CasesScreen(app._database))
        await settle(pilot)
        await pilot.press("down", "X", "E")
        await settle(pilot)
        return " ".join(seen(pilot).split())


async def press_all(pilot: Opened, keys: Sequence[str]) -> None:
    for key in keys:
        await pilot.press(key)
        while not isinstance(pilot.app.screen, ReviewScreen) and len(pilot.app.screen_stack) > 1:
            pilot.app.pop_screen()
            await pilot.pause()
    await settle(pilot)


async def test_no_key_of_a_browser_window_opens_an_editor_or_a_shell(
    database: Database, reached: list[str]
) -> None:
    told = await tried(ReviewerApp(database, "anna", "pilot", alone=True), every_key())
    assert "change cases on the machine of the store" in told
    assert reached == []


async def test_no_key_in_a_pack_opens_an_editor(
    database: Database, reached: list[str], tmp_path: Path
) -> None:
    write_pack(database, "pilot", "anna", tmp_path / "anna.review")
    pack, seal = opened_pack(tmp_path / "anna.review")
    with closing(pack):
        told = await tried(ReviewerApp(pack, seal.rater, seal.study), SHELL)
    assert "0 cases" in told, "a pack lists no case that could be changed"
    assert reached == []


async def test_a_rater_with_open_cases_is_refused(database: Database, reached: list[str]) -> None:
    app = ReviewerApp(database, "anna")
    async with app.run_test(size=NARROW) as pilot:
        await settle(pilot)
        app.push_screen(CasesScreen(database))
        await settle(pilot)
        await pilot.press("down", "E")
        await settle(pilot)
        assert "to answer in study pilot" in " ".join(seen(pilot).split())
    assert reached == []
