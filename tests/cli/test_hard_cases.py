"""``reviewer datasets hard``: cases selected by the errors of a judge, which the new dataset says."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.shared_data import shared_file


@pytest.fixture
def judged(run: Run) -> Run:
    for command in run("protocol", "example", "judge-pairs", "example").out.splitlines()[:2]:
        assert run(*command.split()[1:]).code == 0
    return run


def test_hard_cases_are_a_dataset_that_says_whose_errors_selected_it(judged: Run) -> None:
    wrong = [
        json.loads(line)["pair_id"]
        for line in Path("example/outcomes.jsonl").read_text(encoding="utf-8").splitlines()
        if _wrong_twice(json.loads(line))
    ]
    made = judged("datasets", "hard", "example", "--model", "demo-judge", "--into", "hard")
    assert made.code == 0, made.err
    said = f"hard: judge-pairs: {len(wrong)} of 11 answered cases, selected by the errors of demo-judge"
    assert made.out.startswith(said), made.out
    assert "Left out: 1 case with an answer that is missing" in made.err
    cases = json.loads(judged("cases", "--dataset", "hard", "--format", "json").out)
    assert [case["key"] for case in cases] == [f"judge-pairs/{key}" for key in wrong]
    listed = json.loads(judged("datasets", "--format", "json").out)
    assert "selected by the errors of demo-judge" in next(
        row["source"] for row in listed if row["dataset"] == "hard"
    )
    exported = judged("datasets", "export", "hard", "-o", "hard.jsonl")
    assert exported.code == 0, exported.err


def _wrong_twice(row: dict[str, object]) -> bool:
    right, other = {1: ("A>B", "B>A"), 2: ("B>A", "A>B")}[row["label"]]  # type: ignore[index]
    said = [each["decision"] for each in row["judgments"]]  # type: ignore[attr-defined]
    return said == [other, right]


def test_what_cannot_be_selected_is_refused(judged: Run) -> None:
    for arguments, says in (
        (("--model", "nobody", "--into", "hard"), "asked no model 'nobody'; use one of demo-judge"),
        (("--model", "demo-judge", "--into", "judge-pairs"), "is in the store already"),
        (("--model", "demo-judge", "--into", "a/b"), "a/b"),
    ):
        done = judged("datasets", "hard", "example", *arguments)
        assert (done.code, done.out) == (2, "")
        assert says in done.err


@pytest.mark.slow
def test_the_published_judge_is_wrong_in_both_orders_on_these_pairs(run: Run) -> None:
    pairs, said = (shared_file(f"biasscope/{name}.jsonl") for name in ("pairs-gpt4o", "judge-o1-mini"))
    run("import", pairs, "--protocol", "judge-pairs", "--dataset", "pairs")
    run(
        "outcomes",
        "import",
        "published",
        said,
        "--as",
        "judge-bench",
        "--dataset",
        "pairs",
        "--model",
        "o1-mini",
    )
    rows = [json.loads(line) for line in said.read_text(encoding="utf-8").splitlines()]
    swapped = {"A>B": "B>A", "B>A": "A>B"}
    twice = sum(
        row["judgments"][0]["decision"] == swapped[row["label"]]
        and row["judgments"][1]["decision"] == row["label"]
        for row in rows
    )
    made = run("datasets", "hard", "published", "--model", "o1-mini", "--into", "hard")
    assert made.code == 0, made.err
    assert f"{twice} of 350 answered cases" in made.out
