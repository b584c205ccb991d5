"""A column that is added to a declared table stands in every output; nothing else has to change."""

import csv
import io
import json
from pathlib import Path

import pytest

from reviewer.core.table import Column, plain_column
from reviewer.results.labels.rater_results import RaterResult
from reviewer.results.labels.study_statistics import StudyStatistics
from reviewer.results.tables import rater_tables
from reviewer.tui.rendering.agreement_grid import grid_of
from store.database import Database
from tests.cli.conftest import Run
from tests.judged import judged_study
from tests.studies import open_store

SHOES: Column[RaterResult] = plain_column(
    "shoe_size",
    "integer",
    "size of the rater's shoes",
    lambda row: 4200 + len(row.rater),
    "shoes",
    told="size",
)


@pytest.fixture
def judged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Database:
    """A judged study; the table of raters has one more column, declared above."""
    database = open_store(tmp_path)
    judged_study(database, per_generator=2)
    monkeypatch.setattr(rater_tables, "_RATERS", (*rater_tables._RATERS, SHOES))
    return database


def test_it_stands_on_the_screen(judged: Database) -> None:
    grid = grid_of(StudyStatistics.read(judged, "pilot", "tom"), "raters", ("generator",))
    at = grid.heads.index("shoes")
    assert [(row[at].lines, row[at].order) for row in grid.rows] == [
        (("4,204",), 4204),
        (("4,203",), 4203),
        (("4,204",), 4204),
    ]


@pytest.mark.parametrize("form", ["table", "markdown", "latex"])
def test_it_stands_in_what_a_command_prints_for_people(judged: Database, run: Run, form: str) -> None:
    result = run("agreement", "pilot", "--raters", "--format", form)
    assert "shoes" in result.out
    assert "4203" in result.out
    assert "shoes: size" in result.out + result.err, "the legend says what the head means"


def test_it_stands_in_what_a_command_prints_for_programs(judged: Database, run: Run) -> None:
    as_json = json.loads(run("agreement", "pilot", "--raters", "--format", "json").out)
    assert [row["shoe_size"] for row in as_json] == [4204, 4203, 4204]
    as_csv = run("agreement", "pilot", "--raters", "--format", "csv").out
    assert [row["shoe_size"] for row in csv.DictReader(io.StringIO(as_csv))] == ["4204", "4203", "4204"]


def test_it_stands_in_all_pages_of_the_report(judged: Database, run: Run, tmp_path: Path) -> None:
    run("report", "pilot", "--no-figures", "-o", str(tmp_path / "out"))
    for name in ("report.html", "report.md", "report.tex"):
        page = (tmp_path / "out" / name).read_text(encoding="utf-8")
        assert "shoes: size" in page, name
        assert "4203" in page, name


def test_it_stands_in_the_export_and_its_codebook(judged: Database, run: Run, tmp_path: Path) -> None:
    run("export", "pilot", "-o", str(tmp_path / "out"))
    read = {path.name: path.read_text(encoding="utf-8") for path in (tmp_path / "out").iterdir()}
    assert "shoe_size" in read["raters.csv"].splitlines()[0]
    assert json.loads(read["raters.jsonl"].splitlines()[0])["shoe_size"] == 4204
    book = csv.DictReader(io.StringIO(read["codebook.csv"]))
    told = {(row["file"], row["type"], row["meaning"]) for row in book if row["column"] == "shoe_size"}
    assert told == {(name, "integer", "size of the rater's shoes") for name in ("raters.csv", "raters.jsonl")}
