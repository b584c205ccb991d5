"""Findings: made of the results of checks, and kept a few at a time while an audit or a check goes on."""

from collections.abc import Callable, Generator, Sequence
from dataclasses import asdict, dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Protocol, TypeVar

from reviewer.core.check_result import CheckResult
from store.database import Database
from store.findings import CaseFindings, keep_case_findings
from store.records import Case, Finding

if TYPE_CHECKING:
    from reviewer.oracle.program_runner import ProgramsRan


class CaseTask(Protocol):
    """What is done about a case."""

    @property
    def case(self) -> Case:
        """The case."""


TaskT = TypeVar("TaskT", bound=CaseTask)
DoneT = TypeVar("DoneT")
_MOST_PLACES = 100
# Few enough that a rater's key hardly waits for the write lock, and that an interruption loses little.
CASES_A_TRANSACTION = 10
WITHIN, ACROSS = "collision_within_group", "collision_across_groups"
COLLISIONS = {
    WITHIN: "Is the text that must be distinct too like that of another case of the same group?",
    ACROSS: "Is the text that must be distinct too like that of a case of another group?",
}
"""What each check for texts that are too like looks for, in a sentence."""


def finding_of(result: CheckResult, case: str, question: str | None) -> Finding:
    """A check's result on the case of this digest; ``question`` is the one that it bears on, if any."""
    places = [asdict(place) for place in islice(dict.fromkeys(result.places), _MOST_PLACES)]
    return Finding(
        case=case,
        check=result.check,
        check_version=result.version,
        passed=result.passed,
        severity=result.severity,
        value=result.value,
        threshold=result.threshold,
        why=result.why,
        question=question,
        tested=result.state != "not tested",
        places=places or None,
    )


@dataclass(slots=True)
class CasesSoFar:
    """What became of the cases so far; ``due`` are to be looked at, ``done`` of them were.

    ``not_tested`` are the digests of those that no worker could finish, and why.
    """

    due: int = 0
    done: int = 0
    passed_over: int = 0
    unchecked: int = 0
    not_tested: list[tuple[str, str]] = field(default_factory=list)


class FindingsKeeper:
    """Saves findings as they come. ``found`` gets those of each case before ``tell`` is called."""

    def __init__(
        self,
        database: Database,
        counts: CasesSoFar,
        tell: Callable[[], None],
        found: Callable[[Sequence[Finding]], None] = lambda findings: None,
    ) -> None:
        self._database, self._counts, self._tell, self._found = database, counts, tell, found
        self._waiting: list[CaseFindings] = []

    def keep_results(
        self,
        results: "Generator[ProgramsRan[TaskT, DoneT], None, None]",
        judged: Callable[[TaskT, DoneT, str], CaseFindings],
    ) -> None:
        """Add what ``judged`` makes of a task, its result and the engine; what waits is kept in any event."""
        try:
            for ran in results:
                if ran.result is None:
                    self._counts.not_tested.append((ran.about.case.digest, ran.not_tested))
                    self.add(None)
                else:
                    self.add(judged(ran.about, ran.result, ran.engine.name))
        finally:
            results.close()
            self.keep()

    def add(self, case: CaseFindings | None, a_transaction: int = CASES_A_TRANSACTION) -> None:
        """Count a case, and keep its findings, if it has any, once so many wait."""
        if case is not None:
            self._waiting.append(case)
            self._found(case.findings)
        if len(self._waiting) >= a_transaction:
            self.keep()
        self._counts.done += 1
        self._tell()

    def keep(self) -> None:
        """Save what waits in one transaction."""
        waiting, self._waiting = self._waiting, []
        keep_case_findings(self._database, waiting)
