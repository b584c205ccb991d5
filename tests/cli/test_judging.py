"""Judges of pairs from the shipped example to the table that tells their habits apart."""

import csv
import io
import json
import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import mean
from typing import Any

import pytest

from reviewer.cli.store_access import open_store
from reviewer.study.adjudication.adjudication_session import AdjudicationSession
from reviewer.study.design.inclusion import inclusion_of
from reviewer.study.design.joining import join_study
from reviewer.study.design.study_bundle import load_study
from reviewer.study.session.review_session import ReviewSession
from store.database import Database
from tests.answer_pairs import a_row, write_lines
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


def imported_example(run: Run) -> list[str]:
    """The outputs of the commands that import the example and its judge's answers."""
    said = []
    for command in run("protocol", "example", "judge-pairs", "example").out.splitlines():
        program, *arguments = shlex.split(command)
        assert program == "reviewer"
        shown = run(*arguments)
        assert shown.code == 0, shown.err
        said.append(shown.out)
    return said


def lines_of(path: str) -> list[dict[str, Any]]:
    return [*map(json.loads, Path(path).read_text(encoding="utf-8").splitlines())]


def test_the_example_is_imported_and_judges_with_habits_are_told_apart(run: Run) -> None:
    said = "".join(imported_example(run))
    assert "24 outcomes of demo-judge added (12 cases, 1 repeat)" in said
    assert "judge-rewrites: 6 cases" in said
    for row in lines_of("example/cases.jsonl"):
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
    without = run(
        "effects", "habits", "--measure", "right", "--without", "same_result", "--resamples", 100, "--legend"
    )
    assert "Over 10 of 12 cases: without same_result." in without.err + without.out
    assert "longer: the exact value for “always the longer answer”" in without.err
    reader = next(line.split() for line in without.out.splitlines() if line.startswith("reader"))
    assert reader[-7:-2] == [".250", ".000", ".000", ".200", ".000"]
    assert re.search(r"(?m)^longer +10 +\.20° ", without.out), "the judge that prefers the longer answer"
    for habit, answerer in (("first", "always the first place"), ("longer", "always the longer answer")):
        assert f"{habit}: 100.0% of its answers are those of “{answerer}”." in without.err
    assert "reader: " not in without.err
    unknown = run("effects", "habits", "--without", "same_resul")
    assert unknown.code == 2
    assert "there is no check 'same_resul'; did you mean same_result" in unknown.err


def test_a_study_of_the_pairs_that_share_a_question(run: Run) -> None:
    rows = [a_row(number) for number in range(3)]
    rows[1]["question"] = rows[0]["question"]
    write_lines(Path("pairs.jsonl"), rows)
    assert run("import", "pairs.jsonl", "--dataset", "pairs", "--protocol", "judge-pairs").code == 0
    drawn = run("study", "new", "shared", "--dataset", "pairs", "--finding", "repeated_questions")
    assert drawn.out.startswith("shared: 2 cases"), drawn.err
    both = ("--finding", "repeated_questions", "--finding", "same_result")
    assert "'pairs' has not been audited" in run("study", "new", "both", "--dataset", "pairs", *both).err


def right_in_both_orders() -> dict[str, bool]:
    """Whether the example's judge is right on each pair, from the files alone."""
    labels = {row["pair_id"]: row["label"] for row in lines_of("example/cases.jsonl")}
    worth = {"A>B": 1, "B>A": -1}
    sums = {
        row["pair_id"]: sum(
            sign * worth.get((judgment or {}).get("decision"), 0)
            for sign, judgment in zip((1, -1), row["judgments"], strict=True)
        )
        for row in lines_of("example/outcomes.jsonl")
    }
    return {key: sums[key] * (3 - 2 * labels[key]) > 0 for key in labels}


def answer_all(database: Database, rater: str, same: Sequence[str], doubted: str, mislabelled: str) -> None:
    """Answer as the audit and the file say; but cara doubts the right result of one case, and all find the
    label of another one wrong.
    """
    join_study(database, load_study(database, "faulty").study, rater)
    session = ReviewSession(database, "faulty", rater)
    keys = {place.case: place.key for place in session.bundle.sample}
    right = {row["pair_id"]: ("first", "second")[row["label"] - 1] for row in lines_of("example/cases.jsonl")}
    right[mislabelled] = "second" if right[mislabelled] == "first" else "first"
    for _ in range(2 * len(keys)):
        key = keys[session.case.digest]
        label = "neither" if (rater, key) == ("cara", doubted) else right[key]
        session.answer(label if session.question.key == "right_result" else str(key in same))


def share(kept: Iterable[str], right: Mapping[str, bool]) -> float:
    return mean(right[key] for key in kept)


def test_experts_review_the_pairs_in_doubt_and_the_run_says_how_far_it_moves(run: Run) -> None:
    imported_example(run)
    assert run("audit", "judge-pairs").code == 0
    drawn = ("--dataset", "judge-pairs", "--finding", "same_result", "--others", 4)
    assert run("study", "new", "faulty", *drawn).out.startswith("faulty: 6 cases, 12 verdicts a rater")
    shown = run("study", "show", "faulty")
    drawn_how = "among cases with a finding; and 4 other cases, spread evenly over the groups"
    assert drawn_how in shown.out + shown.err
    database, right = open_store("reviewer.db"), right_in_both_orders()
    bundle = load_study(database, "faulty")
    strata = inclusion_of(bundle).by_case()
    reviewed = [place.key for place in bundle.sample]
    same = [place.key for place in bundle.sample if strata[place.case].name.startswith("picked")]
    others = [key for key in reviewed if key not in same]
    doubted = next(key for key in others if right[key])
    mislabelled = next(key for key in others if not right[key])
    for rater in ("anna", "ben", "cara"):
        answer_all(database, rater, same, doubted, mislabelled)
    session = AdjudicationSession(database, "faulty", "zoe")
    session.decide("neither", "both count one item twice")
    assert (len(session.disputes), run("study", "close", "faulty", "--as", "lead").code) == (1, 0)

    measured = ("effects", "example", "--measure", "right", "--resamples", 100)
    passed = [key for key in others if key not in (doubted, mislabelled)]
    for choice, kept, judged, over in (
        (("--without", "same_result"), set(right) - set(same), right, "all 12 cases"),
        (("--passed", "faulty"), passed, reviewed, "the 6 cases that study faulty reviewed"),
    ):
        (row,) = csv.DictReader(io.StringIO(run(*measured, *choice, "--format", "csv").out))
        moved = share(kept, right) - share(judged, right)
        assert (float(row["value"]), float(row["moved"])) == pytest.approx((share(kept, right), moved))
        shown = run(*measured, *choice, "--legend")
        assert f"moved: the value to its left minus the value over {over};" in shown.err
        assert f"{moved:+.3f}".replace("0.", ".") in shown.out
    said = "Study faulty: 2 passed, 4 failed, 0 undecided, 6 not reviewed. Of the failed, 1 has another "
    assert f"{said}published label than the raters'." in shown.err
    assert "moved" not in run(*measured).out
    assert "without same_result" in run(*measured, "--ladder", "--without", "same_result").out
