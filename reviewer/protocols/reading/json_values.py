"""JSON in a reply: the object that was asked for, and values that announce an answer: {"decision": "B"}."""

import json
import re
from collections.abc import Iterator, Mapping, Set
from typing import Any, Final

from reviewer.protocols.reading.choices import ANNOUNCERS
from reviewer.protocols.reading.naming_words import words_of
from store.records import JsonValue

ANNOUNCED_AS: Final = "verdict"
"""What announces an answer that markup announces."""
_PAIR: Final = re.compile(
    r"""["']([\w -]{1,40})["']\s*:\s*"""
    r"""(?:"((?:[^"\\\n]|\\.){0,4000})"?|'([^'\n]{1,400})'|([^"',{}\[\]\n]{1,40}))"""
)
_ALTERNATIVES: Final = re.compile(r"""["'] *[|/] *["']|["'] or ["']""")
"""Between the values that a schema offers: "A" | "B"."""
NAME_OF_ONE: Final = re.compile(
    r"(?:(?:option|choice|answer|response|assistant)[_ -]?)?"
    r"(?:[A-Z]|\d{1,2}|(?:the )?(?:first|second)(?: (?:answer|response|option))?)",
    re.IGNORECASE,
)
"""A key that names a choice."""
_ANY_NAME: Final = re.compile(r".+", re.DOTALL)
_YES, _NO = frozenset(("yes", "true", "chosen", "selected")), frozenset(("no", "false", "rejected"))
_EVEN: Final = frozenset(("tie", "draw", "is_tie"))
_WITHDRAWN: Final = frozenset(("withdrawn", "retracted", "void", "revoked", "cancelled", "abstained"))
_MARKING: Final = words_of("wins won best better preferred take choose pick select")
_MOST_OBJECTS: Final = 20
_DEEPEST: Final = 6
_MOST_OF_VALUE: Final = 4_000
_TAKEN_BACK: Final = words_of("second other alternative rejected initial previous not worst")
_NAMING: Final = words_of("letter text label value name number id title option choice answer")
"""Keys of the name of a choice inside an answer."""
_SHORT_KEYS: Final = frozenset(("letter", "final", "response", "best", "better", "preferred"))
"""Keys that announce an answer alone."""
_JUDGED: Final = frozenset(("response", "assistant", "model", "option", "candidate"))
_OWN_KEYS: Final = [
    ["i", verb] for verb in ("choose", "pick", "select", "chose", "recommend", "prefer", "take")
]
_REASONS: Final = words_of("explanation reason reasoning rationale justification why because comment")
"""Keys of reasons for an answer."""
_NUMBERS: Final = frozenset(("number", "letter"))
_TEXT_BESIDE: Final = words_of("text label name title description meaning content wording")
"""Last words of keys of the text of a choice beside its name: both must mean one choice."""


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
    words = _words_of(key)
    if not words or _TAKEN_BACK.intersection(words):
        return False
    if (len(words) == 1 and words[0] in _SHORT_KEYS) or words in _OWN_KEYS:
        return True
    if words[0] in _SHORT_KEYS and words[-1] in _JUDGED:
        return True
    return words[-1] in ANNOUNCERS or (words[0] in ANNOUNCERS and words[-1] in _NAMING)


def _words_of(key: str) -> list[str]:
    return re.findall(r"[^\W\d_]+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", key).casefold())


def _is_of_text(key: object) -> bool:
    """Whether a key is one of a choice's text: "label", "option_name"; not "rejected_text"."""
    words = _words_of(str(key))
    beside = words == ["choice"] or (words != [] and words[-1] in _TEXT_BESIDE)
    return beside and not _TAKEN_BACK.intersection(words)


def _number_beside(value: dict[str, Any], names: Set[str]) -> str:
    """The number or letter of a choice beside its text: {"number": 3, "answer": "Wait"}; "" if none."""
    return next((str(value[key]) for key in value if key in names and _is_of_number(key)), "")


def _is_of_number(key: str) -> bool:
    """Whether a key is one of a choice's number: "number", "option_letter"; not "question_number"."""
    words = _words_of(key)
    own = len(words) == 1 or (words != [] and words[0] in ANNOUNCERS)
    return own and words[-1:] != [] and words[-1] in _NUMBERS and not _TAKEN_BACK.intersection(words)


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
        pairs = _PAIR.findall(_ALTERNATIVES.sub(" or ", text[start:]))
        return [
            _line(double or single or bare) for key, double, single, bare in pairs if announces(key)
        ], len(text)
    lines = list(_of_list(value) if isinstance(value, list) else object_as_lines(value))
    return [*lines, *_reasons(value)] if lines else lines, end


def _reasons(value: Any) -> Iterator[str]:
    """What an object says for its answer, in words: it may speak against it."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if str(key).casefold() in _REASONS and isinstance(inner, str):
                yield _as_text(inner).replace(":", ",")  # so that nothing in it announces


def _line(value: str) -> str:
    return f"{ANNOUNCED_AS}: {value}".replace("_", " ").replace("|", " or ")


def object_as_lines(value: Any, of_answer: bool = False, depth: int = 0) -> Iterator[str]:
    """A line for each answer that an object announces."""
    if not isinstance(value, dict) or depth > _DEEPEST:
        return
    if any(isinstance(inner, str) and inner.casefold() in _WITHDRAWN for inner in value.values()):
        return
    yield from _ticked(value)
    yield from _of_rows(
        [{"name": key, **inner} for key, inner in value.items() if isinstance(inner, dict)], NAME_OF_ONE
    )
    texts = {key: inner for key, inner in value.items() if isinstance(inner, str) and _is_of_text(key)}
    wordings = list(dict.fromkeys(texts.values()))[:2]
    names = {key for key, inner in value.items() if NAME_OF_ONE.fullmatch(str(inner))}
    naming = names if of_answer else set(filter(announces, names))
    number = _number_beside(value, names)
    for key, inner in value.items():
        named = announces(str(key)) or (of_answer and str(key).casefold() in _NAMING)
        if isinstance(inner, dict):
            yield from object_as_lines(inner, named, depth + 1)
        elif named:
            said = next((text for text in wordings if text != inner), "")
            beside = f". {said}" if said and isinstance(inner, str | int) else ""
            before = f"{number}. " if number and isinstance(inner, str) and key not in names else ""
            stands_beside = key in texts and (of_answer or key not in names)
            if not (stands_beside and len(naming) > (key in naming)):
                yield _line(before + _as_text(inner) + beside)
    if any(str(key).casefold() in _EVEN and inner is True for key, inner in value.items()):
        yield _line("tie")


def _of_list(rows: list[Any]) -> Iterator[str]:
    """The answer of a list: of the object that is marked as chosen, or of the only one that announces one."""
    if marked := list(_of_rows(rows)):
        yield from marked
        return
    announced = [lines for row in rows if (lines := list(object_as_lines(row)))]
    if len(announced) == 1:
        yield from announced[0]


def _ticked(value: dict[str, Any]) -> Iterator[str]:
    """The one key of an object that is true where all its values are true or false."""
    ticked = [key for key, inner in value.items() if _is_yes(inner)]
    named = all(NAME_OF_ONE.fullmatch(key) and _says_yes_or_no(inner) for key, inner in value.items())
    if len(ticked) == 1 and len(value) > 1 and named:
        yield _line(ticked[0])


def _of_rows(rows: list[Any], named: re.Pattern[str] = _ANY_NAME) -> Iterator[str]:
    """The one object of a list that is marked as chosen, if its name is one of a choice."""
    objects = [row for row in rows if isinstance(row, dict)]
    chosen = [row for row in objects if any(_is_yes(value) and _marks(key) for key, value in row.items())]
    if len(chosen) == 1 and len(objects) > 1:
        names = [str(value) for key, value in chosen[0].items() if str(key).casefold() in _NAMING]
        if names and named.fullmatch(names[0]):
            yield _line(names[0])


def _is_yes(value: Any) -> bool:
    return value is True or (isinstance(value, str) and value.casefold() in _YES)


def _says_yes_or_no(value: Any) -> bool:
    return isinstance(value, bool) or (isinstance(value, str) and value.casefold() in _YES | _NO)


def _marks(key: object) -> bool:
    """Whether a key that is true marks the choice that is taken: "chosen", "wins"."""
    return announces(str(key)) or str(key).casefold() in _MARKING


def _as_text(value: Any) -> str:
    if isinstance(value, list):
        return " and ".join(str(inner) for inner in value[:20])
    return "" if value is None else str(value).replace("\n", " ")[:_MOST_OF_VALUE]


_FENCED = re.compile(r"```(?:json)?[ \t]*\n(.*?)```", re.DOTALL | re.IGNORECASE)


def json_object(reply: str) -> Mapping[str, JsonValue] | None:
    """The JSON object in a reply, fenced or not; None if there is none."""
    fenced = _FENCED.findall(reply)
    text = fenced[-1] if fenced else reply
    start, end = text.find("{"), text.rfind("}")
    try:
        content = json.loads(text[start : end + 1]) if 0 <= start < end else None
    except (ValueError, RecursionError):
        return None
    return content if isinstance(content, dict) else None
