"""``reviewer outcomes import``: the outcomes of a file that another package wrote."""

import click

from reviewer.cli.printing import note
from reviewer.cli.store_access import open_store
from reviewer.core.sanitize import agreeing, counted, visible
from reviewer.exchange.evaluations.outcome_import import OutcomeSource, import_outcomes
from reviewer.exchange.rows.row_files import RowOptions
from reviewer.options.outcomes import OutcomesImportOptions
from reviewer.options.shared import own_name


def outcomes_import_command(options: OutcomesImportOptions) -> None:
    """``reviewer outcomes import``: the outcomes of a file that another package wrote."""
    source = OutcomeSource(
        options.file, options.layout, options.datasets, options.model, RowOptions(options.encoding)
    )
    database = open_store(options.store)
    done = import_outcomes(database, options.run, source, own_name(), skip_invalid=options.skip_invalid)
    note(*(f"Note: {notice}." for notice in done.notices))
    note(*(f"Skipped: {problem.where}: {problem.wrong}." for problem in done.problems))
    if done.missing:
        outcomes, they_are = counted(done.missing, "outcome"), agreeing(done.missing, "it is", "they are")
        note(f"Note: the file has no row of {outcomes}; {they_are} kept as missing.")
    click.echo(visible(done.sentence))
