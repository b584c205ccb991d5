"""What an audit will do: how many cases, and how long a sample of them takes on this machine."""

import random
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from reviewer.oracle.program_runner import LocalRunner, ProgramRunner
from reviewer.protocols.base import Protocol
from reviewer.protocols.registry import Protocols
from reviewer.runs.audit.dataset_audit import AuditTask, DatasetAudit
from store.database import Database
from store.records import Case

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
    sample: list[AuditTask] = field(default_factory=list)


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


def seconds_a_case(sample: Sequence[AuditTask], runner: LocalRunner, processes: int) -> float | None:
    """Seconds that a process of this machine takes for a case, from the sample; None for an empty one.

    The first cases are not counted, for with them the processes start. Nothing is written.
    """
    if not sample:
        return None
    for _ in runner.examine((None, task.examination) for task in sample[:processes]):
        pass
    started = time.monotonic()
    for _ in runner.examine((None, task.examination) for task in sample):
        pass
    return processes * (time.monotonic() - started) / len(sample)
