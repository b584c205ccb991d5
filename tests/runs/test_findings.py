"""What a check says becomes a finding in one place, and nothing of it is lost there."""

import ast
from pathlib import Path

import pytest

from reviewer.core.check_result import CheckResult, Location, failure, first_failed, result_of
from reviewer.runs.check_findings import finding_of
from store.records import Finding
from tests.parsed import parsed

ROOT = Path(__file__).parents[2]
CASE = "a" * 64


def makers_of_findings(top: Path) -> list[str]:
    """The files below a folder that build a Finding of its fields."""
    return [
        path.relative_to(top).as_posix()
        for path in sorted(top.rglob("*.py"))
        if "Finding(" in path.read_text(encoding="utf-8")
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Finding"
    ]


def test_one_place_makes_findings() -> None:
    assert makers_of_findings(ROOT / "reviewer") == ["runs/check_findings.py"]


def test_a_second_place_would_be_found(tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text("def made(): return Finding(case='')\n")
    assert makers_of_findings(tmp_path) == ["one.py"]


@pytest.mark.parametrize(
    ("result", "passed", "tested"),
    [
        (result_of("length", True, 3, 5), True, True),
        (result_of("length", False, 7, 5, "Too long."), False, True),
        (CheckResult("length", "not tested", why="There is no text."), False, False),
    ],
)
def test_every_state_of_a_check_is_stored(result: CheckResult, passed: bool, tested: bool) -> None:
    finding = finding_of(result, CASE, "bias")
    assert (finding.passed, finding.tested) == (passed, tested)
    assert (finding.value, finding.threshold, finding.why) == (result.value, result.threshold, result.why)
    assert (finding.case, finding.check, finding.question) == (CASE, "length", "bias")
    assert finding.places is None


def test_a_failure_keeps_its_severity_and_each_place_once() -> None:
    places = tuple(Location("", "axioms", line, 0, 1) for line in range(200) for _ in range(2))
    finding = finding_of(failure("gate", "doubtful", "A name", ["x"], places), CASE, None)
    expected = Finding(
        case=CASE,
        check="gate",
        check_version=1,
        passed=False,
        severity="doubtful",
        value=["x"],
        why="A name",
    )
    rows = [{"variant": "", "part": "axioms", "line": line, "start": 0, "end": 1} for line in range(100)]
    assert finding == expected.model_copy(update={"places": rows})


def test_what_was_not_tested_has_not_passed() -> None:
    untested = CheckResult("b", "not tested", why="Nothing ran.")
    assert first_failed((result_of("a", True), untested, result_of("c", False))) is untested
    assert first_failed((result_of("a", True), result_of("b", True))).check == "b"
