"""What checks look at, the evidence of one case, and what they say of it, signs."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from reviewer.oracle.program import Program
from reviewer.oracle.result import Clause, Part, Result
from reviewer.oracle.variants import Change, Variant

Severity = Literal["serious", "doubtful", "untidy"]
SEVERITIES: tuple[Severity, ...] = ("serious", "doubtful", "untidy")
Published = tuple[str, int, int]


_BLANK = re.compile(r"%[^\n]*|\s+")


@dataclass(frozen=True, slots=True)
class Evidence:
    """What was run: the two versions' programs, their results, and the variants of the first.

    ``options`` are the two that can be chosen, ``decision`` the predicate that chooses; ``published`` are the
    choice, inference steps and choice steps that came with the programs, one triple for each source.
    """

    programs: tuple[Program, Program]
    first: Result
    second: Result
    variants: tuple[tuple[Variant, Result], ...]
    options: tuple[str, str]
    decision: str = "decide_option/2"
    published: tuple[Published, ...] = ()

    @property
    def both(self) -> tuple[Result, Result]:
        """The two versions."""
        return self.first, self.second

    def outcome(self, change: Change) -> Result | None:
        """The result of the one variant with this change; None where it changed nothing."""
        return next((result for variant, result in self.variants if variant.change is change), None)

    def unchanged(self, change: Change) -> bool:
        """True when the variant exists and decides as the program itself."""
        result = self.outcome(change)
        return result is not None and result.choice is not None and result.choice == self.first.choice

    def sources(self, version: int, kind: str, part: Part) -> list[str]:
        """The clauses of one kind in one part of a version (0 or 1), as text without comments and blanks."""
        return [
            self.source(version, clause)
            for clause in self.both[version].clauses
            if clause.kind == kind and clause.place.part is part
        ]

    def source(self, version: int, clause: Clause) -> str:
        """A clause of a version (0 or 1) as text without comments and blanks."""
        program = self.programs[version]
        text = program.axioms if clause.place.part is Part.AXIOMS else program.facts
        return _BLANK.sub("", text[clause.start : clause.end])

    def knocked_out(self) -> Iterator[tuple[Clause, Result]]:
        """Each clause of the first version with the result of the program without it."""
        for variant, result in self.variants:
            if variant.clause is not None:
                yield self.first.clauses[variant.clause], result


@dataclass(frozen=True, slots=True)
class Sign:
    """What a check saw: its name, how much it may matter, why in a sentence, and the value it looked at."""

    check: str
    severity: Severity
    why: str
    value: object = None


def load_bearing(evidence: Evidence) -> dict[Clause, str | None]:
    """The facts and rules without which the decision becomes another, with that decision (None: none)."""
    return {
        clause: result.choice
        for clause, result in evidence.knocked_out()
        if result.choice != evidence.first.choice
    }
