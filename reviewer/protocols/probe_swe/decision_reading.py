"""Reading a decision for an option in a model's reply. A reply that takes no side is read as none.

Earlier versions of the reader stay as they were, since a generation run keeps the one that it began with.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from reviewer.protocols.probe_swe.replies import decision_line

READER_VERSION: Final = 2
MOST_CHARACTERS: Final = 200_000

TOO_LONG: Final = "too long"
EMPTY: Final = "empty"
CUT_OFF: Final = "ends before the decision"
NO_DECISION: Final = "no decision"
NO_SIDE: Final = "takes no side"
BOTH_SIDES: Final = "names both options"

_THOUGHTS = re.compile(r"<think(?:ing)?>.*?</think(?:ing)?>", re.IGNORECASE | re.DOTALL)
_OPEN_THOUGHT = re.compile(r"<think(?:ing)?>", re.IGNORECASE)
_MARK = r"^[ \t*_#>`-]*(?:(?:my|the|final|best|recommended)[ \t]+)*{}[ \t*_]*:(.*)$"
_MARKS = tuple(
    re.compile(_MARK.format(noun), re.IGNORECASE | re.MULTILINE)
    for noun in ("decision", "(?:answer|choice|recommendation)", "option")
)
"""What announces a decision, the clearest first; within one kind the last one counts."""

_FIRST_READER = re.compile(r"option[\s_]*([AB])\b|^[\s*_\"'(]*([AB])\b", re.IGNORECASE)
_DECORATION = " \t*_`\"'“”‘’"
_NAMED = re.compile(r"\b(?:options?|opt\.)[\s_]*\(?([AB])\b", re.IGNORECASE)
_CAPITAL = re.compile(r"(?<![\w'’-])([AB])(?![\w'’-])")
_LETTER_ALONE = re.compile(r"[\W_]*([ABab])(?=[\W_]*(?:$|[.,;:)\]*(–—-]))")
_TURNED_DOWN_BEFORE = re.compile(
    r"(?:\bnot|n['’]t|\bover|\bthan|\binstead of|\bagainst|\bto|\breject\w*|\bavoid\w*|\bnever|\bwithout)"
    r"(?:\s+(?:choos\w*|choose|pick\w*|select\w*|recommend\w*|going|go|with|for|the))*\s*[\"'(*_]*$",
    re.IGNORECASE,
)
_TURNED_DOWN_AFTER = re.compile(
    r"[\"')*_]*\s*(?:is|was|would be|seems|looks|should)"
    r"\s+(?:not\b|n['’]t\b|never\b|wrong|worse|inappropriate|bad)",
    re.IGNORECASE,
)
_ARTICLE = re.compile(
    r"\s+(?!(?:and|or|over|rather|instead|is|was|because|since|as|for|with|if|but|then|here)\b)[a-z]"
)
"""What makes the letter A before it an article."""


@dataclass(frozen=True, slots=True)
class DecisionRead:
    """The option that a reply decides for ("A" or "B"), or why none was read."""

    option: str | None
    why: str = ""


def read_decision(text: str, words: Mapping[str, str] | None = None) -> DecisionRead:
    """The decision of a reply; ``words`` are answers that the question defines, each with its option."""
    if len(text) > MOST_CHARACTERS:
        return DecisionRead(None, TOO_LONG)
    said_aloud = _THOUGHTS.sub("", text)
    if _OPEN_THOUGHT.search(said_aloud):
        return DecisionRead(None, CUT_OFF)
    if not said_aloud.strip():
        return DecisionRead(None, EMPTY)
    said = _announced(said_aloud)
    if said is None:
        return DecisionRead(None, NO_DECISION)
    return _side(said, words or {}) if said else DecisionRead(None, CUT_OFF)


def read_by_version(version: int, text: str, words: Mapping[str, str] | None = None) -> DecisionRead:
    """The decision of a reply as this version of the reader reads it."""
    if version == READER_VERSION:
        return read_decision(text, words)
    named = {(first or second).upper() for first, second in _FIRST_READER.findall(decision_line(text))}
    return DecisionRead(named.pop()) if len(named) == 1 else DecisionRead(None, NO_DECISION)


def _announced(text: str) -> str | None:
    """What stands behind the last mark, or on the next line with text; None without a mark."""
    for mark in _MARKS:
        if matches := list(mark.finditer(text)):
            said = matches[-1][1].strip(_DECORATION)
            return said or _first_line(text[matches[-1].end() :])
    return None


def _first_line(text: str) -> str:
    lines = (line.strip(_DECORATION) for line in text.splitlines())
    return next(filter(None, lines), "")


def _side(said: str, words: Mapping[str, str]) -> DecisionRead:
    named = set(_taken(said))
    named |= {option for word, option in words.items() if _says(said, word)}
    if len(named) == 1:
        return DecisionRead(named.pop())
    return DecisionRead(None, BOTH_SIDES if named else NO_SIDE)


def _taken(said: str) -> Iterator[str]:
    """The options that a line names without turning them down."""
    if alone := _LETTER_ALONE.match(said):
        yield alone[1].upper()
    for match in (*_NAMED.finditer(said), *_CAPITAL.finditer(said)):
        is_article = match[0] == "A" and _ARTICLE.match(said, match.end()) is not None
        turned_down = _TURNED_DOWN_BEFORE.search(said[: match.start()]) or _TURNED_DOWN_AFTER.match(
            said, match.end()
        )
        if not (is_article or turned_down or _is_turned_down_by_its_name(said, match)):
            yield match[1].upper()


def _is_turned_down_by_its_name(said: str, match: re.Match[str]) -> bool:
    """Whether a letter stands behind the word "option", which is judged by itself."""
    before = said[: match.start()].rstrip(" _(").casefold()
    return match[0] in ("A", "B") and before.endswith(("option", "options", "opt."))


def _says(said: str, word: str) -> bool:
    """Whether a line says a word as such: "inappropriate" does not say "appropriate", nor does "not …"."""
    pattern = re.compile(rf"(?<![\w-]){re.escape(word)}(?![\w-])", re.IGNORECASE)
    return any(not _TURNED_DOWN_BEFORE.search(said[: match.start()]) for match in pattern.finditer(said))
