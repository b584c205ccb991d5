"""``reviewer check``: the filters of generation applied to a dataset that exists; the decisions of models."""

import asyncio
from collections.abc import Sequence

import click

from reviewer.cli.cluster_work import check_work_on, not_tested_words, note_recall, programs_on
from reviewer.cli.findings import (
    check_severity,
    dataset_with_findings,
    note_untested,
    print_dataset_findings,
    print_findings,
)
from reviewer.cli.printing import Advance, note, print_table, progress_bars
from reviewer.cli.signals import stop_on_interrupt
from reviewer.core.number_text import significant
from reviewer.core.sanitize import agreeing, counted
from reviewer.core.table import Cell, Table
from reviewer.options.checks import CheckOptions
from reviewer.options.model_options import ModelOptions
from reviewer.oracle.program_runner import ProgramRunner
from reviewer.protocols.altered_case import check_whole
from reviewer.protocols.base import Protocol
from reviewer.protocols.registry import protocols_of
from reviewer.runs.check.dataset_check import CheckReport, check, check_needs
from reviewer.runs.check.published_comparison import Difference, PublishedComparison, compare_with_published
from reviewer.runs.check_findings import COLLISIONS
from store.calls import StoredCalls
from store.database import Database
from store.findings import cases_in, failed_findings, untested_findings
from store.records import Case, JsonValue


def check_command(options: CheckOptions) -> None:
    """``reviewer check``: the filters of generation applied to a dataset, or the decisions of models."""
    if options.published and (
        options.checks or options.severities or options.whole_dataset or options.values
    ):
        raise click.UsageError(
            "--published lists published values: leave out --check, --severity, --whole-dataset and --values."
        )
    database, protocol = dataset_with_findings(options)
    if options.whole_dataset or options.values:
        print_dataset_findings(database, options)
        check_severity(database, options, None)
    elif options.deciders:
        _print_decisions(database, options)
    else:
        report = _checked(database, options)
        if options.published:
            _print_differences(database, options)
        else:
            _print_findings(database, protocol, options)
        _remark(report)
        check_severity(database, options, _checks(protocol, options))


def _print_decisions(database: Database, options: CheckOptions) -> None:
    needed = check_needs(database, [options.dataset]).programs
    with programs_on(options.cluster, options.workers, needed=needed, accepted=options.accepted) as runner:
        table = decided_by(database, options.dataset, options.deciders, options.models, runner)
        print_table(table, options.form)


def _checked(database: Database, options: CheckOptions) -> CheckReport:
    needs = check_needs(database, [options.dataset])
    work = check_work_on(
        options.cluster, options.workers, needs, database, options.model, accepted=options.accepted
    )
    with work as (runner, embeddings), progress_bars() as progress:
        return check(
            database,
            options.dataset,
            embeddings,
            runner,
            again=options.again,
            index=options.index,
            progress=progress,
        )


def _print_findings(database: Database, protocol: Protocol, options: CheckOptions) -> None:
    if options.form == "table":
        print_dataset_findings(database, options)
    names = _checks(protocol, options)
    with database.read() as session:
        findings = failed_findings(session, options.dataset, names, options.severities)
        untested = untested_findings(session, options.dataset, names)
    print_findings(findings, options.form)
    note_untested(untested)


def _checks(protocol: Protocol, options: CheckOptions) -> Sequence[str]:
    return options.checks or (*protocol.machine_checks, *COLLISIONS)


def _print_differences(database: Database, options: CheckOptions) -> None:
    compared, differences = compare_with_published(database, options.dataset)
    print_table(_differences(differences), options.form)
    _remark_compared(compared)


def _differences(differences: Sequence[Difference]) -> Table:
    rows = [
        (difference.key, difference.value, _cell(difference.published), _cell(difference.found))
        for difference in differences
    ]
    return Table.of(("key", "value", "published", "found"), rows)


def _cell(value: JsonValue) -> Cell:
    return ", ".join(map(str, value)) if isinstance(value, list) else value


def _remark_compared(compared: Sequence[PublishedComparison]) -> None:
    for comparison in compared:
        within = f"within {comparison.tolerance:g}" if comparison.tolerance else "equal"
        sentence = (
            f"{comparison.value}: {comparison.compared - comparison.differ} of {comparison.compared} {within}"
        )
        if comparison.largest:
            sentence += f", by {significant(comparison.largest, 1)} at the most"
        if comparison.line_ends:
            sentence += f", {comparison.line_ends} of them with the line end that importing takes off"
        note(f"{sentence}.")


def _remark(report: CheckReport) -> None:
    tools = ", ".join(filter(None, (report.model, report.engine)))
    done = [f"{report.checked} checked" + (f" ({tools})" if tools else "")]
    done.append(f"{report.passed_over} checked before")
    if report.unchecked:
        done.append(f"{report.unchecked} with nothing to check")
    pairs = f"{report.colliding} {agreeing(report.colliding, 'pair', 'pairs')} of them"
    collide = f"; {pairs} {agreeing(report.colliding, 'collides', 'collide')}" if report.model else ""
    note(f"Cases: {', '.join(done)}{collide}.")
    note_recall(report.recall)
    if report.not_tested:
        note(not_tested_words("checked", report.not_tested))
    if report.incomparable:
        names = ", ".join(report.incomparable)
        note(
            f"{report.engine} counts steps otherwise than 9.2 ({names}): its counts differ from published "
            "ones."
        )


def decided_by(
    database: Database, dataset: str, deciders: Sequence[str], models: ModelOptions, runner: ProgramRunner
) -> Table:
    """The agreement of these models; what is answered is kept, so that nothing is asked twice."""
    from reviewer.runs.check.model_decisions import ModelDecisions, decision_table, logic_decides

    with database.read() as session:
        cases = cases_in(session, dataset)
    for case in cases:
        check_whole(case)
    wanted = list(dict.fromkeys(deciders))
    with progress_bars() as progress:
        logic = logic_decides(protocols_of(database), cases, runner)
        by_model = asyncio.run(_asked(database, cases, wanted, models, progress))
    undecided = sum(option is None for option in logic.values())
    unread = sum(run is None for found in by_model.values() for runs in found.values() for run in runs)
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
    from reviewer.llm.request_errors import Stopped
    from reviewer.runs.check.model_decisions import ask_decisions

    async with models.client(StoredCalls(database)) as client:
        stop_on_interrupt(client)
        try:
            return await ask_decisions(protocols_of(database), client, cases, wanted, progress)
        except Stopped:
            note("Stopped; what was answered is kept. The same command resumes.")
            raise click.Abort from None
