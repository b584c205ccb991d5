"""The checks of a dataset: compares texts, runs programs, judges cases, and saves as it goes."""

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass

from reviewer.core.progress import NamedProgress
from reviewer.oracle import pool
from reviewer.oracle.program import Program
from reviewer.protocols.base import CheckPlan, Comparison, Protocol
from reviewer.protocols.registry import protocols_of
from reviewer.runs.check.case_rules import checks_asked, compared_values, judged_case, programs_of, rules_mark
from reviewer.runs.check.collisions import collision_findings
from reviewer.runs.logic_engine import engine_here
from reviewer.similarity.embeddings import Embeddings
from reviewer.similarity.encoder import Vectors
from store.cases import Filter, get_dataset, list_places
from store.database import Database
from store.findings import (
    CHECK_MARK,
    CaseFindings,
    cases_in,
    get_findings,
    keep_case_findings,
    marks_of,
    replace_findings,
)
from store.records import Case, Finding, Measurement

MARK = CHECK_MARK
# Few enough that a rater's key hardly waits for the write lock, and that an interruption loses little.
_CASES_A_TRANSACTION = 10


@dataclass(frozen=True, slots=True)
class CheckReport:
    """Numbers of cases: checked now, passed over because they are up to date, with nothing to check.

    ``colliding`` is the number of pairs of cases that are too similar. ``incomparable`` names the
    calibration goals that show that this engine counts steps differently from SWI-Prolog 9.2.
    """

    model: str
    engine: str
    checked: int
    passed_over: int
    unchecked: int
    colliding: int
    incomparable: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CheckTask:
    """A case to be checked; the mark records by what."""

    case: Case
    protocol: Protocol
    plan: CheckPlan
    programs: tuple[Program, ...]
    mark: Measurement


@dataclass(frozen=True, slots=True)
class CheckNeeds:
    """Whether the checks of some datasets run programs, and whether a sentence model has to compare texts."""

    programs: bool
    vectors: bool


def check_needs(database: Database, datasets: Sequence[str]) -> CheckNeeds:
    """What must be available before these datasets are checked or compared."""
    protocols = protocols_of(database)
    tasks: list[CheckTask] = []
    for name in datasets:
        with database.read() as session:
            protocol = protocols.named(get_dataset(session, name).protocol)
            tasks += _tasks(protocol, cases_in(session, name), "", "")
    return CheckNeeds(any(task.programs for task in tasks), any(task.plan.needs_vectors for task in tasks))


def check(
    database: Database,
    dataset: str,
    embeddings: Embeddings | None,
    executor: Executor | None,
    *,
    again: bool = False,
    progress: NamedProgress | None = None,
) -> CheckReport:
    """Check the cases of a dataset one by one, then against each other; raises OracleMissing.

    ``embeddings`` and ``executor`` may be None if ``check_needs`` says that they are not needed. After an
    interruption, results so far stay and are passed over the next time.
    """
    engine, differing = engine_here() if executor else ("", ())
    model = embeddings.model if embeddings else ""
    with database.read() as session:
        protocol = protocols_of(database).named(get_dataset(session, dataset).protocol)
        placed = list_places(session, Filter(datasets=(dataset,)))
    cases = {case.digest: case for _, case in placed}
    tasks = _tasks(protocol, cases.values(), model, engine)
    with database.read() as session:
        known = marks_of(session, MARK, [task.case.digest for task in tasks])
    due = [task for task in tasks if again or known.get(task.case.digest) != task.mark]
    vectors = _vectors(embeddings, due, progress) if embeddings else {}
    _run(database, due, vectors, executor, progress)
    plans = {task.case.digest: task.plan for task in tasks if task.plan.distinct}
    found, colliding = collision_findings(placed, plans, embeddings) if embeddings else ([], 0)
    _keep_new(database, found)
    passed_over, unchecked = len(tasks) - len(due), len(cases) - len(tasks)
    return CheckReport(model, engine, len(due), passed_over, unchecked, colliding, differing)


def _tasks(protocol: Protocol, cases: Iterable[Case], model: str, engine: str) -> list[CheckTask]:
    planned = ((case, protocol.check_plan(case)) for case in cases)
    return [_task(case, protocol, plan, model, engine) for case, plan in planned if plan]


def _task(case: Case, protocol: Protocol, plan: CheckPlan, model: str, engine: str) -> CheckTask:
    """A case with its mark: that of rules alone if its checks need neither programs nor a sentence model."""
    programs = programs_of(protocol, case)
    needs_nothing = plan.reads_only and not programs
    mark = rules_mark(MARK, protocol, case) if needs_nothing else _mark(case, protocol, model, engine)
    return CheckTask(case, protocol, plan, programs, mark)


def _mark(case: Case, protocol: Protocol, model: str, engine: str) -> Measurement:
    return Measurement(
        case=case.digest,
        name=MARK,
        source="measured",
        engine=f"similarity {model}",
        value={"checks": checks_asked(protocol), "oracle": [engine, pool.RUN_VERSION]},
    )


def _vectors(
    embeddings: Embeddings, tasks: Sequence[CheckTask], progress: NamedProgress | None
) -> dict[str, Vectors]:
    """The vector of every text that is compared or must be distinct, by text."""
    compared = (text for task in tasks for comparison in _cosines(task.plan) for text in comparison.texts)
    distinct = (task.plan.distinct for task in tasks if task.plan.distinct)
    texts = list(dict.fromkeys([*compared, *distinct]))
    step = None if progress is None else lambda done, total: progress("Encoding texts", done, total)
    return dict(zip(texts, embeddings.of(texts, step), strict=True))


def _cosines(plan: CheckPlan) -> list[Comparison]:
    return [comparison for comparison in plan.comparisons if comparison.kind == "cosine"]


def _run(
    database: Database,
    tasks: Sequence[CheckTask],
    vectors: Mapping[str, Vectors],
    executor: Executor | None,
    progress: NamedProgress | None,
) -> None:
    done: list[CaseFindings] = []
    programs = (task.programs for task in tasks)
    results = pool.in_order(pool.run_case, programs, executor) if executor else (() for _ in tasks)
    try:
        for number, (task, ran) in enumerate(zip(tasks, results, strict=True), start=1):
            values = compared_values(task.plan, vectors)
            done.append(judged_case(task.protocol, task.case, task.mark, values, ran))
            if len(done) >= _CASES_A_TRANSACTION:
                keep_case_findings(database, done)
                done = []
            if progress:
                progress("Checking cases", number, len(tasks))
    finally:
        results.close()
        keep_case_findings(database, done)


def _keep_new(database: Database, found: Sequence[Finding]) -> None:
    """Write only the findings that differ from the stored ones."""
    with database.read() as session:
        known = get_findings(session, [finding.case for finding in found])
    new = [finding for finding in found if finding not in known[finding.case]]
    for start in range(0, len(new), _CASES_A_TRANSACTION):
        replace_findings(database, new[start : start + _CASES_A_TRANSACTION])
