"""What the checks of logic look at: the evidence of one case."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from reviewer.core.check_result import Location
from reviewer.oracle.program import Program
from reviewer.oracle.result import Clause, Part, Proof, Result, Status
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
    """Whether a variant's result shows what the decision becomes: the variant ended, or it never ends."""
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
