"""Cases from templates with slots, imported, audited and answered."""

import csv
import io
import json
import shlex
from importlib.resources import files
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.llm.server import Answer, Asked, serving

TEMPLATES = str(files("seeds") / "detail_levels" / "templates.toml")


def answered(asked: Asked) -> Answer:
    """Always the first choice, in a free answer."""
    return Answer("I thought about it. Answer: A" if asked.body["model"] == "first" else "I cannot say.")


def test_filled_templates_are_cases_that_models_answer(run: Run) -> None:
    filled = run("templates", "fill", TEMPLATES, "--times", 3)
    assert "4 templates of 4 groups, filled 3 times: 12 cases." in filled.err
    assert run("templates", "fill", TEMPLATES, "--times", 3).out == filled.out
    Path("cases.jsonl").write_text(filled.out, encoding="utf-8")
    imported = run("import", "cases.jsonl", "--dataset", "levels")
    assert imported.code == 0, imported.err
    assert "12 cases added (4 groups, 12 generated)" in imported.out
    assert run("audit", "levels").code == 0
    with serving(answered) as server:
        models = ("--model", "first", "--model", "silent")
        levels = ("--condition", "level=1", "--condition", "level=5")
        asked = run("evaluate", "try", "levels", *models, *levels, "--base-url", server.url)
        assert asked.code == 0, asked.err
        assert len(server.asked) == 12 * 2 * 2
    table = run("effects", "try", "--by", "model", "--resamples", 100, "--format", "csv")
    rows = {(row["model"], row["measure"]): row for row in csv.DictReader(io.StringIO(table.out))}
    first, silent = (
        {key: float(row["value"]) for (model, key), row in rows.items() if model == named and row["value"]}
        for named in ("first", "silent")
    )
    shares = ("biased", "unbiased", "unrelated", "not_read")
    assert [first[key] for key in shares] == pytest.approx([1 / 3, 1 / 3, 1 / 3, 0])
    assert [silent[key] for key in (*shares, "resistance")] == [0, 0, 0, 1, 1]
    assert (first["unbiased_of_chosen"], first["resistance_slope"]) == (pytest.approx(1 / 3), 0)
    assert "unbiased_of_chosen" not in silent
    nulls = [float(rows["first", "resistance"][null]) for null in ("null_coin", "null_first", "null_last")]
    assert nulls == pytest.approx([2 / 3] * 3)

    answers = run("outcomes", "cases", "try", "--number", 15)
    assert "15 answers." in answers.err
    Path("answers.jsonl").write_text(answers.out, encoding="utf-8")
    assert "15 cases added" in run("import", "answers.jsonl", "--dataset", "answers").out
    study = run("study", "new", "reading", "--dataset", "answers", "--rater", "ada")
    assert study.code == 0, study.err
    labels = [json.loads(line)["published"]["reading"] for line in answers.out.splitlines()]
    assert set(labels) == {"A", "none"}


def test_the_example_is_imported_with_its_declared_outcomes(run: Run) -> None:
    for command in run("protocol", "example", "detail-levels", "example").out.splitlines():
        shown = run(*shlex.split(command)[1:])
        assert shown.code == 0, shown.err
    listed = json.loads(run("outcomes", "list", "example", "--format", "json").out)
    assert len(listed) == 120
    written = {
        (row["key"], f"{row['level']}/{row['temperature']}"): row["answer"]
        for row in map(json.loads, Path("example/outcomes.jsonl").read_text(encoding="utf-8").splitlines())
    }
    assert {(row["key"], row["condition"]): row["reply"] for row in listed} == written
    unread = [row["label"] for row in listed if "I cannot say" in row["reply"]]
    assert unread == [None] * 9
    choices = Path("example/outcomes.toml").read_text().replace('text = "answer"', 'choice = "choice"')
    Path("letters.toml").write_text(choices + '\n[choices]\nA = "A"\n')
    row = {"key": listed[0]["key"], "model": "m", "level": 6, "temperature": 0, "choice": "A"}
    Path("letters.jsonl").write_text(json.dumps(row))
    letters = ("outcomes", "import", "letters", "letters.jsonl", "--as", "letters.toml")
    refused = run(*letters, "--dataset", "detail-levels")
    assert refused.code == 2
    assert "'6' is not a known level; use one of 1, 2, 3, 4, 5;" in refused.err
    Path("letters.jsonl").write_text(json.dumps({**row, "level": 5}))
    assert "1 outcome of m added" in run(*letters, "--dataset", "detail-levels").out
    single = run("protocol", "example", "level-answers", "answers")
    assert single.out.split() == [
        "reviewer",
        "import",
        "answers/level-answers.jsonl",
        "--dataset",
        "level-answers",
    ]
    assert [file.name for file in Path("answers").iterdir()] == ["level-answers.jsonl"]
