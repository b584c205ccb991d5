"""All runs of a store, and how far each is."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from reviewer.core.errors import RequestError
from reviewer.core.sanitize import one_line
from reviewer.core.table import Cell, Table
from reviewer.protocols.repairs import PROPOSED
from reviewer.runs.case_values import kept_values
from reviewer.runs.discovery.discovery_progress import kept_discovery
from reviewer.runs.engine.run_progress import RunProgress
from reviewer.runs.evaluation.evaluation_progress import kept_evaluation
from reviewer.runs.generation.generation_progress import kept_generation
from store.calls import KeptCalls
from store.database import Database
from store.evaluations import Evaluations
from store.records import REPAIR, Run, RunRole
from store.runs import find_run, list_runs, roles_of

_COLUMNS = ("run", "protocol", "procedure", "models", "state", "kept", "calls", "cost", "unpriced", "remark")
_KEPT = {"generate": kept_generation, "discover": kept_discovery}


@dataclass(frozen=True, slots=True)
class RunSummary:
    """A run with the models of its roles, the number of cases that it began with, its progress and calls."""

    run: Run
    roles: Sequence[RunRole]
    cases: int
    progress: RunProgress
    calls: KeptCalls

    @property
    def is_finished(self) -> bool:
        """Whether it is at its end, which shows in the outcomes of an evaluation."""
        return self.progress.is_finished if self.run.keeps_outcomes else self.run.state == "finished"

    @property
    def row(self) -> tuple[Cell, ...]:
        """The run as a row of the table of runs."""
        run, calls = self.run, self.calls
        models = ", ".join(f"{role.role} {role.model}" for role in self.roles)
        state = "finished" if self.is_finished else "open"
        done = (state, self.progress.kept, calls.calls, calls.cost, calls.unpriced)
        return (run.name, run.protocol, run.procedure, models, *done, run.why)


def run_summaries(database: Database, before: Mapping[str, RunSummary] | None = None) -> Iterator[RunSummary]:
    """All runs by name. ``before`` has them as they were: what has not moved on is not counted again."""
    with database.read() as session:
        runs = list_runs(session)
        roles = {name: list(some) for name, some in groupby(roles_of(session), lambda role: role.run)}
    for run in runs:
        yield _summary(database, run, roles.get(run.name, []), (before or {}).get(run.name))


def runs_table(runs: Iterable[RunSummary]) -> Table:
    """One row for each run."""
    return Table.of(_COLUMNS, [summary.row for summary in runs])


def case_making_run(database: Database, name: str) -> Run:
    """The run of this name that makes cases; raises RequestError."""
    with database.read() as session:
        run = find_run(session, name)
    if run is None or run.keeps_outcomes:
        raise RequestError(f"run {one_line(name)!r} is not in the store; see `reviewer funnel`.")
    return run


def _summary(database: Database, run: Run, roles: Sequence[RunRole], before: RunSummary | None) -> RunSummary:
    if run.keeps_outcomes:
        evaluations = Evaluations(database)
        cases = before.cases if before else len(evaluations.sample(run.name))
        progress = kept_evaluation(evaluations, run, cases)
        if run.procedure == REPAIR:
            progress = _with_refusals(evaluations, run, progress)
        if before is not None and before.progress == progress:
            return before
        return RunSummary(run, roles, cases, progress, evaluations.calls(run.name))
    if before is not None and before.run == run:
        return before
    progress = _KEPT.get(run.procedure, kept_values)(database, run)
    calls = KeptCalls(run.calls, run.cost, run.unpriced)
    return RunSummary(run, roles, sum(map(len, run.seeds.values())), progress, calls)


def _with_refusals(evaluations: Evaluations, run: Run, progress: RunProgress) -> RunProgress:
    """The progress that keeps replies with a proposal that can be tried, and counts others by their fault."""
    labels = (label for *_, label in evaluations.coded(run.name))
    refused = Counter(label for label in labels if label is not None and label != PROPOSED)
    return replace(progress, kept=progress.kept - refused.total(), discarded=refused)
