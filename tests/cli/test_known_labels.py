"""``reviewer judges --known``: the reader's accuracy on answers of our own, beside that of the raters."""

import csv
import io
import json
import shlex
from pathlib import Path

import pytest

from store.database import Database
from tests.cli.conftest import Run
from tests.studies import a_case, fill


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


def test_lines_to_fill_in_make_a_training_round(run: Run, tmp_path: Path) -> None:
    database = Database.open(str(tmp_path / "reviewer.db"))
    fill(database, "data", [a_case(number) for number in range(4)])
    lines = run("study", "known", "data")
    first, *others = csv.DictReader(io.StringIO(lines.out))
    assert (first["dataset"], first["question"], first["label"]) == ("data", "same_task", "")
    assert first["begins"].startswith("I plan release")
    assert len(others) == 15, "four questions about four cases"
    filled = lines.out.replace("same_task,,", "same_task,True,", 1)
    (tmp_path / "gold.csv").write_text(filled)
    made = run("study", "new", "pilot", "--dataset", "data", "--gold", "gold.csv", "--gold-pass", "0.9")
    assert made.code == 0, made.err
    assert "15 lines without a label are left out" in made.err
    refused = run("study", "new", "other", "--dataset", "data", "--gold-pass", "0.9")
    assert refused.code == 2
    assert "give their --gold FILE too" in refused.err


def test_cases_of_a_dataset_are_listed_by_its_name(run: Run, tmp_path: Path) -> None:
    database = Database.open(str(tmp_path / "reviewer.db"))
    for name in ("one", "two"):
        fill(database, name, [a_case(number + 10 * len(name)) for number in range(3)])
    named = run("cases", "one", "--format", "csv")
    assert named.code == 0, named.err
    assert {row["dataset"] for row in csv.DictReader(io.StringIO(named.out))} == {"one"}
    assert named.out == run("cases", "--dataset", "one", "--format", "csv").out
