"""Answers of four systems are ranked: from a declaration to a release, line by line and by a file."""

import csv
import io
import json
from pathlib import Path

import pytest

from tests.cli.conftest import Result, Run
from tests.rankings import DECLARATION, SYSTEMS, rows

CASES = 12
LINES = ("A > B > C > D", "b > a = c > d", "A: 1, B: 1, C: 2, D: 3", "all equal")


def table(path: Path, *answers: str) -> Path:
    lines = [["dataset", "item", "rater", "question", "label"]]
    lines += [["answers", f"q{case}", "cara", "best", answer] for case, answer in enumerate(answers, 1)]
    text = io.StringIO()
    csv.writer(text).writerows(lines)
    path.write_text(text.getvalue(), encoding="utf-8")
    return path


def done(result: Result) -> Result:
    assert result.code == 0, result.err
    return result


@pytest.fixture
def study(run: Run, tmp_path: Path) -> Path:
    """An empty study of three raters."""
    (tmp_path / "systems.toml").write_text(DECLARATION, encoding="utf-8")
    lines = "".join(f"{json.dumps(row)}\n" for row in rows(CASES))
    (tmp_path / "rows.jsonl").write_text(lines, encoding="utf-8")
    source = ("--protocol", "systems.toml", "--generator", "four systems")
    done(run("import", "rows.jsonl", "--dataset", "answers", *source))
    raters = [word for name in ("anna", "ben", "cara") for word in ("--rater", name)]
    done(run("study", "new", "pilot", "--dataset", "answers", "--total", CASES, *raters))
    return tmp_path


def test_from_a_declaration_to_a_release(run: Run, study: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for rater in ("anna", "ben"):
        monkeypatch.setattr("sys.stdin", io.StringIO("\n".join(LINES * 3) + "\n"))
        printed = done(run("review", "pilot", "--rater", rater, "--plain")).out
        assert "Saved: ranking = A = B > C > D" in printed
        assert "Saved: ranking = A = B = C = D" in printed
    ranked = ["Boreal > Atlas = Delta > Cumulus", '{"Atlas": 1, "Boreal": 2, "Cumulus": 3, "Delta": 4}'] * 6
    assert (
        "12 labels of 1 rater"
        in done(run("import", table(study / "cara.csv", *ranked), "--study", "pilot")).out
    )

    assert "W" in done(run("agreement", "pilot")).out.split("\n")[0].split()
    by_output = list(
        csv.DictReader(io.StringIO(done(run("agreement", "pilot", "--outputs", "--format", "csv")).out))
    )
    assert sorted(row["output"] for row in by_output) == list(SYSTEMS)
    assert [float(row["mean_rank"]) for row in by_output] == sorted(
        float(row["mean_rank"]) for row in by_output
    )
    assert sum(float(row["mean_rank"]) for row in by_output) == pytest.approx(10)
    assert all(
        row["bradley_terry_low"] < row["bradley_terry_high"] or row["bradley_terry_low"] for row in by_output
    )

    monkeypatch.setattr("sys.stdin", io.StringIO("delta > atlas = boreal > cumulus because it is whole\n"))
    decided = done(run("adjudicate", "pilot", "--as", "dora", "--plain")).out
    assert "Decided: ranking = Delta > Atlas = Boreal > Cumulus" in decided
    done(run("study", "close", "pilot"))
    done(run("report", "pilot", "-o", "report"))
    report = (study / "report" / "report.md").read_text(encoding="utf-8")
    assert "## Ranked outputs" in report
    assert "a W of 1 divided by their number" in report
    done(run("export", "pilot", "-o", "out"))
    assert (study / "out" / "outputs.csv").exists()
    assert "answers are JSON lists of groups" in (study / "out" / "codebook.csv").read_text(encoding="utf-8")

    done(run("study", "describe", "pilot", "--consent", "public"))
    stated = ("--licence", "CC0-1.0", "--author", "A. Person", "--contact", "a@example.org")
    done(run("release", "make", "answers", "--version", "1.0", "-o", "release", *stated))
    assert "| Kendall's W, mean over cases |" in (study / "release" / "README.md").read_text(encoding="utf-8")
    verified = done(run("release", "verify", "release")).out
    assert "ranking: Kendall's W" in " ".join(verified.split())
    lines = (study / "release" / "data" / "labels.jsonl").read_text(encoding="utf-8").splitlines()
    rankings = [json.loads(json.loads(line)["label"]) for line in lines]
    assert {sum(map(len, ranking)) for ranking in rankings} == {4}


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ("Boreal > Atlas > Delta", "Cumulus has no rank"),
        ("Boreal > Atlas > Delta > Boreal > Cumulus", "Boreal is ranked twice"),
        ("Atlas: 1, Boreal: 2, Cumulus: 4, Delta: 5", "skip or repeat rank 3"),
        ("Atlas: 1, Boreal: 1, Cumulus: 1, Delta: 3", "skip or repeat rank 4"),
        ("Boreal > Atlas > Delta > Cirrus", "'Cirrus' is not one of the outputs"),
        ("Boreal", "have no rank"),
    ],
)
def test_ranks_that_do_not_fit_are_one_sentence_and_nothing_is_imported(
    run: Run, study: Path, answer: str, why: str
) -> None:
    result = run("import", table(study / "bad.csv", answer), "--study", "pilot")
    assert result.code == 2
    assert f"bad.csv, line 2: {answer!r} does not rank the outputs of 'best': " in result.err
    assert why in result.err
    assert "Nothing was imported." in result.err


def test_a_line_that_ranks_some_outputs_is_refused_and_a_comment_is_none(
    run: Run, study: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("c better: A > B\nA > B\n"))
    result = run("review", "pilot", "--rater", "anna", "--plain")
    assert result.code == 2
    assert "line 2 ('A > B'): 'A > B' does not rank the outputs: C and D have no rank" in result.err


def test_judges_of_rankings_say_that_nothing_is_compared(run: Run, study: Path) -> None:
    done(run("import", table(study / "one.csv", "Boreal > Atlas > Delta > Cumulus"), "--study", "pilot"))
    done(run("study", "close", "pilot", "--anyway"))
    refused = run("judges", "pilot")
    assert refused.code == 2
    assert "neither published values nor judges are compared with these" in refused.err
    assert "judges ask" not in refused.err
