"""What moved between two releases of a dataset."""

import csv
import io
import json
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from reviewer.exchange.releases.release_diff import ReadRelease, case_changes, differences, read_release
from reviewer.protocols.registry import PROTOCOLS
from reviewer.study.design.closing import close_study
from reviewer.study.design.design_facts import describe_study
from tests.cli.conftest import Run
from tests.judged import judged_study
from tests.studies import BIASES, open_store

SAID = ("--licence", "CC-BY-4.0", "--author", "A. Author", "--contact", "a@example.org")
GONE = f"{BIASES[1]}/1"


@pytest.fixture
def released(run: Run, tmp_path: Path) -> Run:
    """Two releases of a dataset with a closed study; one case was withdrawn between them."""
    with closing(open_store(tmp_path)) as database:
        judged_study(database, per_generator=6, generators=("model-1",))
        close_study(database, "pilot", "lena")
        describe_study(database, "pilot", "lena", {"consent": "All agreed in writing."})
    assert run("release", "make", "pilot-0", "--version", "1.0", "-o", "old", *SAID).code == 0
    gone = run("datasets", "withdraw", "pilot-0", GONE, "--reason", "a copy", "--as", "lena")
    assert gone.code == 0, gone.err
    assert run("release", "make", "pilot-0", "--version", "1.1", "-o", "new").code == 0
    return run


def rows_of(run: Run, *options: str) -> list[dict[str, str]]:
    shown = run("release", "diff", "old", "new", "--format", "csv", *options)
    assert shown.code == 0, shown.err
    return list(csv.DictReader(io.StringIO(shown.out)))


def test_what_moved_is_listed(released: Run) -> None:
    rows = {(row["about"], row["which"]): row for row in rows_of(released)}
    case = rows.pop(("case", GONE))
    assert (len(case["before"]), case["after"], case["detail"]) == (64, "", "removed")
    counts = {which: (row["before"], row["after"]) for (_, which), row in rows.items()}
    assert counts == {
        "cases": ("6", "5"),
        "left out: withdrawn": ("0", "1"),
        "cases with this content": ("6", "5"),
    }
    shown = released("release", "diff", "old", "new")
    assert "pilot-0 1.0 → pilot-0 1.1: 0 added, 1 removed, 0 changed, 5 cases the same." in shown.err
    same = released("release", "diff", "new", "new", "--format", "json")
    assert (same.code, json.loads(same.out)) == (0, [])


def test_lists_for_those_who_use_the_old_release(released: Run) -> None:
    (excluded,) = rows_of(released, "--exclusions")
    assert (excluded["dataset"], excluded["key"], excluded["change"]) == ("pilot-0", GONE, "removed")
    cases = [json.loads(line) for line in Path("old/data/cases.jsonl").read_text().splitlines()]
    kept = rows_of(released, "--unchanged")
    assert {row["key"] for row in kept} == {case["key"] for case in cases} - {GONE}
    assert {*kept[0]} == {"dataset", "key"}


def test_a_release_that_does_not_hold_is_refused(released: Run) -> None:
    Path("new/CHANGELOG.md").write_text("Nothing.")
    refused = released("release", "diff", "old", "new")
    assert (refused.code, refused.out) == (2, "")
    assert refused.err.startswith("Error: release new: the release does not hold: CHANGELOG.md: was changed")
    assert "verify it with `reviewer release verify`" in refused.err
    assert released("release", "diff", "old", "nowhere").code == 2


def test_changed_cases_and_numbers_say_what_changed(released: Run) -> None:
    old = read_release(Path("old"), PROTOCOLS)
    first, second, *_ = old.rows
    rows = {key: dict(row) for key, row in old.rows.items() if key != second}
    rows[first] = {**rows[first], "published": {**rows[first]["published"], "right": "option_B"}}
    rows["new/1"] = {**rows[first], "key": "new/1"}
    (study,) = old.content.studies
    question = study.questions[0].model_copy(
        update={"majority": replace(study.questions[0].majority, value=0.5)}
    )
    changed = study.model_copy(update={"questions": (question, *study.questions[1:])})
    other = study.model_copy(update={"name": "second"})
    new = ReadRelease(old.content.model_copy(update={"studies": (changed, other)}), rows)
    assert case_changes(old, new) == {first: "changed", second: "removed", "new/1": "added"}
    moved = {(row.about, row.which): row for row in differences(old, new)}
    assert moved["case", first].detail == "changed: published.right"
    number = moved["study pilot", f"{question.title}, pass rate by majority"]
    assert (number.before, number.after) == (study.questions[0].majority.value, 0.5)
    assert (moved["study second", "in the release"].before, len(moved)) == ("no", 5)
