"""``diversity`` and ``datasets merge`` as commands."""

import json
from pathlib import Path

import pytest

from reviewer.similarity import encoder
from store.database import Database
from tests.cli.conftest import Run
from tests.encoders import WordCounts
from tests.studies import a_case, fill


@pytest.fixture(autouse=True)
def words(monkeypatch: pytest.MonkeyPatch) -> None:
    """A model that is there at once."""
    monkeypatch.setattr(encoder, "open_encoder", lambda model: WordCounts(model))


@pytest.fixture(autouse=True)
def database(tmp_path: Path) -> Database:
    database = Database.open(str(tmp_path / "reviewer.db"))
    fill(database, "one", [a_case(0), a_case(1, unbiased="What now?")], "model-1")
    fill(database, "two", [a_case(0), a_case(2, "framing effect", unbiased="And then?")], "model-2")
    return database


def test_diversity_is_a_table_for_people_and_machines(run: Run) -> None:
    shown = run("diversity", "one", "two")
    assert shown.code == 0
    assert "model-1" in shown.out
    assert "has no pair there" in shown.err
    rows = json.loads(run("diversity", "one", "--format", "json").out)
    assert [(row["group"], row["pairs"]) for row in rows] == [("anchoring bias", 1), ("mean of groups", 1)]
    assert 0 < rows[0]["cosine"] < 1


def test_merging_lists_what_was_left_out(run: Run) -> None:
    joined = run("datasets", "merge", "one", "two", "one", "--into", "all", "--format", "json")
    assert joined.code == 0
    assert json.loads(joined.out) == [
        {
            "dataset": "two",
            "left out": "anchoring bias/0",
            "for dataset": "one",
            "for": "anchoring bias/0",
            "cosine": None,
        }
    ]
    assert "all: 3 cases. Left out: 1 that is there already, 0 that collide." in joined.err
    listed = {row["dataset"]: row for row in json.loads(run("datasets", "--format", "json").out)}
    assert listed["all"]["source"] == "one + two"
    assert run("study", "new", "pilot", "--dataset", "all", "--seed", 1).code == 0


def test_the_store_may_be_named_before_merge(run: Run, tmp_path: Path) -> None:
    other = tmp_path / "other.db"
    fill(Database.open(str(other)), "three", [a_case(3)])
    assert run("datasets", "--store", other, "merge", "three", "--into", "all").code == 0
    assert "three" in run("datasets", "--store", other).out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("diversity",), "Missing argument"),
        (("diversity", "nope"), "dataset 'nope' is not in the store"),
        (("datasets", "merge", "one"), "Missing option '--into'"),
        (("datasets", "merge", "one", "--into", "two"), "is in the store already"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(run: Run, arguments: tuple[str, ...], sentence: str) -> None:
    refused = run(*arguments)
    assert (refused.code, refused.out) == (2, "")
    assert sentence in refused.err
    assert refused.err.count("\n") == 1


def test_an_index_finds_the_same_and_says_how_much(run: Run) -> None:
    names = ("one", "two", "one")
    whole = run("datasets", "merge", *names, "--into", "all", "--format", "json")
    indexed = run("datasets", "merge", *names, "--into", "again", "--index", "--format", "json")
    assert indexed.code == 0
    assert indexed.out == whole.out
    assert "The index found " in indexed.err
    assert "The index" not in whole.err


def test_the_index_is_refused_before_any_work_where_it_is_not_installed(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    refused = run("datasets", "merge", "one", "two", "--into", "all", "--index")
    assert refused.code == 2
    assert "dilemma-reviewer[index]" in refused.err
    assert "all" not in {row["dataset"] for row in json.loads(run("datasets", "--format", "json").out)}
