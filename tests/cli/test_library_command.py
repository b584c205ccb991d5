"""``reviewer library``: entries with their evidence, and the changed items of one."""

import csv
import io
import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run


@pytest.fixture
def library(run: Run) -> Run:
    for command in run("protocol", "example", "judge-pairs", "example").out.splitlines():
        if command.startswith("reviewer import"):
            assert run(*command.split()[1:]).code == 0
    return run


def test_entries_have_their_evidence_origin_and_merges(library: Run) -> None:
    shown = library("library", "judge-biases", "--format", "csv")
    first, *_, last = csv.DictReader(io.StringIO(shown.out))
    assert (first["entry"], first["found_in"], first["merged"]) == ("Length bias", "", "")
    assert (last["entry"], last["found_in"], last["merged"]) == (
        "Confident tone bias",
        "demo, round 1",
        "Certainty bias",
    )
    assert [last[name] for name in ("items", "turned_wrong", "turned_right", "p")] == [
        "12",
        "7",
        "0",
        "0.015625",
    ]
    assert float(last["error_after"]) == pytest.approx(11 / 12)
    assert float(last["error_after_low"]) == pytest.approx(0.6461, abs=1e-4)


def test_an_entry_is_found_by_its_name_in_any_spelling_with_its_changed_items(library: Run) -> None:
    items = json.loads(
        library("library", "judge-biases", "--entry", "CONFIDENT  tone", "--format", "json").out
    )
    assert [item["key"] for item in items] == ["options-3/confident", "reasoning-1/confident"]
    other = json.loads(library("library", "judge-biases", "--entry", "length", "--format", "json").out)
    assert {item["group"] for item in other} == {"Length bias"}
    unknown = library("library", "judge-biases", "--entry", "lenght")
    assert unknown.code == 2
    assert "has no entry 'lenght'" in unknown.err


def test_what_is_no_library_or_no_evidence_is_said(library: Run) -> None:
    assert "holds Judge pairs, which is not a library" in library("library", "judge-pairs").err
    bad = {"items": "many"}
    line = {
        "protocol": "judge-biases",
        "group": "known",
        "key": "k",
        "payload": {"bias": "A", "definition": "b"},
        "published": {"evidence": [bad]},
    }
    Path("bad.jsonl").write_text(json.dumps(line), encoding="utf-8")
    assert library("import", "bad.jsonl", "--dataset", "bad", "--generator", "me").code == 0
    shown = library("library", "bad")
    assert shown.code == 0
    assert "A: evidence cannot be read and was left out." in shown.err
    assert "1 entry has no evidence." in shown.err
