"""``study new --cases FILE``: a sample that is exactly the listed cases."""

import csv
import io
from pathlib import Path

import pytest

from reviewer.study.design.study_bundle import load_study
from store.database import Database
from tests.cli.conftest import Run
from tests.judged import judge
from tests.studies import BIASES, a_case, fill, open_store


@pytest.fixture
def database(tmp_path: Path) -> Database:
    store = open_store(tmp_path)
    fill(store, "one", [a_case(number, BIASES[number % 8]) for number in range(16)], "gpt-4o-mini")
    fill(store, "two", [a_case(number, BIASES[number % 8]) for number in range(16, 32)], "gpt-4.1-mini")
    return store


def sample_of(database: Database, study: str) -> list[tuple[str, str]]:
    return [(place.dataset, place.key) for place in load_study(database, study).sample]


def test_exactly_the_listed_cases_are_drawn_in_their_order(
    database: Database, run: Run, tmp_path: Path
) -> None:
    keys = [f"{BIASES[number % 8]}/{number}" for number in (11, 3, 4, 12)]
    (tmp_path / "keys.txt").write_text("\n".join(["", *keys, ""]), encoding="utf-8")
    made = run("study", "new", "again", "--dataset", "one", "--cases", "keys.txt")
    assert made.code == 0, made.err
    assert made.out.startswith("again: 4 cases, ")
    assert "no case that could be drawn" not in made.err, "the dataset has them, the list does not"
    assert f"Dataset one has no case of the list in {BIASES[0]}, " in made.err
    assert sample_of(database, "again") == [("one", key) for key in keys]


def test_a_published_sample_is_rebuilt_from_its_labels(database: Database, run: Run, tmp_path: Path) -> None:
    run("study", "new", "pilot", "--dataset", "one", "--dataset", "two", "--per-group", 1, "--seed", 42)
    judge(database, "pilot", "anna")
    run("export", "pilot", "-o", "out")
    made = run("study", "new", "rebuilt", "--cases", "out/labels.csv")
    assert made.code == 0, made.err
    assert set(sample_of(database, "rebuilt")) == set(sample_of(database, "pilot"))
    assert len(sample_of(database, "rebuilt")) == 16
    design = load_study(database, "rebuilt").design
    assert design.listed
    assert set(design.datasets) == {"one", "two"}


def test_the_list_of_cases_that_the_command_prints_will_do(
    database: Database, run: Run, tmp_path: Path
) -> None:
    shown = run("cases", "--dataset", "two", "--group", BIASES[3], "--format", "csv").out
    (tmp_path / "cases.csv").write_text(shown, encoding="utf-8")
    assert run("study", "new", "pilot", "--cases", "cases.csv").code == 0
    rows = csv.DictReader(io.StringIO(shown))
    assert sample_of(database, "pilot") == [(row["dataset"], row["key"]) for row in rows]


@pytest.mark.parametrize(
    ("content", "options", "sentence"),
    [
        ("nobody/1\n", ("--dataset", "one"), "line 1: there is no case 'nobody/1' in dataset one; take keys"),
        ("", ("--dataset", "one"), "lists no case"),
        (f"{BIASES[0]}/0\n", (), "line 1: names no dataset; give --dataset"),
        ("key,dataset\nx,three\n", (), "dataset 'three' is not in the store"),
        (f"{BIASES[0]}/0\n", ("--dataset", "one", "--per-group", "2"), "leave --per-group out"),
        (f"{BIASES[0]}/0\n", ("--dataset", "one", "--include-seeds"), "leave --include-seeds out"),
    ],
)
def test_a_list_that_will_not_do_is_named_and_nothing_is_made(
    database: Database, run: Run, tmp_path: Path, content: str, options: tuple[str, ...], sentence: str
) -> None:
    (tmp_path / "keys.txt").write_text(content, encoding="utf-8")
    refused = run("study", "new", "pilot", *options, "--cases", "keys.txt")
    assert (refused.code, refused.out, refused.err.count("\n")) == (2, "", 1)
    assert sentence in refused.err
    assert "pilot" not in run("study", "list").out


@pytest.mark.usefixtures("database")
def test_a_number_of_cases_is_told_from_a_list_of_cases(run: Run) -> None:
    refused = run("study", "new", "pilot", "--dataset", "one", "--cases", "10")
    assert (refused.code, "to draw 10, give --total 10" in refused.err) == (2, True)


FIRST = f"{BIASES[0]}/0"
"""The key of a case that two datasets have."""


@pytest.mark.parametrize(
    ("content", "options", "sentence"),
    [
        (
            f"{FIRST}\n",
            ("--dataset", "one", "--dataset", "three"),
            f"key '{FIRST}' is in datasets one, three",
        ),
        (f"dataset,key\none,{FIRST}\nthree,{FIRST}\n", (), f"line 3: is the same case as one:{FIRST}; list"),
        (f"{FIRST}\n", ("--dataset", "one", "--gold", "gold.csv"), "is also in a training or gold file"),
        (f'dataset,key\none,"{FIRST}\n', (), "keys.txt, line 2: has a double quote that is not closed"),
    ],
)
def test_a_case_that_is_not_one_case_of_the_sample_is_named_and_nothing_is_made(
    database: Database, run: Run, tmp_path: Path, content: str, options: tuple[str, ...], sentence: str
) -> None:
    fill(database, "three", [a_case(0, BIASES[0])], "gpt-4.1")
    (tmp_path / "gold.csv").write_text(f"{_GOLD}one,{FIRST},same_task,True,so\n", encoding="utf-8")
    (tmp_path / "keys.txt").write_text(content, encoding="utf-8")
    refused = run("study", "new", "pilot", *options, "--cases", "keys.txt")
    assert (refused.code, refused.out, refused.err.count("\n")) == (2, "", 1)
    assert sentence in refused.err
    assert "pilot" not in run("study", "list").out


_GOLD = "dataset,key,question,label,why\n"


def test_gold_and_training_cases_of_exported_labels_are_no_part_of_the_sample(
    database: Database, run: Run, tmp_path: Path
) -> None:
    rows = [f"one,{FIRST},gold", f"one,{BIASES[1]}/1,counted", f"one,{BIASES[2]}/2,training"]
    (tmp_path / "labels.csv").write_text("\n".join(["dataset,key,role", *rows, ""]), encoding="utf-8")
    assert run("study", "new", "pilot", "--cases", "labels.csv").code == 0
    assert sample_of(database, "pilot") == [("one", f"{BIASES[1]}/1")]


def test_a_key_that_a_spreadsheet_would_run_is_found_again(
    database: Database, run: Run, tmp_path: Path
) -> None:
    fill(database, "=sums", [a_case(0, BIASES[0])], "gpt-4.1")
    shown = run("cases", "--dataset", "=sums", "--format", "csv").out
    assert "'=sums" in shown
    (tmp_path / "cases.csv").write_text(shown, encoding="utf-8")
    made = run("study", "new", "pilot", "--cases", "cases.csv")
    assert made.code == 0, made.err
    assert sample_of(database, "pilot") == [("=sums", FIRST)]


def test_without_a_dataset_or_a_list_there_is_nothing_to_draw_from(database: Database, run: Run) -> None:
    assert "Give --dataset to draw from" in run("study", "new", "pilot").err
