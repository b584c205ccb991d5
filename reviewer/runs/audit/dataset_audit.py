"""The audit: runs and checks the programs of every case that is not up to date, and saves as it goes."""

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass

from reviewer.core.progress import Progress
from reviewer.core.sanitize import counted
from reviewer.oracle.checks import CHECKS, EDITION
from reviewer.oracle.evidence import Evidence, Published
from reviewer.oracle.examination import Examination, examine
from reviewer.protocols.base import CheckPlan, Protocol
from reviewer.protocols.logic import AuditPlan
from reviewer.protocols.registry import Protocols, protocols_of
from reviewer.runs.audit.check_texts import audit_of, logic_plan
from reviewer.runs.audit.measurements import VALUES_VERSION, measured_values
from reviewer.runs.audit.rule_audit import keep_rules, rule_tasks
from reviewer.runs.findings import finding_of
from reviewer.runs.logic_engine import engine_here
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
    """A case to be audited; the mark records what is run on which content."""

    case: Case
    plan: AuditPlan
    examination: Examination
    mark: Measurement


def needs_logic(protocols: Protocols, cases: Iterable[Case]) -> bool:
    """Whether at least one of the cases has programs that an audit would run."""
    return any(logic_plan(protocols.named(case.protocol), case) for case in cases if case.is_whole)


def audit(
    database: Database,
    cases: Sequence[Case],
    executor: Executor,
    *,
    again: bool = False,
    progress: Progress | None = None,
    protocol: Protocol | None = None,
) -> AuditReport:
    """Audit the cases, by logic or by rules; raises OracleMissing if programs cannot run without SWI-Prolog.

    ``protocol`` is that of the cases' dataset; None: the newest one that the store has for each case.
    After an interruption, results so far stay and are passed over the next time. Cases whose content was
    altered are not run; the report names them.
    """
    protocols = Protocols(protocol) if protocol else protocols_of(database)
    altered = tuple(case.digest for case in cases if not case.is_whole)
    whole = [case for case in cases if case.digest not in altered]
    plans = [(case, audit_of(protocols.named(case.protocol), case)) for case in whole]
    logic = [(case, plan) for case, plan in plans if isinstance(plan, AuditPlan)]
    rules = [(case, plan) for case, plan in plans if isinstance(plan, CheckPlan)]
    engine, differing = engine_here() if logic else ("", ())
    tasks = _tasks(database, logic, engine)
    ruled = rule_tasks(protocols, rules, MARK)
    with database.read() as session:
        marks = [*(task.mark for task in tasks), *(task.mark for task in ruled)]
        known = marks_of(session, MARK, [mark.case for mark in marks])
    due = [task for task in tasks if again or known.get(task.mark.case) != task.mark]
    read = [task for task in ruled if again or known.get(task.mark.case) != task.mark]
    keep_rules(database, read, progress)
    _run(database, due, executor, progress)
    done, planned = len(due) + len(read), len(marks)
    now = (*(task.mark for task in due), *(task.mark for task in read))
    earlier = sum(_by_other_checks(known.get(mark.case), mark) for mark in now)
    return AuditReport(engine, done, planned - done, len(whole) - planned, differing, altered, earlier)


def _by_other_checks(before: Measurement | None, mark: Measurement) -> bool:
    """Whether a case was audited before, by other checks than those of this mark."""
    if before is None or not isinstance(before.value, dict):
        return False
    return any(before.value.get(name) != mark.value.get(name) for name in ("checks", "edition"))


def _run(
    database: Database, tasks: Sequence[AuditTask], executor: Executor, progress: Progress | None
) -> None:
    done: list[CaseFindings] = []
    from reviewer.oracle import pool  # loads where programs run; reports and releases only read audits

    evidences = pool.in_order(examine, (task.examination for task in tasks), executor)
    try:
        for number, (task, evidence) in enumerate(zip(tasks, evidences, strict=True), start=1):
            done.append(_case_findings(task, evidence))
            if len(done) >= _CASES_A_TRANSACTION:
                keep_case_findings(database, done)
                done = []
            if progress:
                progress(number, len(tasks))
    finally:
        evidences.close()
        keep_case_findings(database, done)


def _tasks(database: Database, planned: Sequence[tuple[Case, AuditPlan]], engine: str) -> list[AuditTask]:
    names = sorted({name for _, plan in planned for name in plan.published})
    with database.read() as session:
        values = published_values(session, [case.digest for case, _ in planned], names)
    return [_task(case, plan, values[case.digest], engine) for case, plan in planned]


def _task(case: Case, plan: AuditPlan, values: Sequence[Measurement], engine: str) -> AuditTask:
    published = tuple(published_triples(plan, values))
    examination = examination_of(plan, published)
    versions = {check.name: check.version for check in CHECKS if check.name in plan.checks}
    about = {
        "checks": versions,
        "edition": EDITION,
        "values": VALUES_VERSION,
        "questions": dict(plan.checks),
        "published": [list(row) for row in published],
    }
    mark = Measurement(
        case=case.digest,
        name=MARK,
        source="measured",
        engine=engine,
        program=digest_of([plan.first.program.text, plan.second.program.text]),
        value=about,
    )
    return AuditTask(case, plan, examination, mark)


def examination_of(plan: AuditPlan, published: tuple[Published, ...] = ()) -> Examination:
    """What is run for a case with this plan and these published values."""
    return Examination(
        plan.first.program,
        plan.second.program,
        plan.options,
        plan.decision,
        published,
        (plan.first.variant, plan.second.variant),
    )


def published_triples(plan: AuditPlan, values: Sequence[Measurement]) -> Iterator[Published]:
    """Choice, inference steps and choice steps of each place that has all three; equal triples once."""
    places: dict[tuple[str, str], dict[str, JsonValue]] = {}
    for value in values:
        places.setdefault((value.dataset, value.key), {})[value.name] = value.value
    whole = (
        found for found in places.values() if all(found.get(name) is not None for name in plan.published)
    )
    choice, inferences, choices = plan.published
    yield from dict.fromkeys(
        (str(found[choice]), int(found[inferences]), int(found[choices])) for found in whole
    )


def _case_findings(task: AuditTask, evidence: Evidence) -> CaseFindings:
    return CaseFindings(
        task.mark,
        tuple(measured_values(task.case.digest, task.plan, evidence, task.mark.engine)),
        findings_by_logic(task.case, task.plan, evidence),
    )


def findings_by_logic(case: Case, plan: AuditPlan, evidence: Evidence) -> tuple[Finding, ...]:
    """The result of every check of the plan on the evidence of the case."""
    questions = plan.checks
    asked = (check for check in CHECKS if check.name in questions)
    return tuple(finding_of(check.ask(evidence), case.digest, questions[check.name]) for check in asked)
