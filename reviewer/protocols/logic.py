"""The contract's part for logic: what a protocol offers whose cases are decided by Prolog programs."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from reviewer.core.check_result import CheckResult
from reviewer.oracle.program import Program
from reviewer.oracle.result import Result
from store.records import Case


@dataclass(frozen=True, slots=True)
class Version:
    """One of the two programs of a case, under the name of the variant that it belongs to."""

    variant: str
    program: Program


@dataclass(frozen=True, slots=True)
class AuditPlan:
    """How logic decides a case: two versions, the first of which is also changed to see what it rests on.

    ``options`` are the two that ``decision`` (a predicate as name/arity) chooses from. ``published`` names
    the published values to compare with: choice, inference steps, choice steps. ``checks`` are those that
    apply to this case, each with the question that it bears on (None: none). ``shows`` names the panes in
    which an author sees what logic did, in the order in which they are read, what the case says in words
    first; ``beside`` those that show most about a check, by its name. ``sources`` says in which pane and on
    which side (0, 1) a variant's part of a program stands; the axioms are those of the variant "".
    """

    first: Version
    second: Version
    options: tuple[str, str]
    decision: str
    published: tuple[str, str, str]
    checks: Mapping[str, str | None]
    shows: tuple[str, ...]
    beside: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    sources: Mapping[tuple[str, str], tuple[str, int]] = field(default_factory=dict)


class Logic(ABC):
    """How a protocol's cases are decided by logic. A protocol without it never starts Prolog."""

    @abstractmethod
    def audit_plan(self, case: Case) -> AuditPlan | None:
        """How logic decides the case; None where the case has no programs."""

    def programs(self, case: Case) -> tuple[Program, ...]:
        """The programs that the checks of a case run: those of both versions."""
        plan = self.audit_plan(case)
        return (plan.first.program, plan.second.program) if plan else ()

    def judge(self, case: Case, results: Sequence[Result]) -> tuple[CheckResult, ...]:
        """What the checks say of the results of these programs."""
        return ()
