"""The audit: runs and checks the programs of every case that is not up to date, and saves as it goes.

Refused programs and those that took too long have a result too: `not_run` in `oracle/decision_checks.py`.
"""

import random
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Generic, TypeVar

from reviewer.core.sanitize import counted
from reviewer.core.work_progress import Progress
from reviewer.oracle.evidence import Evidence
from reviewer.oracle.examination import Examination
from reviewer.oracle.program_runner import EngineVersion, LocalRunner, ProgramRunner
from reviewer.oracle.version_checks import CHECKS, EDITION, Check
from reviewer.protocols.base import CheckPlan, Protocol
from reviewer.protocols.registry import Protocols, protocols_of
from reviewer.runs.audit.check_texts import audit_of, examination_of
from reviewer.runs.audit.measurements import VALUES_VERSION, measured_values
from reviewer.runs.check.case_rules import compared_values, judged_case, rules_mark
from reviewer.runs.check_findings import CasesSoFar, FindingsKeeper, finding_of
from store.database import Database
from store.findings import AUDIT_MARK, CaseFindings, marks_of, published_values
from store.records import Case, Finding, JsonValue, Measurement, digest_of

PlanT = TypeVar("PlanT")
MARK = AUDIT_MARK
_RULES_A_TRANSACTION = 50
"""Rules are quicker than programs, so an interruption loses little."""
_MOST_NAMED = 4


@dataclass(frozen=True, slots=True)
class AuditReport:
    """Numbers of cases: audited now, passed over because they are up to date, with nothing to audit.

    ``engine`` ran the programs; "" if no case has any. ``incomparable`` names the calibration goals that
    show that this engine counts steps differently from 9.2; empty if steps can be compared.
    """

    engine: str
    audited: int
    passed_over: int
    unchecked: int
    incomparable: tuple[str, ...] = ()
    altered: tuple[str, ...] = ()
    """Digests of the cases whose content was altered."""
    audited_earlier: int = 0
    """Of the cases audited now, the number that earlier checks had audited."""
    not_tested: tuple[tuple[str, str], ...] = ()
    """Digests of the cases that no worker could finish, and why; the next audit tries them again.

    Programs over their time limit are not among them.
    """

    @property
    def altered_words(self) -> str:
        """A sentence that names the cases that were altered and so not audited; "" if there are none."""
        if not self.altered:
            return ""
        named = ", ".join(digest[:12] for digest in self.altered[:_MOST_NAMED])
        more = " …" if len(self.altered) > _MOST_NAMED else ""
        return (
            f"{counted(len(self.altered), 'case')} not audited ({named}{more}): changed or damaged outside "
            "this program. `reviewer store check` names everything that was changed."
        )


@dataclass(frozen=True, slots=True)
class AuditTask(Generic[PlanT]):
    """A case to be audited, by logic or by rules; ``asked`` is its mark before an engine runs programs."""

    case: Case
    protocol: Protocol
    plan: PlanT
    asked: Measurement

    def mark(self, engine: str) -> Measurement:
        """The mark of an audit on an engine."""
        return self.asked.model_copy(update={"engine": engine})


@dataclass(slots=True)
class _Counts(CasesSoFar):
    """What became of the cases so far; ``earlier`` ones were audited before by other checks."""

    earlier: int = 0
    engines: tuple[EngineVersion, ...] = ()
    altered: list[str] = field(default_factory=list)


def needs_logic(protocols: Protocols, pages: Iterable[Sequence[Case]]) -> bool:
    """Whether at least one of the cases has programs that an audit would run."""
    whole = (case for cases in pages for case in cases if case.is_whole)
    return any(examination_of(protocols.named(case.protocol), case) for case in whole)


def audit(
    database: Database,
    pages: Iterable[Sequence[Case]],
    runner: ProgramRunner,
    *,
    again: bool = False,
    progress: Progress | None = None,
    found: Callable[[Sequence[Finding]], None] = lambda findings: None,
    protocol: Protocol | None = None,
    expected: int = 0,
) -> AuditReport:
    """Audit the cases, by logic or by rules; raises OracleMissing if programs cannot run without SWI-Prolog.

    ``protocol`` is that of the cases' dataset; None: the newest one that the store has for each case.
    ``found`` is called with the findings of each case that is done, before ``progress`` is.
    ``expected`` is how many cases are due, as far as that is known before all pages are read.
    After an interruption, results so far stay and are passed over the next time. Cases whose content was
    altered are not run; the report names them.
    """

    def tell() -> None:
        if progress:
            progress(counts.done, max(counts.due, expected - counts.unchecked))

    protocols = Protocols(protocol) if protocol else protocols_of(database)
    work = DatasetAudit(database, protocols, runner, again, tell, found)
    counts = work.counts
    work.run(pages)
    return AuditReport(
        ", ".join(engine.name for engine in counts.engines),
        counts.due - len(counts.not_tested),
        counts.passed_over,
        counts.unchecked,
        tuple(dict.fromkeys(goal for engine in counts.engines for goal in engine.differing)),
        tuple(counts.altered),
        counts.earlier,
        tuple(counts.not_tested),
    )


class DatasetAudit:
    """One audit under way: plans page by page, and saves as results come."""

    def __init__(
        self,
        database: Database,
        protocols: Protocols,
        runner: ProgramRunner,
        again: bool,
        tell: Callable[[], None] = lambda: None,
        found: Callable[[Sequence[Finding]], None] = lambda findings: None,
    ) -> None:
        self.counts = _Counts()
        self._database = database
        self._protocols = protocols
        self._runner = runner
        self._again = again
        self._keeper = FindingsKeeper(database, self.counts, tell, found)

    def run(self, pages: Iterable[Sequence[Case]]) -> None:
        """Audit all cases."""
        results = self._runner.examine((task, task.plan) for task in self._due(pages))
        self._keeper.keep_results(results, _case_findings)

    def _due(self, pages: Iterable[Sequence[Case]]) -> Iterator[AuditTask[Examination]]:
        """The cases with programs that are not up to date; those that rules read are checked on the way."""
        for cases in pages:
            logic, rules = self.planned(cases)
            due = self.wanted(logic)
            self.counts.due += len(due) + len(rules)
            for task in rules:
                values = compared_values(task.plan, {})
                self._keeper.add(
                    judged_case(task.protocol, task.case, task.asked, values), _RULES_A_TRANSACTION
                )
            yield from due

    def planned(
        self, cases: Sequence[Case]
    ) -> tuple[list[AuditTask[Examination]], list[AuditTask[CheckPlan]]]:
        """The tasks of a page by logic, and those of its rules that are not up to date."""
        counts = self.counts
        counts.altered += [case.digest for case in cases if not case.is_whole]
        whole = [case for case in cases if case.is_whole]
        plans = [(case, audit_of(self._protocols.named(case.protocol), case)) for case in whole]
        logic = [(case, plan) for case, plan in plans if isinstance(plan, Examination)]
        rules = [(case, plan) for case, plan in plans if isinstance(plan, CheckPlan)]
        counts.unchecked += len(whole) - len(logic) - len(rules)
        return list(self._tasks(logic)), self._rules_due(rules)

    def _tasks(self, planned: Sequence[tuple[Case, Examination]]) -> Iterator[AuditTask[Examination]]:
        owners = {case.protocol: self._protocols.named(case.protocol) for case, _ in planned}
        logics = {name: logic for name, owner in owners.items() if (logic := owner.logic())}
        names = sorted({name for logic in logics.values() for name in logic.published})
        with self._database.read() as session:
            values = published_values(session, [case.digest for case, _ in planned], names)
        for case, examination in planned:
            published = logics[case.protocol].published_in(values[case.digest])
            yield _task(case, owners[case.protocol], replace(examination, published=published))

    def wanted(self, tasks: Sequence[AuditTask[Examination]]) -> list[AuditTask[Examination]]:
        """The tasks that no engine here has done before."""
        if not tasks:
            return []
        self.counts.engines = self._runner.engines()
        names = {engine.name for engine in self.counts.engines}
        known = self._known(task.case.digest for task in tasks)
        due: list[AuditTask[Examination]] = []
        for task in tasks:
            before = known.get(task.case.digest)
            engine = before.engine if before and before.engine in names else next(iter(names))
            if self._is_due(before, task.mark(engine)):
                due.append(task)
        return due

    def _rules_due(self, planned: Sequence[tuple[Case, CheckPlan]]) -> list[AuditTask[CheckPlan]]:
        owned = ((case, self._protocols.named(case.protocol), plan) for case, plan in planned)
        tasks = [AuditTask(case, owner, plan, rules_mark(MARK, owner, case)) for case, owner, plan in owned]
        known = self._known(task.case.digest for task in tasks)
        return [task for task in tasks if self._is_due(known.get(task.case.digest), task.asked)]

    def _known(self, digests: Iterable[str]) -> Mapping[str, Measurement]:
        with self._database.read() as session:
            return marks_of(session, MARK, list(digests))

    def _is_due(self, before: Measurement | None, mark: Measurement) -> bool:
        if not self._again and before == mark:
            self.counts.passed_over += 1
            return False
        self.counts.earlier += _by_other_checks(before, mark)
        return True


def _by_other_checks(before: Measurement | None, mark: Measurement) -> bool:
    """Whether a case was audited before, by other checks than those of this mark."""
    if before is None or not isinstance(before.value, dict) or not isinstance(mark.value, dict):
        return False
    return any(before.value.get(name) != mark.value.get(name) for name in ("checks", "edition"))


def _task(case: Case, protocol: Protocol, examination: Examination) -> AuditTask[Examination]:
    checks = list(checks_of_logic(protocol, case))
    about: dict[str, JsonValue] = {
        "checks": {check.name: check.version for check in checks},
        "edition": EDITION,
        "values": VALUES_VERSION,
        "questions": {check.name: protocol.concerns.get(check.name) for check in checks},
        "published": [list(row) for row in examination.published],
    }
    program = digest_of([examination.first.text, examination.second.text])
    asked = Measurement(case=case.digest, name=MARK, source="measured", program=program, value=about)
    return AuditTask(case, protocol, examination, asked)


def checks_of_logic(protocol: Protocol, case: Case) -> Iterator[Check]:
    """The checks of the oracle that apply to a case."""
    logic = protocol.logic()
    omitted = logic.not_asked(case) if logic else ()
    return (check for check in CHECKS if check.name not in omitted)


def _case_findings(task: AuditTask[Examination], evidence: Evidence, engine: str) -> CaseFindings:
    measured = tuple(measured_values(task.case.digest, evidence, engine))
    return CaseFindings(task.mark(engine), measured, findings_by_logic(task.case, task.protocol, evidence))


def findings_by_logic(case: Case, protocol: Protocol, evidence: Evidence) -> tuple[Finding, ...]:
    """The result of every check that applies to the case on its evidence."""
    return tuple(
        finding_of(check.ask(evidence), case.digest, protocol.concerns.get(check.name))
        for check in checks_of_logic(protocol, case)
    )


_SAMPLED = 24


@dataclass(slots=True)
class PlannedAudit:
    """Numbers of cases: whose programs will run, that rules will read, that are up to date, that have nothing
    to audit, and that were altered. ``sample`` are some of the first, drawn at random but always the same.
    """

    programs: int = 0
    rules: int = 0
    passed_over: int = 0
    unchecked: int = 0
    altered: int = 0
    sample: list[AuditTask[Examination]] = field(default_factory=list)


def planned_audit(
    database: Database,
    pages: Iterable[Sequence[Case]],
    runner: ProgramRunner,
    protocol: Protocol,
    *,
    again: bool,
) -> PlannedAudit:
    """What ``audit`` would do with the same arguments; runs no program of a case and writes nothing."""
    work, plan = DatasetAudit(database, Protocols(protocol), runner, again), PlannedAudit()
    chance = random.Random(0)  # noqa: S311  # a sample, no secret
    for cases in pages:
        logic, rules = work.planned(cases)
        plan.rules += len(rules)
        for task in work.wanted(logic):
            plan.programs += 1
            if len(plan.sample) < _SAMPLED:
                plan.sample.append(task)
            elif (place := chance.randrange(plan.programs)) < _SAMPLED:
                plan.sample[place] = task
    counts = work.counts
    plan.passed_over, plan.unchecked, plan.altered = counts.passed_over, counts.unchecked, len(counts.altered)
    return plan


def seconds_a_case(
    sample: Sequence[AuditTask[Examination]], runner: LocalRunner, processes: int
) -> float | None:
    """Seconds that a process of this machine takes for a case, from the sample; None for an empty one.

    The first cases are not counted, for with them the processes start. Nothing is written.
    """
    if not sample:
        return None
    for _ in runner.examine((None, task.plan) for task in sample[:processes]):
        pass
    started = time.monotonic()
    for _ in runner.examine((None, task.plan) for task in sample):
        pass
    return processes * (time.monotonic() - started) / len(sample)
