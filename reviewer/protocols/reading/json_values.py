"""Values of JSON in a reply that announce an answer: {"decision": "B"}."""

import json
import re
from collections.abc import Iterator
from typing import Any, Final

from reviewer.protocols.reading.choices import ANNOUNCERS

ANNOUNCED_AS: Final = "verdict"
"""What announces an answer that markup announces."""
_PAIR: Final = re.compile(
    r"""["']([\w -]{1,40})["']\s*:\s*(?:"((?:[^"\\\n]|\\.){0,4000})"?|([^",{}\[\]\n]{1,40}))"""
)
_NAME_OF_ONE: Final = re.compile(r"(?:(?:option|choice|answer)[_ -]?)?(?:[A-Z]|\d{1,2})", re.IGNORECASE)
"""A key that names a choice."""
_MOST_OBJECTS: Final = 20
_DEEPEST: Final = 6
_MOST_OF_VALUE: Final = 4_000
_TAKEN_BACK: Final = frozenset(
    ("second", "other", "alternative", "rejected", "initial", "previous", "not", "worst")
)
_NAMING: Final = frozenset(
    ("letter", "text", "label", "value", "name", "number", "id", "title", "option", "choice", "answer")
)
"""Keys of the name of a choice inside an answer."""
_TEXT_BESIDE: Final = ("text", "choice_text", "option_text")
"""Keys of the text of a choice beside its name: both must mean one choice."""


def json_as_lines(text: str) -> str:
    """Each JSON value as a line for each answer that it announces; other values are left out."""
    parts, at = list[str](), 0
    for _ in range(_MOST_OBJECTS):
        start = _next_value(text, at)
        if start < 0:
            break
        parts.append(text[at:start])
        lines, at = _value_as_lines(text, start)
        parts.append("\n" + "\n".join(lines) + "\n")
    return "".join((*parts, text[at:]))


def announces(key: str) -> bool:
    """Whether the name of a value announces an answer: its last word does, and no word takes it back."""
    words = re.findall(r"[^\W\d_]+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", key).casefold())
    if not words or _TAKEN_BACK.intersection(words):
        return False
    if words == ["letter"]:
        return True
    return words[-1] in ANNOUNCERS or (words[0] in ANNOUNCERS and words[-1] in _NAMING)


def _next_value(text: str, at: int) -> int:
    """Where the next object begins, or a list of objects; -1 if there is none."""
    start = text.find("{", at)
    opening = text.rfind("[", at, start) if start >= 0 else -1
    return opening if opening >= 0 and not text[opening + 1 : start].strip() else start


def _value_as_lines(text: str, start: int) -> tuple[list[str], int]:
    """The lines of the value that begins at a place, and where it ends; one that is cut off ends the text."""
    try:
        value, end = json.JSONDecoder().raw_decode(text, start)
    except (ValueError, RecursionError):
        if not _PAIR.match(text[start + 1 :].lstrip()):
            return [], start + 1
        pairs = _PAIR.findall(text[start:])
        return [_line(quoted or bare) for key, quoted, bare in pairs if announces(key)], len(text)
    return list(_of_rows(value) if isinstance(value, list) else _of_object(value)), end


def _line(value: str) -> str:
    return f"{ANNOUNCED_AS}: {value}".replace("_", " ")


def _of_object(value: Any, of_answer: bool = False, depth: int = 0) -> Iterator[str]:
    if not isinstance(value, dict) or depth > _DEEPEST:
        return
    yield from _ticked(value)
    said = next((inner for key, inner in value.items() if key in _TEXT_BESIDE and isinstance(inner, str)), "")
    for key, inner in value.items():
        named = announces(str(key)) or (of_answer and str(key).casefold() in _NAMING)
        if isinstance(inner, dict):
            yield from _of_object(inner, named, depth + 1)
        elif named:
            beside = f". {said}" if said and isinstance(inner, str | int) and inner != said else ""
            yield _line(_as_text(inner) + beside)


def _ticked(value: dict[str, Any]) -> Iterator[str]:
    """The one key of an object that is true where all its values are true or false."""
    ticked = [key for key, inner in value.items() if inner is True]
    named = all(_NAME_OF_ONE.fullmatch(key) and isinstance(inner, bool) for key, inner in value.items())
    if len(ticked) == 1 and len(value) > 1 and named:
        yield _line(ticked[0])


def _of_rows(rows: list[Any]) -> Iterator[str]:
    """The one object of a list that is marked as chosen."""
    objects = [row for row in rows if isinstance(row, dict)]
    chosen = [
        row for row in objects if any(value is True and announces(str(key)) for key, value in row.items())
    ]
    if len(chosen) == 1:
        named = (str(value) for key, value in chosen[0].items() if str(key).casefold() in _NAMING)
        yield _line(next(named, ""))


def _as_text(value: Any) -> str:
    if isinstance(value, list):
        return " and ".join(str(inner) for inner in value[:20])
    return "" if value is None else str(value).replace("\n", " ")[:_MOST_OF_VALUE]
