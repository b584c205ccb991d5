"""A protocol of Python and a declared one in one store: one list of studies, a report of each."""

import io
import json
from pathlib import Path

import pytest
from textual.widgets import Input

from reviewer.exchange.rows.shipped import example_files
from store.database import Database
from tests.cli.conftest import Run
from tests.second_protocol.material import PROTOCOLS
from tests.tui.conftest import Opener, press, seen, settle


@pytest.fixture
def example(tmp_path: Path) -> Path:
    """The folder with the example of judged pairs."""
    for name, text in example_files("reply_pairs", PROTOCOLS).items():
        (tmp_path / name).write_text(text)
    return tmp_path


def test_both_have_studies_in_one_list_and_a_report_each(
    database: Database, example: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("import", "reply_pairs.jsonl", "--protocol", "reply_pairs.toml", "--dataset", "pairs")
    for study, dataset in (("talking", "talks"), ("choosing", "pairs")):
        assert run("study", "new", study, "--dataset", dataset, "--rater", "anna").code == 0
        monkeypatch.setattr("sys.stdin", io.StringIO("1\n" * 24))
        run("review", study, "--rater", "anna", "--plain")
        assert run("report", study, "--no-figures", "-o", study).code == 0
    studies = json.loads(run("study", "list", "--format", "json").out)
    assert {study["study"]: study["protocol"] for study in studies} == {
        "talking": "tiny",
        "choosing": "reply-pairs@1",
    }
    for study, title in (("talking", "TINY"), ("choosing", "Reply pairs")):
        assert title in (example / study / "report.md").read_text()


def test_line_by_line_a_reveal_names_the_sides_and_gives_the_opinion_as_they_were_shown(
    example: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("import", "reply_pairs.jsonl", "--protocol", "reply_pairs.toml", "--dataset", "pairs")
    run("study", "new", "choosing", "--dataset", "pairs", "--rater", "anna", "--reveal", "findings", "--swap")
    monkeypatch.setattr("sys.stdin", io.StringIO("1\nkeep\n" * 12))
    said = run("review", "choosing", "--rater", "anna", "--plain").out.splitlines()
    named = [line for line in said if line.startswith("The sides are now named: ")]
    assert len(named) == 12
    exchanged = [" · left answer is answer B" in line for line in named]
    assert len({*exchanged}) == 2
    opinions = [line for line in said if line.strip().startswith("choice of the judge")]
    assert [line.endswith(", as you see it") for line in opinions if " tie" not in line] == [
        swapped for line, swapped in zip(opinions, exchanged, strict=True) if " tie" not in line
    ]


async def test_a_declared_benchmark_is_imported_drawn_and_reviewed_in_the_app(
    database: Database, example: Path, opened: Opener
) -> None:
    async with opened(None) as pilot:
        await press(pilot, "i")
        given = {"path": "reply_pairs.jsonl", "dataset": "pairs", "protocol": "reply_pairs.toml"}
        for name, text in given.items():
            text = str(example / text) if "." in text else text
            pilot.app.screen.query_one(f"#{name}", Input).value = text
        await press(pilot, "ctrl+s")
        await settle(pilot)
        assert "pairs: 12 cases added" in seen(pilot)
    from reviewer.study.design.study_creation import Design, create_study

    create_study(database, "choosing", Design(("pairs",), None, 7, raters=("anna",)))
    async with opened("choosing") as pilot:
        await press(pilot, "enter")
        assert "Which answer helps the person more?" in seen(pilot)
        assert "choice of the judge" not in seen(pilot)
        await press(pilot, "1")
        assert "saved" in seen(pilot)
