"""The audit of cases without programs: runs the checks that only read a case."""

from collections.abc import Sequence
from dataclasses import dataclass

from reviewer.core.progress import Progress
from reviewer.protocols.base import CheckPlan, Protocol
from reviewer.protocols.registry import Protocols
from reviewer.runs.check.case_rules import compared_values, judged_case, rules_mark
from store.database import Database
from store.findings import CaseFindings, keep_case_findings
from store.records import Case, Measurement

# Few enough that a rater's key hardly waits for the write lock, and that an interruption loses little.
_CASES_A_TRANSACTION = 50


@dataclass(frozen=True, slots=True)
class RuleTask:
    """A case to be read by the checks of its protocol; the mark records which checks."""

    case: Case
    protocol: Protocol
    plan: CheckPlan
    mark: Measurement

    @property
    def case_findings(self) -> CaseFindings:
        """The results of the checks on the case."""
        values = compared_values(self.plan, {})
        return judged_case(self.protocol, self.case, self.mark, values)


def rule_tasks(protocols: Protocols, planned: Sequence[tuple[Case, CheckPlan]], mark: str) -> list[RuleTask]:
    """A task for each case, under a mark of this name."""
    owned = ((case, protocols.named(case.protocol), plan) for case, plan in planned)
    return [RuleTask(case, owner, plan, rules_mark(mark, owner, case)) for case, owner, plan in owned]


def keep_rules(database: Database, tasks: Sequence[RuleTask], progress: Progress | None = None) -> None:
    """Check the cases and write the findings, a few cases in each transaction."""
    for at in range(0, len(tasks), _CASES_A_TRANSACTION):
        some = tasks[at : at + _CASES_A_TRANSACTION]
        keep_case_findings(database, [task.case_findings for task in some])
        if progress:
            progress(at + len(some), len(tasks))
