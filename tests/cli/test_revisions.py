"""The history of cases at the command line: looked at, reverted, withdrawn, settled; things to do."""

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from reviewer.runs.repair.revise import read_place, revise
from store.database import Database
from store.records import Revision
from store.revisions import put_revisions
from tests.cli.conftest import Run
from tests.studies import a_case, a_study, fill, open_store

KEY = "anchoring bias/0"
SAID: dict[str, Any] = {"author": "maria", "reason": "the goal can match now"}


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with closing(open_store(tmp_path)) as opened:
        fill(opened, "first", [a_case(number) for number in range(3)])
        yield opened


def repaired(database: Database, number: int = 10, dataset: str = "first", **said: Any) -> Revision:
    parent = read_place(database, dataset, KEY).parent
    return revise(database, dataset, KEY, a_case(number), expected=parent, **{**SAID, **said})


def listed(run: Run, *words: str) -> list[dict[str, Any]]:
    done = run(*words, "--format", "json")
    assert done.code == 0, done.err
    rows: list[dict[str, Any]] = json.loads(done.out)
    return rows


def test_the_history_says_who_did_what_and_why(run: Run, database: Database) -> None:
    made = repaired(database, resolves=[{"check": "unmatched_goal", "program": "biased"}], after={"x": 1})
    (row,) = listed(run, "datasets", "history", "first", KEY)
    assert (row["revision"], row["author"], row["kind"], row["state"]) == (
        made.id,
        "maria",
        "repair",
        "newest",
    )
    assert (row["resolves"], row["after"]) == ("unmatched goal (biased)", '{"x":1}')
    told = run("datasets", "history", "first")
    assert "the goal can match now" in told.out
    assert "1 revision. Of dataset first: 1 revised." in told.err
    assert "No revision yet." in run("datasets", "history", "first", "anchoring bias/1").err


def test_a_difference_names_the_text_and_the_passages(run: Run, database: Database) -> None:
    repaired(database)
    rows = listed(run, "datasets", "diff", "first", KEY)
    assert {"text": "unbiased", "before": "0", "after": "10"} in rows
    texts = {"unbiased", "biased", "unbiased_prolog", "biased_prolog", "reconstructed_unbiased_prompt"}
    assert {row["text"] for row in rows} == texts
    assert "same" in run("datasets", "diff", "first", KEY, "--from", "first", "--to", "first").err


def test_a_withdrawal_and_a_revert_are_listed(run: Run, database: Database) -> None:
    done = run("datasets", "withdraw", "first", KEY, "--reason", "states the decision", "--as", "tom")
    assert done.code == 0, done.err
    assert f"first: {KEY} is withdrawn (revision " in done.err
    assert [row["state"] for row in listed(run, "cases")] == ["withdrawn", None, None]
    assert f"first:{KEY} is withdrawn" in run("show", f"first:{KEY}").err
    (row,) = listed(run, "datasets")
    assert (row["cases"], row["revised"], row["withdrawn"], row["in_conflict"]) == (3, 0, 1, 0)
    done = run("datasets", "revert", "first", KEY, "--reason", "it does not", "--as", "tom")
    assert done.code == 0, done.err
    assert [row["kind"] for row in listed(run, "datasets", "history", "first")] == ["withdrawal", "revert"]
    assert listed(run, "datasets")[0]["withdrawn"] == 0


def test_an_open_study_is_named(run: Run, tmp_path: Path) -> None:
    with closing(open_store(tmp_path)) as database:
        a_study(database)
    done = run("datasets", "withdraw", "pilot-data", KEY, "--reason", "wrong", "--as", "tom")
    assert "Note: the case is in study pilot, which is open; its sample stays as it is." in done.err


CHANGES = [
    ("withdraw", "--reason", "x"),
    ("revert", "--reason", "x"),
    ("settle", "--reason", "x", "--choose", "0"),
]
CHANGES += [("todo", "--note", "x")]


@pytest.mark.parametrize("words", CHANGES, ids=lambda words: words[0])
def test_who_may_not_change_cases_is_told(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    with closing(open_store(tmp_path)) as database:
        a_study(database, raters=["anna"])
        repaired(database, dataset="pilot-data")
    refused = run("datasets", words[0], "pilot-data", KEY, *words[1:], "--as", "anna")
    assert (refused.code, refused.out) == (2, "")
    assert "to answer in study pilot, and knowing what is wrong with them" in refused.err
    monkeypatch.setenv("TEXTUAL_DRIVER", "web")
    refused = run("datasets", words[0], "pilot-data", KEY, *words[1:], "--as", "maria")
    assert "a browser window serves one rater" in refused.err


def test_a_conflict_is_listed_and_settled(run: Run, database: Database) -> None:
    mine = repaired(database)
    repaired(database, 11)
    said = mine.model_dump() | {"id": f"{int(mine.id, 16) + 1:032x}", "author": "tom"}
    with database.write() as session:
        contents = {case.digest: case for case in (a_case(0), a_case(10))}
        put_revisions(session, [Revision.sealed(**said)], contents)
    rows = listed(run, "datasets", "settle", "first")
    assert [(row["author"], row["key"]) for row in rows] == [("tom", KEY), ("maria", KEY)]
    assert "in conflict" in run("datasets", "history", "first").out
    done = run("datasets", "settle", "first", KEY, "--choose", rows[0]["revision"], "--reason", "clearer")
    assert done.code == 0, done.err
    assert "No case is in conflict." in run("datasets", "settle", "first").err
    assert read_place(database, "first", KEY).case == a_case(10)
    assert "--choose" in run("datasets", "settle", "first", KEY, "--reason", "x").err


def test_what_is_to_do_is_noted_listed_and_done(run: Run, database: Database) -> None:
    done = run("datasets", "todo", "first", KEY, "--note", "ask Tom", "--for", "maria", "--as", "zoe")
    assert done.code == 0, done.err
    (row,) = listed(run, "datasets", "todo", "first")
    assert (row["name"], row["note"], row["made_by"], row["done_by"]) == ("maria", "ask Tom", "zoe", None)
    assert not listed(run, "datasets", "todo", "first", "anchoring bias/1")
    over = run("datasets", "todo", "first", "--done", row["todo"], "--as", "maria")
    assert "Nothing to do." in over.err
    (row,) = listed(run, "datasets", "todo", "first", "--all")
    assert row["done_by"] == "maria"
    again = run("datasets", "todo", "first", "--done", row["todo"], "--as", "maria")
    assert (again.code, "done already, by maria" in again.err) == (2, True)
