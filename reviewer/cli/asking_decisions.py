"""``check --decisions``: what models decide on a dataset's cases, beside what logic does."""

import asyncio
from collections.abc import Sequence

import click

from reviewer.cli.interrupting import stop_on_interrupt
from reviewer.cli.model_options import ModelOptions
from reviewer.cli.options import note
from reviewer.cli.progress import Advance, progress_bars
from reviewer.core.sanitize import agreeing, counted
from reviewer.core.table import Table
from reviewer.oracle.pool import open_executor
from reviewer.protocols.altered_case import check_whole
from store.database import Database
from store.findings import cases_in
from store.records import Case


def decided_by(
    database: Database, dataset: str, deciders: Sequence[str], models: ModelOptions, workers: int | None
) -> Table:
    """The agreement of these models; what is answered is kept, so that nothing is asked twice."""
    from reviewer.runs.check.model_decisions import ModelDecisions, decision_table, logic_decides

    with database.read() as session:
        cases = cases_in(session, dataset)
    for case in cases:
        check_whole(case)
    wanted = list(dict.fromkeys(deciders))
    with progress_bars() as progress, open_executor(workers) as executor:
        logic = logic_decides(cases, executor)
        by_model = asyncio.run(_asked(database, cases, wanted, models, progress))
    undecided = sum(option is None for option in logic.values())
    unread = sum(each is None for found in by_model.values() for runs in found.values() for each in runs)
    note(
        f"{counted(len(cases), 'case')}, {undecided} that logic does not decide; "
        f"{unread} {agreeing(unread, 'reply names', 'replies name')} no decision."
    )
    return decision_table(ModelDecisions(by_model, logic))


async def _asked(
    database: Database,
    cases: Sequence[Case],
    wanted: Sequence[str],
    models: ModelOptions,
    progress: Advance | None,
) -> dict[str, dict[str, tuple[str | None, ...]]]:
    from reviewer.llm.errors import Stopped
    from reviewer.runs.check.model_decisions import ask_decisions

    async with models.door(database) as door:
        stop_on_interrupt(door)
        try:
            return await ask_decisions(door, cases, wanted, progress)
        except Stopped:
            note("Stopped; what was answered is kept, and the same command carries on.")
            raise click.Abort from None
