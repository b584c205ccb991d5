"""What a check of a protocol says of a case, before it is known which case that will be."""

from dataclasses import dataclass

from store.records import JsonValue


@dataclass(frozen=True, slots=True)
class Judged:
    """One check's word: the value it looked at, the threshold that holds, and why it was not passed.

    ``why`` is a sentence, and "" where the check was passed. Not ``tested``: the check could not look, and
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
    """The first that was not passed, else the last of them."""
    return next((each for each in judged if not each.passed), judged[-1])
