"""The checks of a dataset: compares texts, runs programs, judges cases, and saves as it goes.

Texts collide that are too similar, within a group or across groups.
"""

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from reviewer.core.check_result import CheckResult
from reviewer.core.number_text import all_digits, fixed
from reviewer.core.work_progress import NamedProgress
from reviewer.oracle import pool
from reviewer.oracle.oracle_program import Program
from reviewer.oracle.program_runner import EngineVersion, ProgramRunner, ProgramsRan
from reviewer.oracle.result import Result
from reviewer.protocols.base import CheckPlan, Protocol
from reviewer.protocols.registry import protocols_of
from reviewer.runs.check.case_rules import checks_asked, compared_values, judged_case, programs_of, rules_mark
from reviewer.runs.check_findings import (
    ACROSS,
    CASES_A_TRANSACTION,
    WITHIN,
    CasesSoFar,
    FindingsKeeper,
    finding_of,
)
from store.cases import Filter, get_dataset, list_places
from store.database import Database
from store.findings import (
    CHECK_MARK,
    CaseFindings,
    case_pages,
    count_cases,
    get_findings,
    marks_of,
    replace_findings,
)
from store.records import Case, Finding, Measurement, Membership

if TYPE_CHECKING:
    from reviewer.similarity.encoder import Vectors
    from reviewer.similarity.index_search import Recall
    from reviewer.similarity.near_texts import Collision
    from reviewer.similarity.text_vectors import Embeddings


ENCODING = "Encoding texts"

Placed = tuple[Membership, Case]
Near = tuple[float, Membership, Case]


@dataclass(frozen=True, slots=True)
class CollidingPairs:
    """Places (later, earlier) that hold different cases whose texts collide, with their cosine similarity.

    ``recall`` says how many of them an index found; None: every pair was compared.
    """

    pairs: tuple[tuple[int, int, float], ...] = ()
    recall: "Recall | None" = None


def colliding_pairs(
    placed: Sequence[Placed],
    plans: Mapping[str, CheckPlan],
    embeddings: "Embeddings",
    *,
    index: bool = False,
    progress: NamedProgress | None = None,
) -> CollidingPairs:
    """The places whose cases collide, of cases that each have a plan; by an index, or by comparing all."""
    texts = [plans[case.digest].distinct for _, case in placed]
    thresholds = [plans[case.digest].collides_at for _, case in placed]
    if not texts:
        return CollidingPairs()
    hits, recall = _collisions(embeddings, texts, min(thresholds), progress, index=index)
    different = (hit for hit in hits if placed[hit.new][1].digest != placed[hit.approved][1].digest)
    return CollidingPairs(
        tuple(
            (hit.new, hit.approved, hit.cosine)
            for hit in different
            if hit.cosine >= max(thresholds[hit.new], thresholds[hit.approved])
        ),
        recall,
    )


def _collisions(
    embeddings: "Embeddings",
    texts: Sequence[str],
    threshold: float,
    progress: NamedProgress | None,
    *,
    index: bool,
) -> "tuple[list[Collision], Recall | None]":
    # numpy takes a fifth of a second to load
    from reviewer.similarity.index_search import indexed_collisions
    from reviewer.similarity.near_texts import collisions_among

    encoding, comparing = (progress and partial(progress, doing) for doing in (ENCODING, "Comparing texts"))
    vectors = embeddings.of(texts, encoding)
    if index:
        return indexed_collisions(vectors, threshold, comparing)
    return collisions_among(vectors, threshold, progress=comparing), None


def collision_findings(
    placed: Sequence[Placed], plans: Mapping[str, CheckPlan], colliding: CollidingPairs
) -> list[Finding]:
    """Two findings for each case with a plan, from the collisions among the places of these cases."""
    near: dict[str, list[Near]] = {case.digest: [] for _, case in placed}
    for later, earlier, value in colliding.pairs:
        for one, other in ((later, earlier), (earlier, later)):
            near[placed[one][1].digest].append((value, *placed[other]))
    searched = colliding.recall.words if colliding.recall else ""
    cases = {case.digest: case for _, case in placed}
    return [
        finding_of(result, digest, None)
        for digest, case in cases.items()
        for result in _results(case, near[digest], plans[digest].collides_at, searched)
    ]


def _results(case: Case, near: Sequence[Near], collides_at: float, searched: str) -> Iterator[CheckResult]:
    for check, same in ((WITHIN, True), (ACROSS, False)):
        hits = [hit for hit in near if (hit[2].group == case.group) == same]
        yield _result(check, hits, collides_at, searched)


def _result(check: str, near: Sequence[Near], collides_at: float, searched: str) -> CheckResult:
    ranked = sorted(near, key=lambda hit: (-hit[0], hit[1].position))
    value = [
        {"dataset": place.dataset, "key": place.key, "case": other.digest, "cosine": all_digits(cosine)}
        for cosine, place, other in ranked
    ]
    why = " ".join(filter(None, (_why(ranked), searched)))
    return CheckResult(check, "failed" if ranked else "passed", value, collides_at, why, "doubtful")


def _why(ranked: Sequence[Near]) -> str:
    if not ranked:
        return ""
    value, place, _ = ranked[0]
    more = f" and {len(ranked) - 1} more" if len(ranked) > 1 else ""
    return f"{fixed(value, 3)} like {place.key}{more}."


MARK = CHECK_MARK


@dataclass(frozen=True, slots=True)
class CheckReport:
    """Numbers of cases: checked now, passed over because they are up to date, with nothing to check.

    ``colliding`` is the number of pairs of cases that are too similar. ``incomparable`` names the
    calibration goals that show that this engine counts steps differently from SWI-Prolog 9.2. ``recall`` says
    how many of these pairs an index found; None: all texts were compared.
    """

    model: str
    engine: str
    checked: int
    passed_over: int
    unchecked: int
    colliding: int
    incomparable: tuple[str, ...] = ()
    recall: "Recall | None" = None
    not_tested: tuple[tuple[str, str], ...] = ()
    """Digests of the cases that no worker could finish, and why; the next check tries them again."""


@dataclass(frozen=True, slots=True)
class CheckTask:
    """A case to be checked."""

    case: Case
    protocol: Protocol
    plan: CheckPlan
    programs: tuple[Program, ...]
    vectors: "Mapping[str, Vectors]" = field(default_factory=dict)
    """Those of the texts of its page."""

    @property
    def texts(self) -> Iterator[str]:
        """The texts of which the checks need vectors."""
        for comparison in self.plan.comparisons:
            if comparison.kind == "cosine":
                yield from comparison.texts
        if self.plan.distinct:
            yield self.plan.distinct

    def mark(self, model: str, engine: str) -> Measurement:
        """The mark of a check: that of rules alone if it needs neither programs nor a sentence model."""
        if not (self.plan.needs_vectors or self.programs):
            return rules_mark(MARK, self.protocol, self.case)
        return Measurement(
            case=self.case.digest,
            name=MARK,
            source="measured",
            engine=f"similarity {model}",
            value={"checks": checks_asked(self.protocol), "oracle": [engine, pool.RUN_VERSION]},
        )


@dataclass(frozen=True, slots=True)
class CheckNeeds:
    """Whether the checks of some datasets run programs, and whether a sentence model has to compare texts."""

    programs: bool
    vectors: bool


def check_needs(database: Database, datasets: Sequence[str]) -> CheckNeeds:
    """What must be available before these datasets are checked or compared."""
    protocols = protocols_of(database)
    programs = vectors = False
    for name in datasets:
        with database.read() as session:
            protocol = protocols.named(get_dataset(session, name).protocol)
        for cases in case_pages(database, name):
            for task in _tasks(protocol, cases):
                programs, vectors = programs or bool(task.programs), vectors or task.plan.needs_vectors
            if programs and vectors:
                return CheckNeeds(True, True)
    return CheckNeeds(programs, vectors)


def check(
    database: Database,
    dataset: str,
    embeddings: "Embeddings | None",
    runner: ProgramRunner | None,
    *,
    again: bool = False,
    index: bool = False,
    progress: NamedProgress | None = None,
) -> CheckReport:
    """Check the cases of a dataset one by one, then against each other; raises OracleMissing.

    ``embeddings`` and ``runner`` may be None if ``check_needs`` says that they are not needed. After an
    interruption, results so far stay and are passed over the next time. With ``index`` an index searches for
    cases that are too similar, which may miss some.
    """
    with database.read() as session:
        protocol = protocols_of(database).named(get_dataset(session, dataset).protocol)
        expected = count_cases(session, dataset, without_mark=None if again else MARK)
    work = _Check(database, dataset, protocol, embeddings, runner, again)
    if embeddings:
        step = progress and partial(progress, ENCODING)
        embeddings.prepare(work.texts(), step)
    counts = work.counts = CasesSoFar()

    def tell() -> None:
        if progress:
            progress("Checking cases", counts.done, max(counts.due, expected - counts.unchecked))

    work.run(tell)
    colliding = CollidingPairs()
    if embeddings:
        colliding = _keep_collisions(database, dataset, protocol, embeddings, index=index, progress=progress)
    return CheckReport(
        work.model,
        ", ".join(engine.name for engine in work.engines),
        counts.due - len(counts.not_tested),
        counts.passed_over,
        counts.unchecked,
        len(colliding.pairs),
        tuple(dict.fromkeys(goal for engine in work.engines for goal in engine.differing)),
        colliding.recall,
        tuple(counts.not_tested),
    )


class _Check:
    """One check under way: plans page by page, and saves as results come."""

    def __init__(
        self,
        database: Database,
        dataset: str,
        protocol: Protocol,
        embeddings: "Embeddings | None",
        runner: ProgramRunner | None,
        again: bool,
    ) -> None:
        self.counts = CasesSoFar()
        self.model = embeddings.model if embeddings else ""
        self.engines = runner.engines() if runner else ()
        self._database, self._dataset, self._protocol = database, dataset, protocol
        self._embeddings, self._runner, self._again = embeddings, runner, again

    def texts(self) -> Iterator[list[str]]:
        """The texts of each page whose vectors are needed."""
        for tasks in self._due():
            yield list(dict.fromkeys(text for task in tasks for text in task.texts))

    def run(self, tell: Callable[[], None]) -> None:
        """Check all cases; ``tell`` is called after each."""
        FindingsKeeper(self._database, self.counts, tell).keep_results(self._results(), self._judged)

    def _judged(self, task: CheckTask, results: tuple[Result, ...], engine: str) -> CaseFindings:
        values = compared_values(task.plan, task.vectors)
        return judged_case(task.protocol, task.case, task.mark(self.model, engine), values, results)

    def _results(self) -> Generator[ProgramsRan[CheckTask, tuple[Result, ...]], None, None]:
        """The results of the programs of each case that is due; of none where there is no runner."""
        if self._runner:
            return self._runner.run((task, task.programs) for task in self._prepared())
        return (ProgramsRan(task, (), EngineVersion("")) for task in self._prepared())

    def _prepared(self) -> Iterator[CheckTask]:
        """The cases that are due, each with the vectors of its page."""
        for tasks in self._due():
            vectors: dict[str, Vectors] = {}
            if self._embeddings:
                texts = list(dict.fromkeys(text for task in tasks for text in task.texts))
                vectors = dict(zip(texts, self._embeddings.of(texts), strict=True))
            yield from (replace(task, vectors=vectors) for task in tasks)

    def _due(self) -> Iterator[list[CheckTask]]:
        """The cases of each page that no engine here has checked before."""
        for cases in case_pages(self._database, self._dataset):
            tasks = _tasks(self._protocol, cases)
            with self._database.read() as session:
                known = marks_of(session, MARK, [task.case.digest for task in tasks])
            due = [task for task in tasks if self._again or not self._is_known(task, known)]
            self.counts.unchecked += len(cases) - len(tasks)
            self.counts.passed_over += len(tasks) - len(due)
            self.counts.due += len(due)
            yield due

    def _is_known(self, task: CheckTask, known: Mapping[str, Measurement]) -> bool:
        names = [engine.name for engine in self.engines] or [""]
        return any(known.get(task.case.digest) == task.mark(self.model, name) for name in names)


def _tasks(protocol: Protocol, cases: Iterable[Case]) -> list[CheckTask]:
    planned = ((case, protocol.check_plan(case)) for case in cases)
    return [CheckTask(case, protocol, plan, programs_of(protocol, case)) for case, plan in planned if plan]


def _keep_collisions(
    database: Database,
    dataset: str,
    protocol: Protocol,
    embeddings: "Embeddings",
    *,
    index: bool,
    progress: NamedProgress | None,
) -> CollidingPairs:
    """Compare the cases with each other."""
    with database.read() as session:
        placed = list_places(session, Filter(datasets=(dataset,)))
    planned = {case.digest: protocol.check_plan(case) for _, case in placed}
    plans = {digest: plan for digest, plan in planned.items() if plan and plan.distinct}
    distinct = [(place, case) for place, case in placed if case.digest in plans]
    colliding = colliding_pairs(distinct, plans, embeddings, index=index, progress=progress)
    _keep_new(database, collision_findings(distinct, plans, colliding))
    return colliding


def _keep_new(database: Database, found: Sequence[Finding]) -> None:
    """Write only the findings that differ from the stored ones."""
    with database.read() as session:
        known = get_findings(session, [finding.case for finding in found])
    new = [finding for finding in found if finding not in known[finding.case]]
    for start in range(0, len(new), CASES_A_TRANSACTION):
        replace_findings(database, new[start : start + CASES_A_TRANSACTION])
