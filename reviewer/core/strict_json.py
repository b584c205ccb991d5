"""JSON from outside: read without guessing, and checked for values that must not be stored."""

import json
import math
from collections import Counter
from typing import Any

from reviewer.core.errors import InputError
from reviewer.core.sanitize import shown, strange_character

MOST_CHARACTERS = 200_000
"""The maximum length of one stored text."""
_DEEPEST = 32
_FETCH_AGAIN = "check that it is the right file and complete"


class RepeatingObject(dict[str, Any]):
    """An object that names a field more than once, so that its value is ambiguous."""

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        super().__init__(pairs)
        counts = Counter(name for name, _ in pairs)
        self.repeated = counts.most_common(1)[0][0]


def parse(text: str, where: str) -> Any:
    """The value of a JSON text; raises InputError with line and column."""
    if not text.strip():
        raise InputError(where, "is empty", _FETCH_AGAIN)
    try:
        # A decoder of its own for each text takes longer; `loads` alone names a byte order mark.
        return json.loads(text) if text.startswith("\ufeff") else _DECODER.decode(text)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        ended = error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated string")
        what = "incomplete JSON" if ended else f"not JSON ({error.msg.removesuffix(' at').lower()})"
        raise InputError(where, f"is {what} at {place}", _FETCH_AGAIN) from None
    except RecursionError:
        raise InputError(where, "is nested too deeply", _FETCH_AGAIN) from None
    except ValueError as error:  # an integer of more digits than Python reads
        raise InputError(where, "contains a number with thousands of digits", "correct it") from error


def first_value(text: str, start: int) -> tuple[Any, int]:
    """The value that begins at a place of a text, and where it ends.

    Raises ValueError or RecursionError if there is none.
    """
    return _DECODER.raw_decode(text, start)


def fault_in(value: Any, depth: int = 0) -> str | None:
    """The fault of a value that is to be stored as it is, or None."""
    if isinstance(value, str):
        if len(value) > MOST_CHARACTERS:
            return f"has {len(value):,} characters, more than the {MOST_CHARACTERS:,} that a field may have"
        strange = strange_character(value)
        return strange and f"holds {strange}"
    match value:
        case float() if not math.isfinite(value):
            return "holds a number that is not finite"
        case dict() | list() if depth == _DEEPEST:
            return f"is nested more than {_DEEPEST} deep"
        case dict():
            return repetition_in(value) or _first_fault([*value, *value.values()], depth + 1)
        case list():
            return _first_fault(value, depth + 1)
    return None


def repetition_in(found: dict[str, Any]) -> str | None:
    """A message with the name that the object itself contains more than once, or None."""
    if isinstance(found, RepeatingObject):
        return f"names {shown(found.repeated)!r} more than once"
    return None


def shape_fault(value: Any, depth: int = 0) -> str | None:
    """The fault of the shape of a value: an object names a field twice, or it is nested too deeply."""
    if not isinstance(value, dict | list):
        return None
    if depth == _DEEPEST:
        return f"is nested more than {_DEEPEST} deep"
    if isinstance(value, dict) and (fault := repetition_in(value)):
        return fault
    inner = value.values() if isinstance(value, dict) else value
    nested = [one for one in inner if isinstance(one, dict | list)]
    return next(filter(None, (shape_fault(one, depth + 1) for one in nested)), None) if nested else None


def value_in(cell: str) -> Any:
    """The JSON value that a cell of a table holds; None for any other text."""
    try:
        return parse(cell, "")
    except InputError:
        return None


def kind_of(value: Any) -> str:
    """The JSON type of a value, with its article."""
    match value:
        case None:
            return "null"
        case bool():
            return "true or false"
        case str():
            return "a text"
        case int() | float():
            return "a number"
        case list():
            return "a list"
    return "an object"


def _first_fault(values: list[Any], depth: int) -> str | None:
    for value in values:
        if fault := fault_in(value, depth):
            return fault
    return None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    return found if len(found) == len(pairs) else RepeatingObject(pairs)


_DECODER = json.JSONDecoder(object_pairs_hook=_object)
