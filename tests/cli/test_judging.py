"""Judges of pairs from the shipped example to the table that tells their habits apart."""

import csv
import io
import json
import re
import shlex
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.llm.server import Answer, Asked, serving

HABITS = ("first", "longer", "reader")


def judged(asked: Asked) -> Answer:
    """Always the first place; the longer answer; the right one in nearly all pairs, else the first place."""
    habit, text = asked.body["model"], asked.last
    first, second = re.split(r"\n\n(?:First|Second) answer:\n", text)[1:]
    place = "first"
    if habit == "longer":
        place = "first" if len(first) > len(second) else "second"
    elif habit == "reader" and "words" not in text and "x = " not in text:
        place = "first" if RIGHT[first.strip()] else "second"
    return Answer(f"I compared both.\nVerdict: {place}")


RIGHT: dict[str, bool] = {}


def test_the_example_is_imported_and_judges_with_habits_are_told_apart(run: Run) -> None:
    commands = run("protocol", "example", "judge-pairs", "example").out.splitlines()
    said = ""
    for command in commands:
        program, *arguments = shlex.split(command)
        assert program == "reviewer"
        shown = run(*arguments)
        assert shown.code == 0, shown.err
        said += shown.out
    assert "24 outcomes of demo-judge added (12 cases, 1 repeat)" in said
    assert "judge-rewrites: 6 cases" in said
    for row in map(json.loads, Path("example/cases.jsonl").read_text(encoding="utf-8").splitlines()):
        RIGHT[row["response_A"].strip()] = row["label"] == 1
        RIGHT[row["response_B"].strip()] = row["label"] == 2
    checked = run("audit", "judge-pairs", "--format", "json")
    assert checked.code == 0, checked.err
    failed = [finding["check"] for finding in json.loads(checked.out)]
    assert (failed.count("same_result"), failed.count("result_read")) == (2, 2)

    with serving(judged) as server:
        models = [part for habit in HABITS for part in ("--model", habit)]
        asked = run("evaluate", "habits", "judge-pairs", *models, "--base-url", server.url)
        assert asked.code == 0, asked.err
        assert len(server.asked) == 12 * 2 * len(HABITS)
    table = run("effects", "habits", "--resamples", 100, "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(table.out)))
    values = {(row["model"], row["measure"]): float(row["value"]) for row in rows}
    assert values["first", "place"] == values["first", "tie"] == 1
    assert values["first", "right"] == 0
    assert values["longer", "longer"] == 1
    assert values["longer", "right"] == pytest.approx(4 / 12)
    assert values["reader", "right"] == pytest.approx(10 / 12)
    assert values["reader", "place"] == pytest.approx(2 / 12)
    without = run("effects", "habits", "--measure", "right", "--without", "same_result", "--resamples", 100)
    assert "Over 10 of 12 cases: without same_result." in without.err + without.out
    unknown = run("effects", "habits", "--without", "same_resul")
    assert unknown.code == 2
    assert "there is no check 'same_resul'; did you mean same_result" in unknown.err
