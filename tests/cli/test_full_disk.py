"""A disk that is full or read-only: commands that write say so in one sentence, and leave nothing there."""

import json
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from reviewer.exchange.packs.pack import write_pack
from reviewer.study.session.review_session import ReviewSession
from tests.cli.conftest import Run
from tests.cli.test_nothing_written import state
from tests.evaluations import an_evaluation
from tests.quick_start import quick_start
from tests.rounds import some_always
from tests.small_disks import BALLAST, fill, make_read_only, small_disk_at
from tests.studies import a_case, a_study, open_store
from tests.studies import fill as fill_store

WRITING = [
    "report pilot -o disk/a/new --no-figures --interval analytic",
    "report --evaluation tried -o disk/a/new --no-figures",
    "export pilot -o disk/a/new",
    "export pilot --as validation-csv -o disk/a/new",
    "outcomes export tried -o disk/a/new",
    "release make data --version 1.0 -o disk/a/new --licence MIT --author Jo --contact Jo",
    "datasets export data -o disk/a/new.json",
    "study pack pilot --rater ghost -o disk/new.review",
    "store backup -o disk/new.db",
    "protocol new rows.jsonl -o disk/a/new.toml",
    "protocol example reply_pairs disk/a/new",
]
"""Commands that write files onto the disk."""
COPYING = ["merge anna.review", "store check", "generate first --model m --dry-run --store new.db"]
"""Commands that need room for temporary files."""


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made")
    with closing(open_store(folder)) as database:
        fill_store(database, "data", [a_case(number) for number in range(10, 13)])
        a_study(database)
        ReviewSession(database, "pilot", "anna").answer("True")
        an_evaluation(database, "tried", "pilot-data")
        write_pack(database, "pilot", "anna", folder / "anna.review")
    rows = [{"id": number, "text": f"text {number}", "other": f"other {number}"} for number in range(3)]
    (folder / "rows.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return folder


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    with small_disk_at(tmp_path / "disk") as disk:
        yield disk


@pytest.fixture
def here(stores: Path, tmp_path: Path) -> Path:
    for file in stores.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    return tmp_path


def held(folder: Path) -> dict[str, object]:
    """Every file and every row of a folder, but for vectors of texts: they are kept for later commands."""
    return {
        name: [row for row in rows if "embeddings" not in row] if isinstance(rows, list) else rows
        for name, rows in state(folder).items()
    }


@pytest.mark.slow
@pytest.mark.parametrize("command", WRITING)
def test_a_full_disk_is_one_sentence_and_nothing_is_left_on_it(
    run: Run, here: Path, disk: Path, command: str
) -> None:
    before = held(here)
    for left in (0, 1):  # then the first page of the first file fits
        fill(disk, left)
        result = run(*command.split())
        assert result.code == 2
        assert result.err.splitlines()[-1].startswith("Error: ")
        assert "cannot be written (" in result.err
        (disk / BALLAST).unlink()
        assert held(here) == before


@pytest.mark.parametrize("command", some_always(WRITING, 4))
def test_a_read_only_folder_is_one_sentence(run: Run, here: Path, disk: Path, command: str) -> None:
    make_read_only(disk)
    before = held(here)
    result = run(*command.split())
    assert result.code == 2
    assert result.err.splitlines()[-1].startswith("Error: ")
    assert "ead-only" in result.err
    assert held(here) == before


@pytest.mark.parametrize("command", COPYING)
def test_a_full_folder_for_temporary_files_is_named_and_not_the_file(
    run: Run, here: Path, disk: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    fill(disk, 20_000)
    monkeypatch.setattr("tempfile.tempdir", str(disk))
    before = held(here)
    result = run(*command.split())
    assert result.code == 2
    assert "full" in result.err or "No space left on device" in result.err
    assert "ask for the file again" not in result.err
    assert held(here) == before


def test_output_on_a_full_disk_ends_with_its_own_code(here: Path, disk: Path) -> None:
    fill(disk)
    with (disk / BALLAST).open("ab") as output:
        command = [*quick_start(), "-m", "reviewer", "labels", "pilot", "--format", "csv"]
        ended = subprocess.run(
            command, cwd=here, stdout=output, stderr=subprocess.PIPE, text=True, check=False
        )
    assert ended.returncode == 3
    assert "the output cannot be written (No space left on device) and is not whole" in ended.stderr
    assert "Traceback" not in ended.stderr
