"""Plans of draws from strata at the command line."""

import json
from pathlib import Path

import pytest

from tests.audited_dataset import fill_audited
from tests.cli.conftest import Run
from tests.studies import open_store

STRATA = ("--dataset", "one", "--strata", "findings")
GUESSES = ("--guess", "none=.97,serious=.6", "--guess", "doubtful=.8,not tested=.9")


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "settings.toml"
    monkeypatch.setenv("REVIEWER_SETTINGS", str(path))
    path.write_text('name = "tom"\n')
    fill_audited(open_store(tmp_path))


@pytest.mark.usefixtures("store")
def test_a_plan_compares_allocations_with_a_simple_draw(run: Run) -> None:
    planned = run("study", "plan", *STRATA, *GUESSES, "--total", 10, "--total", 15, "--format", "json")
    assert planned.code == 0, planned.err
    rows = json.loads(planned.out)
    assert [row["cases"] for row in rows] == [10] * 4 + [15] * 4
    assert [row["allocation"] for row in rows[:4]] == ["simple", "equal", "proportional", "neyman"]
    assert rows[1]["drawn"] == "3 + 3 + 1 + 3"
    assert all(0 < row["width"] < 1 for row in rows)
    assert rows[7]["relative_width"] == pytest.approx(rows[7]["width"] / rows[4]["width"])
    assert "serious, 6 cases, .600; doubtful, 4 cases, .800; not tested, 1 case, .900; none, 9" in planned.err
    shown = run("study", "plan", *STRATA, *GUESSES, "--total", 10)
    assert "from each stratum" in shown.out
    assert "mean width of the 95% interval that reports print" in shown.err


@pytest.mark.usefixtures("store")
def test_the_plan_is_that_of_the_study_that_is_then_drawn(run: Run) -> None:
    rows = json.loads(run("study", "plan", *STRATA, *GUESSES, "--total", 12, "--format", "json").out)
    made = run("study", "new", "pilot", *STRATA, *GUESSES, "--total", 12)
    drawn = [part.split()[-3] for part in made.err.partition("stratum: ")[2].partition(".\n")[0].split("; ")]
    assert rows[3]["drawn"] == " + ".join(drawn)


@pytest.mark.usefixtures("store")
@pytest.mark.parametrize(
    ("arguments", "wrong"),
    [
        (STRATA, "give --guess STRATUM=RATE for each stratum"),
        (("--strata", "findings", *GUESSES), "needs --dataset"),
        (("--dataset", "one", *GUESSES), "needs --strata"),
        ((*STRATA, "--guess", "none=.9"), "a guessed pass rate of stratum 'serious'"),
        ((*STRATA, *GUESSES, "--guess", "severe=.5"), "'severe', and there is no such stratum"),
        ((*STRATA, "--guess", "none=2"), "'none=2' is not a stratum and a pass rate from 0 to 1"),
        ((*STRATA, *GUESSES, "--total", "21"), "there are 20 cases to draw; you asked for 21"),
        ((*STRATA, *GUESSES, "--total", "6"), "4 strata need 7 cases"),
        ((*STRATA, *GUESSES, "--raters", "3"), "--dataset is about draws from strata, and --raters about"),
        (("--dataset", "none", "--strata", "findings", *GUESSES), "dataset 'none'"),
        (("--raters", "3", "--agreement", ".9"), "Missing option '--true-share'"),
        ((), "Missing option '--raters'"),
    ],
)
def test_what_cannot_be_planned_is_one_sentence(run: Run, arguments: tuple[str, ...], wrong: str) -> None:
    refused = run("study", "plan", *arguments)
    assert (refused.code, refused.out) == (2, "")
    assert wrong in refused.err
    assert len(refused.err.splitlines()) == 1


@pytest.mark.usefixtures("store")
def test_raters_who_owe_answers_about_the_cases_cannot_plan_by_findings(run: Run) -> None:
    run("study", "new", "pilot", "--dataset", "one", "--per-group", 2, "--rater", "tom", "--lead", "lena")
    refused = run("study", "plan", *STRATA, *GUESSES)
    assert refused.code == 2
    assert "serious" not in refused.err
    assert "automatic findings would influence your answers" in refused.err
