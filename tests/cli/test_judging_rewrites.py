"""Judges of rewrites: error before and after, on items that were asked in the same layouts."""

import csv
import io
import json
import shlex
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.llm.server import Answer, Asked, serving

ONE_ORDER = ("--condition", "order=right first")


def rank(answer: str) -> tuple[bool, int]:
    """What the judge of this test prefers: an answer with one of these words, else the shorter one."""
    return any(word in answer for word in ("universities", "doubt", "statisticians", "care")), -len(answer)


def judged(asked: Asked) -> Answer:
    first, _, second = asked.last.partition("First answer:\n")[2].partition("\n\nSecond answer:\n")
    return Answer(f"Verdict: {'first' if rank(first.strip()) > rank(second.strip()) else 'second'}")


def values(run: Run, *arguments: object) -> dict[str, tuple[str, str, str, str]]:
    shown = run("effects", *arguments, "--resamples", 100, "--format", "csv")
    assert shown.code == 0, shown.err
    rows = csv.DictReader(io.StringIO(shown.out))
    return {row["measure"]: (row["value"], row["runs"], row["forward"], row["backward"]) for row in rows}


@pytest.fixture
def asked(run: Run) -> Run:
    for command in run("protocol", "example", "judge-pairs", "example").out.splitlines():
        assert run(*shlex.split(command)[1:]).code == 0
    with serving(judged) as server:
        for name, dataset, *conditions in (
            ("both", "judge-rewrites"),
            ("pairs", "judge-pairs"),
            ("changed", "judge-rewrites", "--condition", "version=rewritten"),
            ("one", "judge-rewrites", "--condition", "version=original", *ONE_ORDER),
        ):
            done = run("evaluate", name, dataset, "--model", "m", "--base-url", server.url, *conditions)
            assert done.code == 0, done.err
    return run


def test_error_before_and_after_is_paired_by_item_in_the_same_layouts(asked: Run) -> None:
    lines = Path("example/judge-rewrites.jsonl").read_text(encoding="utf-8").splitlines()
    texts = [json.loads(line)["payload"] for line in lines]
    before = [rank(each["rejected"]) > rank(each["chosen"]) for each in texts]
    after = [rank(each["rewritten"]) > rank(each["chosen"]) for each in texts]
    worse = sum(new > old for old, new in zip(before, after, strict=True))
    better = sum(old > new for old, new in zip(before, after, strict=True))
    assert worse > better

    both = values(asked, "both")
    assert float(both["turned"][0]) == pytest.approx((worse - better) / 6)
    assert both["turned"][1:] == ("6", f"{float(worse)}", f"{float(better)}")
    assert float(both["wrong_before"][0]) == pytest.approx(sum(before) / 6)
    assert float(both["wrong_after"][0]) == pytest.approx(sum(after) / 6)
    assert float(both["place"][0]) == 0

    joined = values(asked, "changed", "--baseline", "pairs")
    assert {name: joined[name] for name in ("turned", "wrong_before", "wrong_after")} == {
        name: both[name] for name in ("turned", "wrong_before", "wrong_after")
    }
    told = asked("effects", "both", "--legend", "--resamples", 100).err
    assert "exact test of no effect in which a cluster of cases counts once" in told
    alone = values(asked, "changed")
    assert alone["turned"][0] == alone["wrong_before"][0] == ""
    assert alone["wrong_after"] == both["wrong_after"]

    other = asked("effects", "changed", "--baseline", "one")
    assert other.code == 2
    assert "asked the changed items in 'right first' and 'right second'; ask both in the same" in other.err
    imported = asked("effects", "changed", "--baseline", "example")
    assert imported.code == 2
    assert "were not asked with the same prompts and parameters" in imported.err
    assert "leave --baseline out" in asked("effects", "both", "--baseline", "pairs").err
    assert "are not changed items" in asked("effects", "pairs", "--baseline", "one").err
