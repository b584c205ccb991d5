"""``reviewer audit --dry-run``: what the audit would do, and an estimate from a few of its cases."""

import os
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from reviewer.cli.cluster_work import programs_on
from reviewer.cli.options import note, print_table
from reviewer.core.number_text import whole
from reviewer.core.sanitize import counted
from reviewer.options.cluster_options import ClusterOptions
from reviewer.options.shared import Format
from reviewer.oracle.doctor import check_up, without_jail
from reviewer.oracle.program_runner import ProgramRunner, local_runner
from reviewer.planning.estimate_table import estimate_table
from reviewer.planning.estimates import ASSUMED, Planner
from reviewer.planning.figures import MEASURED
from reviewer.protocols.base import Protocol
from reviewer.protocols.registry import protocols_of
from reviewer.runs.audit.dataset_audit import needs_logic
from reviewer.runs.audit.planned_audit import PlannedAudit, planned_audit, seconds_a_case
from store.database import Database
from store.findings import case_pages


def show_audit_plan(
    database: Database,
    dataset: str,
    protocol: Protocol,
    cluster: ClusterOptions,
    workers: int | None,
    form: Format,
    *,
    again: bool,
    accepted: bool,
) -> None:
    """Print the estimate as a table on stdout, and what it rests on on stderr."""
    pages = partial(case_pages, database, dataset)
    needed = needs_logic(protocols_of(database), pages())
    with programs_on(cluster, workers, needed=needed, accepted=accepted) as runner:
        plan = planned_audit(database, pages(), runner, protocol, again=again)
        elsewhere = _threads(runner) if cluster.cluster is not None else 0
    processes = workers or os.cpu_count() or 1
    measured = _measured(plan, processes, accepted)
    figures = MEASURED if measured is None else replace(MEASURED, program_seconds=measured)
    planner = Planner(figures, replace(ASSUMED, cores=processes))
    estimates = [planner.audit_here(plan.programs)]
    if elsewhere:
        estimates.insert(0, planner.audit_on_cluster(plan.programs, elsewhere))
    print_table(estimate_table(estimates, for_people=form == "table"), form)
    for words in _remarks(plan, measured):
        note(words)


def _threads(runner: ProgramRunner) -> int:
    """The threads of a cluster's workers; 0 for this machine."""
    from reviewer.cluster.cluster_runner import ClusterRunner  # loads numpy

    return runner.threads if isinstance(runner, ClusterRunner) else 0


def _measured(plan: PlannedAudit, processes: int, accepted: bool) -> float | None:
    """Seconds of a process of this machine for a case; None where no programs may run here."""
    if check_up().problem or (without_jail() and not accepted):
        return None
    with local_runner(processes) as runner:
        return seconds_a_case(plan.sample, runner, processes)


def _remarks(plan: PlannedAudit, measured: float | None) -> Iterator[str]:
    parts = [f"programs of {counted(plan.programs, 'case')} to run", f"{plan.passed_over:,} audited before"]
    if plan.rules:
        parts.append(f"{plan.rules:,} to check by rules, whose time is not estimated")
    if plan.unchecked:
        parts.append(f"{plan.unchecked:,} with nothing to audit")
    if plan.altered:
        parts.append(f"{plan.altered:,} changed outside this program, which are not audited")
    yield f"Cases: {'; '.join(parts)}."
    seconds = MEASURED.program_seconds if measured is None else measured
    each = f"{whole(1000 * seconds)} ms of one process for a case"
    if measured is not None:
        yield f"Time: {each}, measured here on {len(plan.sample)} of these."
    elif plan.programs:
        yield f"Time: {each}, the figure of the manual; no programs run on this machine."
    yield "`reviewer manual planning` says what else is assumed. Nothing was written."
