"""The part of the contract for logic: what a protocol offers if programs decide its cases."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from reviewer.core.check_result import CheckResult
from reviewer.core.pane import Pane
from reviewer.oracle.program import Program
from reviewer.oracle.result import Result
from store.records import Case, Measurement

if TYPE_CHECKING:
    from reviewer.protocols.evaluation import Condition


@dataclass(frozen=True, slots=True)
class Version:
    """One of the two programs of a case, with the name of its variant."""

    variant: str
    program: Program


@dataclass(frozen=True, slots=True)
class AuditPlan:
    """How logic decides a case: two versions. The first is also varied, to see what its decision depends on.

    ``options`` are the two that ``decision`` (a predicate as name/arity) chooses from. ``published`` names
    the published values to compare with: choice, inference steps, choice steps. ``checks`` are those that
    apply to this case, each with the question that it concerns (None: no question). ``shows`` names the panes
    in which an author sees what logic did, in reading order, with the texts first. ``beside`` names the most
    useful panes for a check. ``sources`` gives the pane and the side (0, 1) that show a variant's part of a
    program; the part that both versions share has the variant "".
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


@dataclass(frozen=True, slots=True)
class ModelDecision:
    """How a model decides a case as its first program does: under which condition of the evaluation, and
    which label means a choice of that program (the choice itself if none does).
    """

    condition: "Condition"
    label_of: Callable[[str], str]


class Logic(ABC):
    """How logic decides a protocol's cases. A protocol without logic never starts the oracle."""

    @abstractmethod
    def audit_plan(self, case: Case) -> AuditPlan | None:
        """How logic decides the case; None if the case has no programs."""

    def variant_panes(self, case: Case, measurements: Sequence[Measurement]) -> Sequence[Pane]:
        """What variants of the case's first program gave in an audit, for the author of the case."""
        return ()

    def programs(self, case: Case) -> tuple[Program, ...]:
        """The programs that the checks of a case run: those of both versions."""
        plan = self.audit_plan(case)
        return (plan.first.program, plan.second.program) if plan else ()

    def model_decision(self) -> ModelDecision | None:
        """How models are compared with logic; None if they are not."""
        return None

    def judge(self, case: Case, results: Sequence[Result]) -> tuple[CheckResult, ...]:
        """The results of the checks on these programs' results."""
        return ()
