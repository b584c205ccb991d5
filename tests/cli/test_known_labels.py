"""``reviewer judges --known``: the reader's accuracy on answers of our own, beside that of the raters."""

import csv
import json
import shlex
from pathlib import Path

import pytest

from tests.cli.conftest import Run


def test_a_study_of_forty_known_answers_tells_the_readers_accuracy_beside_the_raters(run: Run) -> None:
    (command,) = run("protocol", "example", "level-answers", ".").out.splitlines()
    assert run(*shlex.split(command)[1:]).code == 0
    sample = ("--include-seeds", "--total", 40, "--rater", "ada", "--rater", "ben")
    assert run("study", "new", "reading", "--dataset", "level-answers", *sample).code == 0
    keys = [row["key"] for row in json.loads(run("study", "show", "reading", "--format", "json").out)]
    lines = [json.loads(line) for line in Path("level-answers.jsonl").read_text("utf-8").splitlines()]
    published = {line["key"]: line["published"] for line in lines}
    known = {key: published[key]["known_choice"] for key in keys}
    with Path("labels.csv").open("w") as file:
        writer = csv.writer(file)
        writer.writerow(("rater", "key", "question", "label"))
        for number, (key, label) in enumerate(known.items()):
            wrong = "A" if label == "none" else "none"
            writer.writerow(("ada", key, "choice_taken", label))
            writer.writerow(("ben", key, "choice_taken", label if number % 10 else wrong))
    assert "80 labels of 2 raters" in run("import", "labels.csv", "--study", "reading").out

    given = ("judges", "reading", "--known", "known_choice", "--by", "", "--format", "json")
    rows = json.loads(run(*given).out)
    assert [(row["who"], row["known"], row["compared"]) for row in rows] == [
        ("reader", 40, 40),
        ("ada", 40, 40),
        ("ben", 40, 40),
    ]
    right = sum(published[key]["reading"] == label for key, label in known.items())
    assert [row["accuracy"] for row in rows] == pytest.approx([right / 40, 1, 0.9])
    assert 20 < right < 40
    assert [row["accuracy_low"] < row["accuracy"] <= row["accuracy_high"] for row in rows] == [True] * 3
    by_bias = json.loads(run(*given[:4], "--format", "json").out)
    assert [(row["group"], row["compared"]) for row in by_bias if row["who"] == "ben"] == [
        *((group, 10) for group in ("Anchoring", "Availability", "Framing", "Overattribution")),
        ("all", 40),
    ]
    for wrong, said in (
        (("--raters",), "leave out --raters"),
        (("--known", "nope"), "published value 'nope'"),
    ):
        refused = run(*given[:4], *wrong)
        assert (refused.code, refused.out) == (2, "")
        assert said in refused.err
