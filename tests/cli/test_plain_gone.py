"""Plain mode where the store goes away: nothing is called saved, and the answers go to a new file."""

import io
from contextlib import closing
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.cli.test_plain import Typed
from tests.faults.test_store_gone import answers_in
from tests.studies import a_study, open_store


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a store."""
    with closing(open_store(tmp_path)) as database:
        a_study(database)
    return tmp_path


def test_plain_mode_offers_a_command_to_who_types(
    run: Run,
    folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    store = folder / "reviewer.db"

    class Vandalised(Typed):
        def __next__(self) -> str:
            line = super().__next__()
            if line == "f\n":
                store.unlink()
            return line

    monkeypatch.setattr("sys.stdin", Vandalised(f"t\nf\nt\nsave {tmp_path / 'new.db'}\nq\n"))
    result = run("review", "pilot", "--rater", "anna", "--plain", "--store", store)
    assert result.out.count("NOT saved: the store") == 2
    assert "save FILE" in result.out
    assert "Everything is saved" not in result.out
    assert answers_in(tmp_path / "new.db") == ["True"]


def test_a_pipe_stops_and_its_answers_are_in_a_new_file(
    run: Run,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    store = folder / "reviewer.db"

    class Vandalised(io.StringIO):
        def __next__(self) -> str:
            line = super().__next__()
            if line == "f\n":
                store.unlink()
            return line

    monkeypatch.setattr("sys.stdin", Vandalised("t\nf\nt\n"))
    result = run("review", "pilot", "--rater", "anna", "--plain", "--store", store)
    assert result.code == 2
    assert "line 2 was NOT saved" in result.err
    assert answers_in(folder / "reviewer.rescued-anna.db") == ["True"]
