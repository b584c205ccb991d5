"""Leads at the command line: recorded people, refused requests, and output for leads only."""

import json
from pathlib import Path

import pytest

from reviewer.study.session.review_session import ReviewSession
from tests.cli.conftest import Run
from tests.studies import a_case, fill, open_store


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A settings file of its own; it does not exist yet."""
    path = tmp_path / "settings.toml"
    monkeypatch.setenv("REVIEWER_SETTINGS", str(path))
    return path


@pytest.fixture
def database(tmp_path: Path, settings: Path) -> None:
    fill(open_store(tmp_path), "data", [a_case(number) for number in range(3)])


def answer(folder: Path, rater: str, count: int) -> None:
    session = ReviewSession(open_store(folder), "pilot", rater, stopwatch=lambda: 0.0)
    for _ in range(count):
        session.answer("True")


def facts(run: Run) -> dict[str, str]:
    rows = json.loads(run("study", "show", "pilot", "--design", "--format", "json").out)
    return {row["design"]: row["value"] for row in rows}


@pytest.mark.usefixtures("database")
def test_the_maker_is_the_lead_by_option_or_by_the_name_in_the_settings(run: Run, settings: Path) -> None:
    settings.write_text('name = "tom"\n')
    made = run("study", "new", "pilot", "--dataset", "data")
    assert "Its lead is tom" in made.err
    assert facts(run)["lead"] == "tom"
    run("study", "new", "other", "--dataset", "data", "--lead", "maria")
    assert "maria became its lead" in run("study", "show", "other").err


@pytest.mark.usefixtures("database")
def test_a_lead_is_named_and_the_log_says_by_whom(run: Run) -> None:
    run("study", "new", "pilot", "--dataset", "data", "--lead", "tom")
    named = run("study", "lead", "pilot", "maria", "--as", "tom")
    assert named.code == 0, named.err
    assert "named as lead: maria by tom." in named.err
    assert facts(run)["lead"] == "tom, maria"
    again = run("study", "lead", "pilot", "maria", "--as", "tom")
    assert (again.code, again.out) == (2, "")
    assert "'maria' already leads study 'pilot'" in again.err


@pytest.mark.usefixtures("database")
def test_a_browser_window_names_no_lead(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    run("study", "new", "pilot", "--dataset", "data", "--lead", "tom")
    monkeypatch.setenv("TEXTUAL_DRIVER", "a browser's")
    refused = run("study", "lead", "pilot", "maria", "--as", "tom")
    assert refused.code == 2
    assert "a browser window serves one rater" in refused.err
    assert facts(run)["lead"] == "tom"


@pytest.mark.usefixtures("database")
def test_warnings_are_for_the_lead_alone(run: Run, tmp_path: Path) -> None:
    run("study", "new", "pilot", "--dataset", "data", "--lead", "tom")
    answer(tmp_path, "anna", 12)
    shown = run("progress", "pilot", "--as", "tom", "--format", "json")
    assert [row["warnings"] for row in json.loads(shown.out)] == [2]
    assert "Warning: anna answered 3 of 3 cases faster than people read" in shown.err
    assert "Warning: anna gave the same label in all 12 answers." in shown.err
    for person in ("anna", "zoe"):
        blind = run("progress", "pilot", "--as", person, "--format", "json")
        assert "warnings" not in json.loads(blind.out)[0]
        assert "Warning" not in blind.err


@pytest.mark.usefixtures("database")
def test_a_lead_who_still_rates_is_shown_no_warnings(run: Run, tmp_path: Path) -> None:
    run("study", "new", "pilot", "--dataset", "data", "--lead", "anna")
    answer(tmp_path, "anna", 11)
    answer(tmp_path, "ben", 12)
    assert "Warning" not in run("progress", "pilot", "--as", "anna").err
    answer(tmp_path, "anna", 1)
    assert "Warning: ben" in run("progress", "pilot", "--as", "anna").err


@pytest.mark.usefixtures("database")
def test_the_whole_design_is_shown(run: Run, tmp_path: Path) -> None:
    for name, number in (("training", 0), ("gold", 1)):
        line = f"data,anchoring bias/{number},same_task,True,\n"
        (tmp_path / f"{name}.csv").write_text(f"dataset,key,question,label,why\n{line}")
    made = run(
        *("study", "new", "pilot", "--dataset", "data", "--lead", "tom", "--rater", "anna", "--rater", "ben"),
        *("--repeats", "0.5", "--swap", "--reveal", "back", "--training", "training.csv"),
        *("--training-pass", "0.8", "--gold", "gold.csv"),
    )
    assert made.code == 0, made.err
    design = facts(run)
    assert design["raters"] == "anna, ben (nobody else)"
    assert design["shown twice"] == "1 case"
    assert design["training"] == "1 case; pass mark 80%"
    assert design["gold"] == "1 case; pass mark 70%"
    assert design["question same_task"].startswith("same task (1 case and 1 gold case; ")
    assert design["findings"] == "shown when raters return to an answered case and ask for them"
    assert design["sides"] == "exchanged at random, where a question allows it"
    sample = run("study", "show", "pilot", "--format", "json")
    rows = {row["key"]: (row["role"], row["shown"]) for row in json.loads(sample.out)}
    assert rows == {
        "anchoring bias/0": ("training", 1),
        "anchoring bias/1": ("gold", 1),
        "anchoring bias/2": ("counted", 2),
    }
    assert "sides: exchanged at random" in sample.err


@pytest.mark.usefixtures("database")
def test_a_pass_mark_needs_a_training_round(run: Run) -> None:
    refused = run("study", "new", "pilot", "--dataset", "data", "--training-pass", "0.8")
    assert refused.code == 2
    assert "give its --training FILE too" in refused.err


@pytest.mark.usefixtures("database")
def test_the_report_names_the_lead_and_holds_the_warnings(run: Run, tmp_path: Path) -> None:
    run("study", "new", "pilot", "--dataset", "data", "--lead", "tom")
    answer(tmp_path, "anna", 12)
    answer(tmp_path, "ben", 12)
    done = run("report", "pilot", "-o", "out", "--no-figures", "--interval", "none")
    assert done.code == 0, done.err
    text = (tmp_path / "out" / "report.md").read_text()
    assert "tom" in text
    assert "anna answered 3 of 3 cases faster than people read" in text
    run("report", "pilot", "-o", "out", "--no-figures", "--interval", "none", "--anonymous")
    assert "tom" not in (tmp_path / "out" / "report.md").read_text()
