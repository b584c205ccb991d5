"""Links between a program and a text: parts of names in the program, and words that begin the same.

Names are split (``needs_security_review`` into needs, security, review), and words are reduced to their stems
by the rules of the Snowball stemmer for English. A link is a hint; that there is none means nothing.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from reviewer.core.english_words import FUNCTION_WORDS, stem
from reviewer.core.text_diff import Span

_PIECES = re.compile(
    r"%[^\n]*|/\*.*?\*/|'(?:[^'\\\n]|\\.|'')*'|\"(?:[^\"\\]|\\.)*\"|(?P<end>\.(?=\s|%|\Z))|\w+|[^\w%'\"./]+|.",
    re.DOTALL,
)
_NAME_PARTS = re.compile(r"[A-Z][a-z]{2,}|[a-z]{3,}|[A-Z]{3,}(?![a-z])")
_WORDS = re.compile(r"[A-Za-z]{3,}")
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
    omitted = {stem(word) for word in left_out | _FRAME}
    found, line, counted = [], 1, 0
    for start, end, names in _clauses(source):
        line, counted = line + source.count("\n", counted, start), start
        stems = dict.fromkeys(reduced for name in names if (reduced := stem(name)) not in omitted)
        words = tuple(sorted((span for reduced in stems for span in places.get(reduced, ())), key=_start))
        found.append(Encoding(start, end, line, words, not stems))
    return tuple(found)


def _start(span: Span) -> int:
    return span.start


def _by_stem(text: str) -> Mapping[str, Sequence[Span]]:
    places: dict[str, list[Span]] = defaultdict(list)
    for word in _WORDS.finditer(text):
        if word[0].lower() not in FUNCTION_WORDS:
            places[stem(word[0])].append(Span(word.start(), word.end()))
    return places


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
                names += [part for part in _NAME_PARTS.findall(token) if part.lower() not in FUNCTION_WORDS]
