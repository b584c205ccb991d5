"""``reviewer outcomes export``: all outcomes of a run in long form, with a codebook."""

from contextlib import closing

import click

from reviewer.cli.options import note, open_store
from reviewer.cli.viewer import check_outcomes
from reviewer.core.sanitize import counted, visible
from reviewer.options.outcomes import OutcomesExportOptions
from reviewer.protocols.registry import protocols_of


def outcomes_export_command(options: OutcomesExportOptions) -> None:
    """Carry out ``reviewer outcomes export``."""
    from reviewer.exchange.evaluations.outcome_export import export_outcomes
    from reviewer.results.outcomes.evaluated import read_evaluation

    with closing(open_store(options.store, must_exist=True)) as database:
        evaluation = read_evaluation(database, protocols_of(database), options.run)
        check_outcomes(database, evaluation.settings.datasets)
        outcomes, files = export_outcomes(database, evaluation, options.folder)
    note(f"{counted(outcomes, 'outcome')}.")
    for file in files:
        click.echo(visible(str(file)))
