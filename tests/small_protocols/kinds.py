"""For each small protocol its cases, a model that answers in a known way, and what its measures must give."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from reviewer.protocols.registry import Protocols
from store.records import JsonValue
from tests.small_protocols.positions import Positions
from tests.small_protocols.preferences import Preferences
from tests.small_protocols.scores import Offers
from tests.small_protocols.small import Small
from tests.small_protocols.verdicts import Verdicts

CASES = 6


@dataclass(frozen=True)
class Kind:
    """``reply`` answers the last message. ``expected`` are values by measure, ``coin`` those of a coin."""

    protocol: Small
    payload: Callable[[int], dict[str, JsonValue]]
    reply: Callable[[str], str]
    conditions: Sequence[str]
    unreadable: int
    not_asked: int
    expected: Mapping[str, float]
    coin: Mapping[str, float]


def number_in(text: str) -> int:
    """The number of the case that a text names."""
    found = re.search(r"no\. (\d+)", text)
    assert found is not None, text
    return int(found[1])


def offer(number: int) -> dict[str, JsonValue]:
    return {
        "control": f"Offer no. {number}.",
        "treatment": f"Offer no. {number}, once twice the price.",
        "fair": 2,
    }


def score(text: str) -> str:
    """The treatment draws by two in four of six cases; the first case has no score."""
    number, treated = number_in(text), "once" in text
    return "Well." if number == 0 and treated else f"Score: {4 if treated and number < 5 else 2}"


def pair(number: int) -> dict[str, JsonValue]:
    return {
        "question": f"Question no. {number}?",
        "first": "Yes, with reasons.",
        "second": "Yes.",
        "better": "first",
    }


def preference(text: str) -> str:
    """Always A in half of the cases, always the longer answer in the others."""
    longer = "A" if "Answer A: Yes, with" in text else "B"
    return f"I read both.\nBetter: {'A' if number_in(text) < 3 else longer}"


def advice(number: int) -> dict[str, JsonValue]:
    return {"text": f"Advice no. {number}.", "unlawful": number < 4}


def verdict(text: str) -> str:
    """Right but for one unlawful text; the last reply is no verdict."""
    number = number_in(text)
    return "It depends." if number == 5 else str(int(number < 3))


def claim(number: int) -> dict[str, JsonValue]:
    """The last claim has three levels only."""
    details = [f"Claim no. {number}.", "More.", "Much more.", "Nearly all.", "All."]
    return {
        "details": details[: 3 if number == CASES - 1 else 5],
        "classes": ["agrees", "disagrees"] if number % 2 else ["agrees", "doubts", "disagrees"],
    }


def position(text: str) -> str:
    """Declines at first, then agrees; changes once more where all is told of an even claim."""
    late = "disagrees" if "All." in text and number_in(text) % 2 == 0 else "agrees"
    return f"Position: {late if 'More.' in text else 'declines'}"


KINDS = (
    Kind(
        Offers(),
        offer,
        score,
        ("control/rising", "treatment/rising"),
        unreadable=1,
        not_asked=0,
        expected={"shift": 4 * 0.5 / 5, "away": 1.0},
        coin={"shift": 0.0, "away": 0.0},
    ),
    Kind(
        Preferences(),
        pair,
        preference,
        ("first as A", "second as A"),
        unreadable=0,
        not_asked=0,
        expected={"right": 0.5, "consistent": 0.5, "accuracy": 0.75},
        coin={"right": 0.25, "consistent": 0.5, "accuracy": 0.5},
    ),
    Kind(
        Verdicts(),
        advice,
        verdict,
        ("as it is",),
        unreadable=1,
        not_asked=0,
        expected={"unlawful": 3 / 5, "missed": 1 / 4},
        coin={"unlawful": 0.5, "missed": 0.5},
    ),
    Kind(
        Positions(),
        claim,
        position,
        ("1", "2", "3", "4", "5"),
        unreadable=0,
        not_asked=2,
        expected={"changes": (3 * 2 + 2 * 1) / (5 * 4), "declined": 6 / 28},
        coin={"changes": (3 * 3 / 4 + 2 * 2 / 3) / 5, "declined": (15 / 4 + (10 + 3) / 3) / 28},
    ),
)
PROTOCOLS = Protocols(*(kind.protocol for kind in KINDS))
