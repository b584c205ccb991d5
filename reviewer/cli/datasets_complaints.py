"""``reviewer datasets complaints``: reports of readers about cases, and their states."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from reviewer.cli.printing import note, print_table
from reviewer.cli.store_access import open_store
from reviewer.cli.viewer import check_influence
from reviewer.core.sanitize import agreeing, counted, one_line, visible
from reviewer.core.table import Cell, Table
from reviewer.options.datasets_complaints import (
    DatasetsComplaintsImportOptions,
    DatasetsComplaintsListOptions,
)
from reviewer.runs.audit.reader_reports import REPORT_STATES, FollowedReport, followed_reports
from reviewer.study.session.blinding import Influence
from reviewer.study.session.content_rights import check_may_change

if TYPE_CHECKING:
    from reviewer.exchange.rows.complaint_import import ImportedComplaints

_COLUMNS = ("key", "reported", "state", "since", "reason", "text", "link", "imported_by")
_LONGEST = 400


def datasets_complaints_import_command(options: DatasetsComplaintsImportOptions) -> None:
    """``reviewer datasets complaints import``: reports of readers, each as an open finding on its case."""
    from reviewer.exchange.rows.complaint_import import import_complaints

    database = open_store(options.store)
    check_may_change(database, options.dataset, options.who)
    done = import_complaints(
        database, options.dataset, options.file, options.who, skip_invalid=options.skip_invalid
    )
    note(*_remarks(done, options.dataset))
    click.echo(visible(f"{options.dataset}: {counted(len(done.added), 'report')} added"))


def _remarks(done: "ImportedComplaints", dataset: str) -> Iterator[str]:
    from reviewer.exchange.rows.complaint_import import key_words

    yield from (f"Note: {notice}." for notice in done.notices)
    yield from (f"Skipped: {problem.where}: {problem.wrong}." for problem in done.problems)
    if done.known:
        was = agreeing(done.known, "was", "were")
        yield f"{counted(done.known, 'report')} {was} there already and did not change."
    if done.withdrawn:
        yield f"Note: withdrawn before, so no finding is listed: {key_words(done.withdrawn)}."
    if done.changed:
        yield (
            f"Note: changed before, so the reader may have seen an earlier text: {key_words(done.changed)}."
        )
    if done.added:
        yield f"To read them: reviewer audit {visible(dataset)} --check reported_by_a_reader"


def datasets_complaints_list_command(options: DatasetsComplaintsListOptions) -> None:
    """``reviewer datasets complaints list``: every report and its state."""
    database = open_store(options.store)
    check_influence(database, options.dataset, Influence.FINDINGS)
    reports = followed_reports(database, options.dataset)
    left = [report for report in reports if report.became == "open"]
    shown = left if options.open_only else reports
    print_table(Table.of(_COLUMNS, [_row(report) for report in shown]), options.form)
    note(f"{counted(len(reports), 'report')}, {len(left):,} open." if reports else "No report yet.")


def _row(report: FollowedReport) -> tuple[Cell, ...]:
    said = report.complaint
    return (
        said.key,
        said.at,
        REPORT_STATES[report.became],
        report.at or None,
        report.dismissal.why if report.dismissal else None,
        one_line(said.text, _LONGEST),
        said.link or None,
        said.who,
    )
