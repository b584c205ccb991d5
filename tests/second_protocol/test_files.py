"""Datasets of the second protocol as files: groups of their own, in and out."""

import json
from pathlib import Path
from typing import Any

import pytest
from textual.widgets import Input

from reviewer.tui.screens.home import HomeScreen
from store.cases import Filter, list_places
from store.database import Database
from tests.cli.conftest import Run
from tests.second_protocol.material import PROTOCOLS, a_payload
from tests.tui.conftest import Opener, press, seen, settle

LINES: list[dict[str, Any]] = [
    {"protocol": "tiny", "group": group, "payload": a_payload(number, group), "generator": "model-1"}
    for group in ("Zug & Bahn", "a b  c", "tea")
    for number in (1, 2)
]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "talks.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in LINES))
    return path


def test_groups_of_a_file_are_the_groups(run: Run, file: Path) -> None:
    first = run("import", file, "--dataset", "new")
    assert first.code == 0, first.err
    assert "6 cases added (3 groups, 6 generated)" in first.out
    assert "nothing changed" in run("import", file, "--dataset", "new").out
    assert run("study", "new", "pilot", "--dataset", "new", "--per-group", 1).code == 0
    counted = json.loads(run("datasets", "--format", "json").out)
    assert [(row["dataset"], row["groups"]) for row in counted] == [("new", 3)]
    assert len(json.loads(run("cases", "--group", "Zug & Bahn", "--format", "json").out)) == 2
    refused = run("study", "new", "more", "--dataset", "new", "--per-group", 3)
    assert "'Zug & Bahn'" in refused.err


def test_what_is_written_is_what_was_read(run: Run, file: Path, tmp_path: Path) -> None:
    assert run("import", file, "--dataset", "new").code == 0
    written = run("datasets", "export", "new", "-o", "out.jsonl")
    assert written.code == 0, written.err
    assert [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()] == LINES


def test_what_no_file_held_is_written_and_comes_in_again(
    run: Run, database: Database, tmp_path: Path
) -> None:
    assert run("datasets", "export", "talks", "-o", "talks.jsonl").code == 0
    again = run("import", "talks.jsonl", "--dataset", "talks", "--store", "other.db")
    assert again.code == 0, again.err
    other = Database.open(str(tmp_path / "other.db"), protocols=PROTOCOLS)
    with database.read() as before, other.read() as after:
        wanted = Filter(datasets=("talks",))
        assert list_places(after, wanted) == list_places(before, wanted)
    other.close()


async def test_a_file_is_imported_from_home(database: Database, file: Path, opened: Opener) -> None:
    async with opened(None) as pilot:
        await press(pilot, "i")
        for name, text in {"path": str(file), "dataset": "new"}.items():
            pilot.app.screen.query_one(f"#{name}").value = text  # type: ignore[attr-defined]
        await press(pilot, "ctrl+s")
        await settle(pilot)
        assert isinstance(pilot.app.screen, HomeScreen)
        assert "new: 6 cases added" in seen(pilot)
        assert "6 cases in 3 groups" in seen(pilot)


async def test_a_file_that_names_no_protocol_is_imported_from_home(
    database: Database, tmp_path: Path, opened: Opener
) -> None:
    """What the file does not say, the form asks for; a name that is not known is refused there."""
    path = tmp_path / "talks.jsonl"
    path.write_text("".join(json.dumps(line | {"protocol": None}) + "\n" for line in LINES))
    async with opened(None) as pilot:
        await press(pilot, "i")
        for name, text in {"path": str(path), "dataset": "new", "protocol": "tin"}.items():
            pilot.app.screen.query_one(f"#{name}", Input).value = text
        await press(pilot, "ctrl+s")
        assert "this release does not know protocol 'tin'; it knows tiny, probe-swe." in seen(pilot)
        pilot.app.screen.query_one("#protocol", Input).value = "tiny"
        await press(pilot, "ctrl+s")
        await settle(pilot)
        assert "new: 6 cases added" in seen(pilot)
