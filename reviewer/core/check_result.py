"""The result of a check, before its case is known."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

Severity = Literal["serious", "doubtful", "untidy"]
SEVERITIES: tuple[Severity, ...] = ("serious", "doubtful", "untidy")
NOT_TESTED = "not tested"
NOT_RUN = "not_run"
"""The check that fails if a program of the case was not run."""
EVERY_QUESTION = "*"
"""In the place of a question's key: the result may be about any question, so it waits for all of them."""


@dataclass(frozen=True, slots=True)
class Location:
    """Characters ``start`` to ``end`` of one part of a variant's program, which begin on ``line`` (from 1).

    A part that all variants share is of the variant "".
    """

    variant: str
    part: str
    line: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class CheckResult:
    """One check's result: passed, failed, or not tested because something was missing.

    ``why`` is a sentence that says why the check failed or what was missing; if the check passed, it names
    faults that the check may have missed, or is "". ``value`` is the value that was checked (any JSON),
    ``threshold`` the limit that it is compared with, and ``places`` are the clauses or words that the result
    is about.
    """

    check: str
    state: Literal["passed", "failed", "not tested"]
    value: Any = None
    threshold: Any = None
    why: str = ""
    severity: Severity = "untidy"
    places: tuple[Location, ...] = ()
    version: int = 1

    @property
    def passed(self) -> bool:
        """Whether the check looked and found nothing wrong."""
        return self.state == "passed"


def result_of(
    check: str, passed: bool, value: Any = None, threshold: Any = None, why: str = ""
) -> CheckResult:
    """The result of a check that passed or failed."""
    return CheckResult(check, "passed" if passed else "failed", value, threshold, why)


def failure(
    check: str, severity: Severity, why: str, value: Any = None, places: tuple[Location, ...] = ()
) -> CheckResult:
    """The result of a check that failed, and how much that may matter."""
    return CheckResult(check, "failed", value, None, why, severity, places)


def first_failed(results: Sequence[CheckResult]) -> CheckResult:
    """The first result that is not passed, else the last one."""
    return next((result for result in results if not result.passed), results[-1])


def check_words(check: str) -> str:
    """The name of a check as people read it."""
    return check.replace("_", " ")
