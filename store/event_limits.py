"""The limits of an event's content, checked where events are made and where they come from elsewhere.

So nothing comes into a store that another store would refuse.
"""

import json
from collections.abc import Sequence

from reviewer.core.sanitize import strange_character, too_long
from store.records import JsonValue, canonical_json

MOST_PANES = 100
LONGEST_PANE_KEY = 100


def content_fault(kind: str, value: str | None, passage: JsonValue, panes: Sequence[str]) -> str | None:
    """Why an event with this content may not be made: another store would refuse it. None if it may."""
    if strange := strange_character(value or ""):
        return f"its text holds {strange}"
    return length_fault(kind, value, passage) or panes_fault(panes)


def length_fault(kind: str, value: str | None, passage: JsonValue) -> str | None:
    """Why the text or the passage of an event is too long; None if it is not."""
    text = (value or "") if kind != "adjudication" else _reason_in(value or "")
    if long := too_long(text):
        return f"its text has {long}"
    return "its passage is too long" if too_long(canonical_json(passage)) else None


def panes_fault(panes: Sequence[str]) -> str | None:
    """Why the panes that an event names cannot be those of a case."""
    if len(panes) > MOST_PANES or any(len(pane) > LONGEST_PANE_KEY for pane in panes):
        return "it names more panes, or longer ones, than any case has"
    strange = next((character for pane in panes if (character := strange_character(pane))), None)
    return f"its panes hold {strange}" if strange else None


def _reason_in(value: str) -> str:
    """The reason of an adjudication; the value itself if it is no decision."""
    try:
        decision = json.loads(value)
    except (ValueError, RecursionError):
        return value
    reason = decision.get("reason") if isinstance(decision, dict) else None
    return reason if isinstance(reason, str) else value
