"""The audit of cases without programs: checks that only read a case, asked of each."""

from collections.abc import Sequence
from dataclasses import dataclass

from reviewer.core.progress import Progress
from reviewer.protocols.base import CheckPlan, Protocol
from reviewer.protocols.registry import Protocols
from reviewer.runs.check.case_rules import compared_values, judged_case, rules_mark
from store.database import Database
from store.findings import CaseFindings, keep_outcomes
from store.records import Case, Measurement

# Few enough that a rater's key, which waits for the write lock, does not notice, and little is lost.
_CASES_A_TRANSACTION = 10


@dataclass(frozen=True, slots=True)
class RuleTask:
    """A case that is to be read by its protocol's checks, with the mark that tells by which."""

    case: Case
    protocol: Protocol
    plan: CheckPlan
    mark: Measurement

    @property
    def outcome(self) -> CaseFindings:
        """What the checks say of the case."""
        values = compared_values(self.plan, {})
        return judged_case(self.protocol, self.case, self.mark, values)


def rule_tasks(protocols: Protocols, planned: Sequence[tuple[Case, CheckPlan]], mark: str) -> list[RuleTask]:
    """A task for each case, under a mark of this name."""
    found = ((case, protocols.named(case.protocol), plan) for case, plan in planned)
    return [RuleTask(case, owner, plan, rules_mark(mark, owner, case)) for case, owner, plan in found]


def keep_rules(database: Database, tasks: Sequence[RuleTask], progress: Progress | None = None) -> None:
    """Write what the checks say of the cases, some at a time."""
    for at in range(0, len(tasks), _CASES_A_TRANSACTION):
        some = tasks[at : at + _CASES_A_TRANSACTION]
        keep_outcomes(database, [task.outcome for task in some])
        if progress:
            progress(at + len(some), len(tasks))
