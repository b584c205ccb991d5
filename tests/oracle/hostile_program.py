"""What a hostile program is to the tests."""

from dataclasses import dataclass

GATE = "gate"


@dataclass(frozen=True)
class Hostile:
    """A name for the test, the text, and the value of ``Result.stopped_by``: one of several, by bars."""

    name: str
    text: str
    by: str = GATE
