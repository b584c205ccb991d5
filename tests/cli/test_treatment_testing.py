"""Tests with control and treatment from the shipped example to the scores of models with habits."""

import csv
import io
import json
import re
import shlex
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest

from reviewer.protocols.registry import PROTOCOLS
from reviewer.results.outcomes.effect_estimates import effect_table
from reviewer.results.outcomes.effect_rows import ErrorMethod
from reviewer.results.outcomes.evaluated import read_evaluation
from reviewer.tui.rendering.effects_grid import grid_of_effects
from store.database import Database
from store.evaluations import Evaluations
from tests.cli.conftest import Run
from tests.llm.server import Answer, Asked, serving

DATASET = "treatment-tests"
HABITS = ("place", "constant", "unsure")
_LISTED = re.compile(r"^Option (\d+): (.*)$", re.MULTILINE)


def decided(asked: Asked) -> Answer:
    """A free answer first; then an option in the first place, the case's first option, or two."""
    messages, habit = asked.body["messages"], asked.body["model"]
    if len(messages) == 1:
        return Answer("I weighed them.")
    listed = _LISTED.findall(messages[0]["content"])
    first = {"0%", "Surely A", "Certainly the second"}
    number = {
        "place": "1",
        "constant": next(at for at, text in listed if text in first),
        "unsure": "1, or Option 2",
    }[habit]
    return Answer(f"Option {number}")


def test_habits_of_models_are_told_apart_by_exact_nulls(run: Run) -> None:
    said = remarks = ""
    for command in run("protocol", "example", "treatment-tests", "example").out.splitlines():
        shown = run(*shlex.split(command)[1:])
        assert shown.code == 0, shown.err
        said += shown.out
        remarks += shown.err
    assert "24 outcomes of demo-model added (12 cases, 1 repeat)" in said
    assert remarks.count("does not say in which order options were shown") == 1
    assert ".." not in remarks
    assert Path("example/templates.toml").exists()
    lines = Path("example/outcomes.jsonl").read_text().splitlines()
    Path("decisions.jsonl").write_text(json.dumps({**json.loads(lines[0]), "treatment_decision": 11}))
    refused = run(
        "outcomes", "import", "more", "decisions.jsonl", "--as", "treatment-decisions", "--dataset", DATASET
    )
    assert (refused.code, refused.out) == (2, "")
    assert "line 1, column 'treatment_decision': is 11, and the case has 11 options, from 0" in refused.err
    planned = run("evaluate", "habits", "treatment-tests", "--model", "place", "--dry-run", "--format", "csv")
    second = planned.err.partition("Each is asked in a second call")[2]
    assert second.count("── second call · assistant ──") == second.count("── second call · user ──") == 1
    assert 'Reply with "Option N", where N is its number from 1 to 11' in second
    (row,) = csv.DictReader(io.StringIO(planned.out))
    payloads = [json.loads(line)["payload"] for line in Path("example/cases.jsonl").read_text().splitlines()]
    texts = sum(len(payload[version]) for payload in payloads for version in ("control", "treatment"))
    assert row["calls"] == "48"
    assert int(row["prompt tokens"]) > 2 * texts / 4 + 24 * 150  # a second call sends the first answer back
    with serving(decided) as server:
        models = [part for habit in HABITS for part in ("--model", habit)]
        asked = run("evaluate", "habits", "treatment-tests", *models, "--base-url", server.url)
        assert asked.code == 0, asked.err
        assert len(server.asked) == 12 * 2 * 2 * len(HABITS)
        second = [each.body["messages"] for each in server.asked if len(each.body["messages"]) > 1]
    assert {messages[1]["content"] for messages in second} == {"I weighed them."}

    with closing(Database.open("reviewer.db")) as database:
        assert Evaluations(database).calls("habits").calls == len(server.asked)
        habits = read_evaluation(database, PROTOCOLS, "habits")
    quick = effect_table(habits, by=("model", "group"), method=ErrorMethod("linearised"))
    grid = grid_of_effects(quick, habits.plan, quick.measures[0], "group")
    assert [row[0].lines for row in grid.rows if len(row[0].lines) > 2] == [
        ("Planning Fallacy", "3 cases", "coin -3.9, not 0")
    ]
    table = run("effects", "habits", "--resamples", 100, "--format", "csv")
    rows = {(row["model"], row["measure"]): row for row in csv.DictReader(io.StringIO(table.out))}
    score = {habit: rows[habit, "score"] for habit in HABITS}
    assert float(score["constant"]["value"]) == pytest.approx(float(score["constant"]["null_first"]))
    assert float(score["place"]["value"]) == pytest.approx(float(score["place"]["null_first_place"]))
    assert float(rows["unsure", "failed"]["value"]) == 1
    assert float(rows["place", "failed"]["value"]) == 0
    assert (score["place"]["coin_is_zero"], rows["place", "size"]["coin_is_zero"]) == ("False", "")
    by_bias = run("effects", "habits", "--by", "group", "--measure", "score", "--resamples", 100).out
    marked = [line.split("  ")[0] for line in by_bias.splitlines() if "-.039" in line]
    assert marked == ["Planning Fallacy"]
    people = run("effects", "habits", "--measure", "size", "--resamples", 100)
    assert "A mean size above 0 shows no bias by itself: a coin's is above 0 as well." in people.err
    assert "A coin does not score 0 on Planning Fallacy" in people.err

    listed = json.loads(run("outcomes", "list", "habits", "--model", "place", "--format", "json").out)
    orders = Counter((row["key"].partition("/")[0], row["why"]) for row in listed)
    assert {why for _, why in orders} == {"plain order", "reversed order"}
    assert all(number in (2, 4) for number in orders.values())
    unread = json.loads(run("outcomes", "list", "habits", "--model", "unsure", "--format", "json").out)
    assert {row["why"].split(" (")[0] for row in unread} == {"takes several choices"}
    again = run("outcomes", "read", "habits")
    assert again.code == 0, again.err
