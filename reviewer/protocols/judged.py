"""The result of a protocol's check on a case, without the identity of the case."""

from dataclasses import dataclass

from store.records import JsonValue


@dataclass(frozen=True, slots=True)
class Judged:
    """The result of one check: the value, the threshold, and why the check failed.

    ``why`` is a sentence, "" if the check passed. If ``tested`` is false, the check could not be made and
    ``why`` says what was missing.
    """

    check: str
    passed: bool
    value: JsonValue = None
    threshold: JsonValue = None
    why: str = ""
    version: int = 1
    tested: bool = True


def first_failed(judged: tuple[Judged, ...]) -> Judged:
    """The first check that failed, else the last one."""
    return next((check for check in judged if not check.passed), judged[-1])
