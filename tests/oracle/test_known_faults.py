"""What three checks find in forty pairs of programs with known faults, written after the checks."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from reviewer.oracle.examination import Examination, examine
from reviewer.oracle.oracle_program import Program
from reviewer.oracle.version_checks import failed_checks
from tests.bench.support.judgements import Judged
from tests.oracle.programs import LIMITS

PAIRS = Path(__file__).parent / "data" / "known_faults.jsonl"
"""``fault`` names the fault to mend: a misspelt ``goal``, ``options`` not compared, or "" for none."""
PAGE = Path(__file__).parents[2] / "reviewer" / "manual" / "pages" / "auditing.md"
READ = ("cannot_match", "by_default", "swap_keeps")


def findings() -> Iterator[tuple[str, str, str]]:
    """Check, severity and fault of each finding."""
    for line in PAIRS.read_text(encoding="utf-8").splitlines():
        pair = json.loads(line)
        versions = (
            Program(f"{pair['facts']}{cue}", pair["axioms"], limits=LIMITS)
            for cue in ("", "\nheard(other_teams).")
        )
        evidence = examine(Examination(*versions, ("option_A", "option_B"), names=("unbiased", "biased")))
        yield from ((found.check, found.severity, pair["fault"]) for found in failed_checks(evidence))


@pytest.fixture(scope="module")
def found() -> list[tuple[str, str, str]]:
    return [finding for finding in findings() if finding[0] in READ]


def test_manual_prints_how_many_findings_are_true_defects(found: list[tuple[str, str, str]]) -> None:
    page = PAGE.read_text(encoding="utf-8")
    for check in READ:
        faults = [fault for name, _, fault in found if name == check]
        true, every = sum(map(bool, faults)), len(faults)
        assert f"- `{check}`: {Judged(check, every, true).words}" in page


def test_manual_says_what_of_them_is_missed_or_repeated(found: list[tuple[str, str, str]]) -> None:
    doubtful = [fault for name, severity, fault in found if (name, severity) == ("cannot_match", "doubtful")]
    untidy = [fault for name, severity, fault in found if (name, severity) == ("cannot_match", "untidy")]
    assert (sum(map(bool, doubtful)), len(doubtful)) == (6, 7)
    assert (sum(map(bool, untidy)), len(untidy)) == (4, 13)
    assert sum(fault == "goal" for name, _, fault in found if name == "swap_keeps") == 6
