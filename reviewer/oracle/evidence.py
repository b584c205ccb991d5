"""What the checks of logic look at: the evidence of one case, and the places of a finding in its programs."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from reviewer.core.check_result import Location
from reviewer.oracle.oracle_program import Program
from reviewer.oracle.result import Clause, Part, Proof, Result, SourceLine, Status
from reviewer.oracle.variants import Variant, VariantChange

Published = tuple[str, int, int]

_BLANK = re.compile(r"%[^\n]*|\s+")
# A variant that never ends has no decision on any machine. If it was refused, its decision is not known.
_ENDLESS = {Status.INFERENCES, Status.MEMORY}


@dataclass(frozen=True, slots=True)
class Evidence:
    """What was run: the two versions' programs, their results, and the variants of the first.

    ``options`` are the two that can be chosen, ``decision`` the predicate that chooses. ``published`` has the
    choice, inference steps and choice steps published with the programs, one triple for each source.
    ``others`` are the proofs of the option that each version derives besides its choice (None: none).
    ``telling`` are the variants that a finding is about, run again with a proof.
    ``names`` are the names of the versions in sentences and in the places of findings.
    """

    programs: tuple[Program, Program]
    first: Result
    second: Result
    variants: tuple[tuple[Variant, Result], ...]
    options: tuple[str, str]
    decision: str = "decide_option/2"
    published: tuple[Published, ...] = ()
    others: tuple[Proof | None, Proof | None] = (None, None)
    names: tuple[str, str] = ("first", "second")
    telling: tuple[tuple[Variant, Result], ...] = ()

    @property
    def both(self) -> tuple[Result, Result]:
        """The two versions."""
        return self.first, self.second

    @property
    def ran(self) -> tuple[tuple[int, Result], ...]:
        """The versions (0, 1) that ran and ended by themselves."""
        return tuple((version, result) for version, result in enumerate(self.both) if result.ran)

    @property
    def decided(self) -> tuple[tuple[int, Result], ...]:
        """The versions (0, 1) that gave a decision."""
        return tuple((version, result) for version, result in self.ran if result.decided)

    def outcome(self, change: VariantChange) -> Result | None:
        """The result of the variant with this change; None if it changed nothing or was not run."""
        return next(
            (result for variant, result in self.variants if variant.change is change and tells(result)), None
        )

    def unchanged(self, change: VariantChange) -> bool:
        """True if the variant was run and decides the same as the program."""
        result = self.outcome(change)
        return result is not None and same_option(result.choice, self.first.choice)

    def sources(self, version: int, kind: str, part: Part) -> list[str]:
        """The clauses of one kind in one part of a version (0 or 1), as text without comments and blanks."""
        return [self.source(version, clause) for clause in self.clauses(version, kind, part)]

    def clauses(self, version: int, kind: str, part: Part) -> list[Clause]:
        """The clauses of one kind in one part of a version (0 or 1)."""
        read = self.both[version].clauses
        return [clause for clause in read if clause.kind == kind and clause.place.part is part]

    def source(self, version: int, clause: Clause) -> str:
        """A clause of a version (0 or 1) as text without comments and blanks."""
        return _BLANK.sub("", self.text(version, clause.place.part)[clause.start : clause.end])

    def text(self, version: int, part: Part) -> str:
        """One part of a version (0 or 1) as it was written."""
        return self.programs[version].part(part)

    def location(self, version: int, part: Part, line: int, start: int, end: int) -> Location:
        """Characters in one part of a version (0 or 1); both versions share the axioms."""
        variant = "" if part is Part.AXIOMS else self.names[version]
        return Location(variant, part.value, line, start, end)

    def deciding(self, version: int) -> list[Clause]:
        """The clauses of a version (0 or 1) that choose an option."""
        return [clause for clause in self.both[version].clauses if clause.predicate == self.decision]

    def knocked_out(self) -> Iterator[tuple[Clause, Result]]:
        """Each loaded clause of the first version with the result of the program without it."""
        lost = rejected(self.first)
        for variant, result in self.variants:
            if variant.clause is not None and self.first.clauses[variant.clause] not in lost:
                yield self.first.clauses[variant.clause], result


def tells(result: Result) -> bool:
    """Whether a result shows the decision of its variant: the variant ended, or it never ends."""
    return result.ran or result.status in _ENDLESS


def rejected(result: Result) -> frozenset[Clause]:
    """The clauses that Prolog read and did not load."""
    refused = {
        (message.place, message.text) for message in result.messages if message.kind == "refused_clause"
    }
    return frozenset(clause for clause in result.clauses if (clause.place, clause.predicate) in refused)


def same_option(one: str | None, other: str | None) -> bool:
    """Whether both name the same option, ignoring case; None names none."""
    return one is not None and other is not None and one.casefold() == other.casefold()


def is_option(choice: str | None, options: tuple[str, str]) -> bool:
    """Whether a choice is one of the options, ignoring case."""
    return any(same_option(choice, option) for option in options)


def becomes_another(variant: Result, whole: Result) -> bool:
    """Whether a variant is known to decide differently from the whole program."""
    same = variant.choice == whole.choice or same_option(variant.choice, whole.choice)
    return tells(variant) and not same


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
