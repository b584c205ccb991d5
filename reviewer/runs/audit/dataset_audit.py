"""The audit: runs and checks the programs of every case that is not up to date, and saves as it goes."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from reviewer.core.progress import Progress
from reviewer.core.sanitize import counted
from reviewer.oracle.checks import CHECKS, EDITION, Check
from reviewer.oracle.evidence import Evidence
from reviewer.oracle.examination import Examination
from reviewer.oracle.program_runner import EngineVersion, ProgramRunner
from reviewer.protocols.base import CheckPlan, Protocol
from reviewer.protocols.registry import Protocols, protocols_of
from reviewer.runs.audit.check_texts import audit_of, examination_of
from reviewer.runs.audit.measurements import VALUES_VERSION, measured_values
from reviewer.runs.audit.rule_audit import RuleTask, keep_rules, rule_tasks
from reviewer.runs.findings import finding_of
from store.database import Database
from store.findings import AUDIT_MARK, CaseFindings, keep_case_findings, marks_of, published_values
from store.records import Case, Finding, JsonValue, Measurement, digest_of

MARK = AUDIT_MARK
# Few enough that a rater's key hardly waits for the write lock, and that an interruption loses little.
_CASES_A_TRANSACTION = 10
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
    """Digests of the cases that no worker could finish, and why; the next audit tries them again."""

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
class AuditTask:
    """A case to be audited, and what the mark records as run on which content."""

    case: Case
    protocol: Protocol
    examination: Examination
    program: str
    about: dict[str, JsonValue]

    def mark(self, engine: str) -> Measurement:
        """The mark of an audit on an engine."""
        return Measurement(
            case=self.case.digest,
            name=MARK,
            source="measured",
            engine=engine,
            program=self.program,
            value=self.about,
        )


@dataclass(slots=True)
class _Counts:
    """What became of the cases so far; ``due`` are to be audited, ``done`` of them were."""

    due: int = 0
    done: int = 0
    passed_over: int = 0
    unchecked: int = 0
    earlier: int = 0
    engines: tuple[EngineVersion, ...] = ()
    altered: list[str] = field(default_factory=list)
    not_tested: list[tuple[str, str]] = field(default_factory=list)


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
    found: Callable[[Sequence[Finding]], None] | None = None,
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
    work = DatasetAudit(
        database, Protocols(protocol) if protocol else protocols_of(database), runner, again, found
    )
    counts = work.counts

    def tell() -> None:
        if progress:
            progress(counts.done, max(counts.due, expected - counts.unchecked))

    work.run(pages, tell)
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
        found: Callable[[Sequence[Finding]], None] | None = None,
    ) -> None:
        self.counts = _Counts()
        self._database = database
        self._protocols = protocols
        self._runner = runner
        self._again = again
        self._found = found or (lambda findings: None)

    def run(self, pages: Iterable[Sequence[Case]], tell: Callable[[], None]) -> None:
        """Audit all cases; ``tell`` is called after each."""
        kept: list[CaseFindings] = []
        results = self._runner.examine((task, task.examination) for task in self._due(pages, tell))
        try:
            for ran in results:
                if ran.result is None:
                    self.counts.not_tested.append((ran.about.case.digest, ran.not_tested))
                else:
                    kept.append(_case_findings(ran.about, ran.result, ran.engine.name))
                    self._found(kept[-1].findings)
                if len(kept) >= _CASES_A_TRANSACTION:
                    keep_case_findings(self._database, kept)
                    kept = []
                self.counts.done += 1
                tell()
        finally:
            results.close()
            keep_case_findings(self._database, kept)

    def _due(self, pages: Iterable[Sequence[Case]], tell: Callable[[], None]) -> Iterator[AuditTask]:
        """The cases with programs that are not up to date; those that rules read are checked on the way."""
        for cases in pages:
            logic, rules = self.planned(cases)
            due = self.wanted(logic)
            self.counts.due += len(due) + len(rules)
            self._keep_rules(rules, tell)
            yield from due

    def planned(self, cases: Sequence[Case]) -> tuple[list[AuditTask], list[RuleTask]]:
        """The tasks of a page by logic, and those of its rules that are not up to date."""
        counts = self.counts
        counts.altered += [case.digest for case in cases if not case.is_whole]
        whole = [case for case in cases if case.is_whole]
        plans = [(case, audit_of(self._protocols.named(case.protocol), case)) for case in whole]
        logic = [(case, plan) for case, plan in plans if isinstance(plan, Examination)]
        rules = [(case, plan) for case, plan in plans if isinstance(plan, CheckPlan)]
        counts.unchecked += len(whole) - len(logic) - len(rules)
        return list(self._tasks(logic)), self._rules_due(rule_tasks(self._protocols, rules, MARK))

    def _tasks(self, planned: Sequence[tuple[Case, Examination]]) -> Iterator[AuditTask]:
        owners = {case.protocol: self._protocols.named(case.protocol) for case, _ in planned}
        logics = {name: logic for name, owner in owners.items() if (logic := owner.logic())}
        names = sorted({name for logic in logics.values() for name in logic.published})
        with self._database.read() as session:
            values = published_values(session, [case.digest for case, _ in planned], names)
        for case, examination in planned:
            published = logics[case.protocol].published_in(values[case.digest])
            yield _task(case, owners[case.protocol], replace(examination, published=published))

    def wanted(self, tasks: Sequence[AuditTask]) -> list[AuditTask]:
        """The tasks that no engine here has done before."""
        if not tasks:
            return []
        self.counts.engines = self._runner.engines()
        names = {engine.name for engine in self.counts.engines}
        known = self._known(task.case.digest for task in tasks)
        due: list[AuditTask] = []
        for task in tasks:
            before = known.get(task.case.digest)
            engine = before.engine if before and before.engine in names else next(iter(names))
            if self._is_due(before, task.mark(engine)):
                due.append(task)
        return due

    def _rules_due(self, tasks: Sequence[RuleTask]) -> list[RuleTask]:
        known = self._known(task.mark.case for task in tasks)
        return [task for task in tasks if self._is_due(known.get(task.mark.case), task.mark)]

    def _known(self, digests: Iterable[str]) -> Mapping[str, Measurement]:
        with self._database.read() as session:
            return marks_of(session, MARK, list(digests))

    def _is_due(self, before: Measurement | None, mark: Measurement) -> bool:
        if not self._again and before == mark:
            self.counts.passed_over += 1
            return False
        self.counts.earlier += _by_other_checks(before, mark)
        return True

    def _keep_rules(self, tasks: Sequence[RuleTask], tell: Callable[[], None]) -> None:
        before = self.counts.done

        def step(done: int, _total: int) -> None:
            for task in tasks[self.counts.done - before : done]:
                self._found(task.case_findings.findings)
            self.counts.done = before + done
            tell()

        keep_rules(self._database, tasks, step)


def _by_other_checks(before: Measurement | None, mark: Measurement) -> bool:
    """Whether a case was audited before, by other checks than those of this mark."""
    if before is None or not isinstance(before.value, dict) or not isinstance(mark.value, dict):
        return False
    return any(before.value.get(name) != mark.value.get(name) for name in ("checks", "edition"))


def _task(case: Case, protocol: Protocol, examination: Examination) -> AuditTask:
    asked = list(checks_of_logic(protocol, case))
    about: dict[str, JsonValue] = {
        "checks": {check.name: check.version for check in asked},
        "edition": EDITION,
        "values": VALUES_VERSION,
        "questions": {check.name: protocol.concerns.get(check.name) for check in asked},
        "published": [list(row) for row in examination.published],
    }
    program = digest_of([examination.first.text, examination.second.text])
    return AuditTask(case, protocol, examination, program, about)


def checks_of_logic(protocol: Protocol, case: Case) -> Iterator[Check]:
    """The checks of the oracle that apply to a case."""
    logic = protocol.logic()
    omitted = logic.not_asked(case) if logic else ()
    return (check for check in CHECKS if check.name not in omitted)


def _case_findings(task: AuditTask, evidence: Evidence, engine: str) -> CaseFindings:
    return CaseFindings(
        task.mark(engine),
        tuple(measured_values(task.case.digest, evidence, engine)),
        findings_by_logic(task.case, task.protocol, evidence),
    )


def findings_by_logic(case: Case, protocol: Protocol, evidence: Evidence) -> tuple[Finding, ...]:
    """The result of every check that applies to the case on its evidence."""
    return tuple(
        finding_of(check.ask(evidence), case.digest, protocol.concerns.get(check.name))
        for check in checks_of_logic(protocol, case)
    )
