"""The machine checks over a dataset: texts compared, programs run, cases judged; written as it goes."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass

from reviewer.oracle import pool
from reviewer.oracle.result import Result
from reviewer.protocols.base import CheckPlan, Comparison, Protocol
from reviewer.protocols.registry import Protocols, protocols_of
from reviewer.runs.check.collisions import collision_findings
from reviewer.similarity.collisions import cosine
from reviewer.similarity.edit_distance import levenshtein_similarity
from reviewer.similarity.embeddings import Embeddings
from reviewer.similarity.encoder import Vectors
from store.cases import Filter, list_places
from store.database import Database
from store.findings import CaseFindings, get_findings, keep_outcomes, marks_of, replace_findings
from store.records import Case, Finding, Measurement

MARK = "check"
# Few enough that a rater's key, which waits for the write lock, does not notice, and little is lost.
_CASES_A_TRANSACTION = 10

Progress = Callable[[str, int, int], None]
"""Called with (what is being done, done, total)."""


@dataclass(frozen=True, slots=True)
class CheckReport:
    """What was done, in cases: checked now, passed over as nothing is new, without anything to check.

    ``colliding`` is the number of pairs of cases that are too like each other; ``incomparable`` are the
    calibration goals that say that this engine's steps cannot be given as SWI-Prolog 9.2 counts them.
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
    """A case that is to be checked, with the mark that tells by what."""

    case: Case
    protocol: Protocol
    plan: CheckPlan
    mark: Measurement


def check(
    database: Database,
    dataset: str,
    embeddings: Embeddings,
    executor: Executor,
    *,
    again: bool = False,
    progress: Progress | None = None,
) -> CheckReport:
    """Check the cases of a dataset one by one, then against each other; raises OracleMissing.

    What is done when this is interrupted stays, and is passed over the next time.
    """
    version, calibration = pool.calibration()
    engine = f"swipl {version}"
    with database.read() as session:
        placed = list_places(session, Filter(datasets=(dataset,)))
    cases = {case.digest: case for _, case in placed}
    tasks = _tasks(protocols_of(database), cases.values(), embeddings.model, engine)
    with database.read() as session:
        known = marks_of(session, MARK, [task.case.digest for task in tasks])
    due = [task for task in tasks if again or known.get(task.case.digest) != task.mark]
    _run(database, due, _vectors(embeddings, due, progress), executor, progress)
    plans = {task.case.digest: task.plan for task in tasks}
    found, colliding = collision_findings(placed, plans, embeddings)
    _keep_new(database, found)
    passed_over, unchecked = len(tasks) - len(due), len(cases) - len(tasks)
    return CheckReport(
        embeddings.model, engine, len(due), passed_over, unchecked, colliding, calibration.differing
    )


def _tasks(protocols: Protocols, cases: Iterable[Case], model: str, engine: str) -> list[CheckTask]:
    named = ((case, protocols.named(case.protocol)) for case in cases)
    planned = ((case, protocol, protocol.check_plan(case)) for case, protocol in named)
    return [CheckTask(case, p, plan, _mark(case, p, model, engine)) for case, p, plan in planned if plan]


def _mark(case: Case, protocol: Protocol, model: str, engine: str) -> Measurement:
    about = {name: [each.version, each.question] for name, each in protocol.machine_checks.items()}
    return Measurement(
        case=case.digest,
        name=MARK,
        source="measured",
        engine=f"similarity {model}",
        value={"checks": about, "oracle": [engine, pool.RUN_VERSION]},
    )


def _vectors(
    embeddings: Embeddings, tasks: Sequence[CheckTask], progress: Progress | None
) -> dict[str, Vectors]:
    """The vectors of every text that is compared or has to be distinct, by text."""
    compared = (text for task in tasks for each in _cosines(task.plan) for text in each.texts)
    texts = list(dict.fromkeys([*compared, *(task.plan.distinct for task in tasks)]))
    step = None if progress is None else lambda done, total: progress("Encoding texts", done, total)
    return dict(zip(texts, embeddings.of(texts, step), strict=True))


def _cosines(plan: CheckPlan) -> list[Comparison]:
    return [comparison for comparison in plan.comparisons if comparison.kind == "cosine"]


def _run(
    database: Database,
    tasks: Sequence[CheckTask],
    vectors: Mapping[str, Vectors],
    executor: Executor,
    progress: Progress | None,
) -> None:
    done: list[CaseFindings] = []
    results = pool.in_order(pool.run_case, (task.plan.programs for task in tasks), executor)
    try:
        for number, (task, ran) in enumerate(zip(tasks, results, strict=True), start=1):
            done.append(_outcome(task, _values(task.plan, vectors), ran))
            if len(done) >= _CASES_A_TRANSACTION:
                keep_outcomes(database, done)
                done = []
            if progress:
                progress("Checking cases", number, len(tasks))
    finally:
        results.close()
        keep_outcomes(database, done)


def _values(plan: CheckPlan, vectors: Mapping[str, Vectors]) -> dict[str, float]:
    values = {}
    for comparison in plan.comparisons:
        first, second = comparison.texts
        if comparison.kind == "cosine":
            values[comparison.measure] = cosine(vectors[first], vectors[second])
        else:
            values[comparison.measure] = levenshtein_similarity(first, second)
    return values


def _outcome(task: CheckTask, values: Mapping[str, float], results: Sequence[Result]) -> CaseFindings:
    mark, checks = task.mark, task.protocol.machine_checks
    measured = tuple(
        Measurement(case=mark.case, name=name, source="measured", engine=mark.engine, value=value)
        for name, value in values.items()
    )
    findings = tuple(
        Finding(
            case=mark.case,
            check=judged.check,
            check_version=checks[judged.check].version,
            passed=judged.passed,
            severity=checks[judged.check].severity,
            value=judged.value,
            threshold=judged.threshold,
            why=judged.why,
            question=checks[judged.check].question,
            tested=judged.tested,
        )
        for judged in task.protocol.judge(task.case, values, results)
    )
    unasked = checks.keys() - {finding.check for finding in findings}
    return CaseFindings(mark, measured, findings, tuple(sorted(unasked)))


def _keep_new(database: Database, found: Sequence[Finding]) -> None:
    """Write only the findings that say something new."""
    with database.read() as session:
        known = get_findings(session, [finding.case for finding in found])
    new = [finding for finding in found if finding not in known[finding.case]]
    for start in range(0, len(new), _CASES_A_TRANSACTION):
        replace_findings(database, new[start : start + _CASES_A_TRANSACTION])
