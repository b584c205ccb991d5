"""Releases at the command line: asked for, listed, written, verified, read back, loaded by others."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path

import pytest

from reviewer.exchange.rows.dataset_import import import_path
from store.database import Database
from tests.cli.conftest import Run
from tests.rounds import mostly_slow
from tests.studies import a_case, fill, open_store

SAID = ("--licence", "CC-BY-4.0", "--author", "A. Author", "--contact", "a@example.org")
MAKE = ("release", "make", "first", "--version", "1.0", "-o", "out")
SEEDS = Path(__file__).parents[2] / "seeds/probe_swe"
_NO_NETWORK = """
import os, socket, sys, warnings
def refuse(*_): raise OSError("no network here")
socket.socket.connect = refuse
warnings.simplefilter("ignore")
folder = sys.argv[1]
"""


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with closing(open_store(tmp_path)) as opened:
        fill(opened, "first", [a_case(number) for number in range(3)])
        yield opened


def test_a_release_is_listed_written_verified_and_read_back(
    run: Run, database: Database, tmp_path: Path
) -> None:
    refused = run(*MAKE)
    assert (refused.code, "give --licence, --author and --contact once" in refused.err) == (2, True)
    listed = run(*MAKE, *SAID, "--dry-run", "--format", "json")
    assert {row["file"] for row in json.loads(listed.out)} >= {"README.md", "data/cases.jsonl"}
    assert "numbers in place of names; no comments, notes or reasons" in listed.err
    assert not (tmp_path / "out").exists()
    done = run(*MAKE, *SAID)
    assert (done.code, "Published: 3 of 3 cases." in done.err) == (0, True)
    assert "was there already" in run(*MAKE).err
    checked = run("release", "verify", "out", "--format", "json")
    results = {row["check"]: row["result"] for row in json.loads(checked.out)}
    assert (checked.code, results["files"], results["seal"]) == (0, "holds", "holds")
    assert "That does not prove who made it" in checked.err
    read = run("import", "out", "--dataset", "again")
    assert "3 cases added" in read.out
    assert "a release names its generators" in run("import", "out", "--dataset", "x", "--generator", "y").err


def test_a_release_that_does_not_hold_ends_with_a_sentence(run: Run, database: Database) -> None:
    run(*MAKE, *SAID)
    Path("out/CHANGELOG.md").write_text("Nothing.")
    wrong = run("release", "verify", "out")
    assert wrong.code == 2
    assert "the release does not hold: CHANGELOG.md: was changed" in wrong.err
    assert "Traceback" not in wrong.err
    nowhere = run("release", "verify", "nowhere")
    assert (nowhere.code, "is not there" in nowhere.err) == (2, True)


def test_a_person_is_asked_before_anything_is_written(
    run: Run, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    answers = iter(["MIT", "A; B", "a@example.org"])
    monkeypatch.setattr("click.prompt", lambda *_, **__: next(answers))
    monkeypatch.setattr("click.confirm", lambda *_, **__: False)
    assert run(*MAKE).err.endswith("Error: nothing was written.\n")
    assert not Path("out").exists()
    answers = iter(["MIT", "A; B", "a@example.org"])
    assert run(*MAKE, "--yes").code == 0
    assert '  - name: "B"' in Path("out/CITATION.cff").read_text()


@mostly_slow(2)
@pytest.mark.parametrize(
    ("package", "code"),
    [
        (
            "datasets",
            "os.environ.update(HF_HUB_OFFLINE='1', HF_HOME=folder + '-cache')\n"
            "import datasets\n"
            "rows = datasets.load_dataset(folder, cache_dir=folder + '-cache')['test']\n"
            "print(len(rows), rows[0]['group'])",
        ),
        (
            "mlcroissant",
            "import mlcroissant\n"
            "rows = list(mlcroissant.Dataset(jsonld=folder + '/croissant.json').records('rows'))\n"
            "print(len(rows), rows[0]['rows/group'].decode())",
        ),
    ],
    ids=["datasets", "mlcroissant"],
)
def test_others_load_a_release_of_the_seeds_without_a_network(
    run: Run, tmp_path: Path, package: str, code: str
) -> None:
    if find_spec(package) is None:
        pytest.skip(f"{package} is not installed; the extra release-checks has it")
    with closing(open_store(tmp_path)) as opened:
        import_path(opened, SEEDS, "first")
    assert run(*MAKE, *SAID).code == 0
    loaded = subprocess.run(
        [sys.executable, "-c", _NO_NETWORK + code, str(tmp_path / "out")],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
        env={"PATH": os.environ["PATH"], "HOME": str(tmp_path)},
    )
    assert loaded.stdout == "16 overconfidence bias\n", loaded.stderr


def test_parquet_holds_the_same_rows_and_a_changed_row_is_found(run: Run, database: Database) -> None:
    if find_spec("pyarrow") is None:
        assert "parquet needs pyarrow" in run(*MAKE, *SAID, "--parquet").err
        return
    import pyarrow.parquet as parquet

    assert run(*MAKE, *SAID, "--parquet").code == 0
    file = Path("out/data/cases.parquet")
    table = parquet.read_table(file)
    assert table.column("payload.axioms").to_pylist() == ["best(X) :- tested(X)."] * 3
    assert 'path: "data/cases.parquet"' in Path("out/README.md").read_text()
    parquet.write_table(table.set_column(2, "key", [["a", "b", "c"]]), file)
    results = json.loads(run("release", "verify", "out", "--format", "json").out)
    (row,) = [row for row in results if row["check"] == "rows of parquet"]
    assert (row["result"], row["detail"]) == ("fails", "differs from the lines in row 1")
