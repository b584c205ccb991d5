"""The places of a finding in the programs of a case: clauses, and words in them."""

import re
from collections.abc import Iterable, Iterator
from itertools import islice

from reviewer.core.check_result import Location
from reviewer.oracle.evidence import Evidence
from reviewer.oracle.result import Clause, Part, SourceLine

MOST_PLACES = 1_000
"""The most places that are looked for in one finding."""
_ARGUMENT_CHARACTERS = 1_000
_COMMENT = re.compile(r"%[^\n]*|/\*")


def first_places(places: Iterable[Location]) -> tuple[Location, ...]:
    """The places, at most MOST_PLACES: a hostile text could have any number."""
    return tuple(islice(places, MOST_PLACES))


def clause_location(evidence: Evidence, version: int, clause: Clause) -> Location:
    """The whole of a clause."""
    return evidence.location(version, clause.place.part, clause.place.line, clause.start, clause.end)


def clause_locations(evidence: Evidence, version: int, clauses: Iterable[Clause]) -> tuple[Location, ...]:
    """The whole of each clause."""
    return tuple(clause_location(evidence, version, clause) for clause in clauses)


def line_locations(evidence: Evidence, version: int, place: SourceLine, name: str = "") -> Iterator[Location]:
    """The clauses that begin on a line, only those of the predicate ``name`` if it has any; else the line."""
    if place.part is Part.NONE:
        return
    here = [clause for clause in evidence.both[version].clauses if clause.place == place]
    named = [clause for clause in here if clause.predicate == name]
    if here:
        yield from clause_locations(evidence, version, named or here)
    else:
        yield _whole_line(evidence, version, place)


def word_locations(evidence: Evidence, version: int, clause: Clause, pattern: str) -> Iterator[Location]:
    """The places where a regular expression matches whole words of a clause, outside comments."""
    text = evidence.text(version, clause.place.part)
    source = without_comments(text[clause.start : clause.end])
    for match in re.finditer(rf"(?<!\w)(?:{pattern})(?!\w)", source):
        start, end = clause.start + match.start(), clause.start + match.end()
        line = text.count("\n", 0, start) + 1
        yield evidence.location(version, clause.place.part, line, start, end)


def without_comments(source: str) -> str:
    """The source with comments as blanks of the same length, in one pass even if a comment never closes."""
    parts, at, kept, closes = [], 0, 0, True
    while comment := _COMMENT.search(source, at):
        at = comment.end()
        if comment.group() == "/*":
            closes = closes and source.find("*/", at) >= 0
            if not closes:
                continue
            at = source.find("*/", at) + 2
        parts += [source[kept : comment.start()], " " * (at - comment.start())]
        kept = at
    return "".join((*parts, source[kept:]))


def call_locations(evidence: Evidence, version: int, clause: Clause, predicate: str) -> Iterator[Location]:
    """The places where a clause uses a name with the number of arguments of ``predicate`` (name/arity)."""
    name, _, arity = predicate.rpartition("/")
    for at in first_places(word_locations(evidence, version, clause, re.escape(name.strip("'")))):
        if str(_arguments(evidence.text(version, clause.place.part), at.end)) == arity:
            yield at


def _arguments(text: str, at: int) -> int:
    """How many arguments are in the brackets that open at an offset; 0: there are none, -1: they are long."""
    if not text.startswith("(", at):
        return 0
    depth, arguments = 0, 1
    for character in text[at : at + _ARGUMENT_CHARACTERS]:
        depth += (character in "([{") - (character in ")]}")
        arguments += character == "," and depth == 1
        if depth == 0:
            return arguments
    return -1


def _whole_line(evidence: Evidence, version: int, place: SourceLine) -> Location:
    lines = evidence.text(version, place.part).split("\n")
    start = sum(len(line) + 1 for line in lines[: place.line - 1])
    length = len(lines[place.line - 1]) if place.line <= len(lines) else 0
    return evidence.location(version, place.part, place.line, start, start + length)
