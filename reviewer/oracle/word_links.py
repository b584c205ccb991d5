"""Links between a program and a text: parts of names in the program, and words that begin the same.

Names are split (``needs_security_review`` into needs, security, review), and words are reduced to their stems
by removing English endings. A link is a hint; that there is none means nothing.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from reviewer.core.text_diff import Span

_PIECES = re.compile(
    r"%[^\n]*|/\*.*?\*/|'(?:[^'\\\n]|\\.|'')*'|\"(?:[^\"\\]|\\.)*\"|(?P<end>\.(?=\s|%|\Z))|\w+|[^\w%'\"./]+|.",
    re.DOTALL,
)
_NAME_PARTS = re.compile(r"[A-Z][a-z]{2,}|[a-z]{3,}|[A-Z]{3,}(?![a-z])")
_WORDS = re.compile(r"[A-Za-z]{3,}")
_ENDING_LIST = """
abilities ibilities ability ibility ations ation ments ment ness ings ing ions ion ities ity able ible ical
ally ive ies ied ers er ed es al ly s e y
"""
_ENDINGS = tuple(_ENDING_LIST.split())
_LEAST_STEM = 4
_EMPTY_WORDS = """
the and for with that this from has have had are was were not but you your our which what will would can could
should may might than then them they their its also into onto any all each one two
"""
_EMPTY = frozenset(_EMPTY_WORDS.split())
# Words that occur in programs about anything.
_FRAME = frozenset(("forall", "findall", "member", "length", "consult", "true", "false", "fail"))


@dataclass(frozen=True, slots=True)
class Encoding:
    """A clause at characters ``start`` to ``end`` of its source, on ``line`` (from 1): its words in a text.

    ``nameless``: it has no name that could be looked for.
    """

    start: int
    end: int
    line: int
    words: tuple[Span, ...]
    nameless: bool


@lru_cache(maxsize=64)
def encodings(source: str, text: str, left_out: frozenset[str]) -> tuple[Encoding, ...]:
    """The clauses of a source (directives aside) with the words of the text that their names stand for.

    Words whose stem is that of one ``left_out`` are not looked for.
    """
    places = _by_stem(text)
    omitted = {_stem(word) for word in left_out | _FRAME}
    found, line, counted = [], 1, 0
    for start, end, names in _clauses(source):
        line, counted = line + source.count("\n", counted, start), start
        stems = dict.fromkeys(stem for name in names if (stem := _stem(name)) not in omitted)
        words = tuple(sorted((span for stem in stems for span in places.get(stem, ())), key=_start))
        found.append(Encoding(start, end, line, words, not stems))
    return tuple(found)


def _start(span: Span) -> int:
    return span.start


def _by_stem(text: str) -> Mapping[str, Sequence[Span]]:
    places: dict[str, list[Span]] = defaultdict(list)
    for word in _WORDS.finditer(text):
        if word[0].lower() not in _EMPTY:
            places[_stem(word[0])].append(Span(word.start(), word.end()))
    return places


@lru_cache(maxsize=10_000)
def _stem(word: str) -> str:
    """The word in small letters without its ending, if at least four letters are left."""
    word = word.lower()
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _LEAST_STEM:
            stem = word.removesuffix(ending)
            return stem[:-1] if stem[-1] == stem[-2] and len(stem) > _LEAST_STEM else stem
    return word


def _clauses(source: str) -> Iterator[tuple[int, int, list[str]]]:
    """Where each clause begins and ends, and the parts of its names; read roughly, and never run."""
    start, names, seen = 0, list[str](), ""
    for piece in _PIECES.finditer(source):
        token = piece[0]
        if piece["end"] and seen:
            if not seen.startswith((":-", "?-")):
                yield start, piece.end(), names
            names, seen = [], ""
        elif token.strip() and not token.startswith(("%", "/*")):
            if not seen:
                start = piece.start() + len(token) - len(token.lstrip())
            seen = seen or token.strip()
            if not (token[0].isupper() or token[0] == "_"):
                names += [part for part in _NAME_PARTS.findall(token) if part.lower() not in _EMPTY]
