"""``reviewer outcomes export``: all outcomes of a run in long form, with a codebook."""

from contextlib import closing
from pathlib import Path

import click

from reviewer.cli.options import note, open_store, store_option
from reviewer.cli.viewer import check_outcomes
from reviewer.core.sanitize import counted, visible
from reviewer.protocols.registry import protocols_of


@click.command("export", epilog="Example: reviewer outcomes export first -o first-outcomes")
@click.argument("run")
@click.option(
    "-o",
    "folder",
    required=True,
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="The folder to write.",
)
@store_option
def outcomes_export_command(run: str, folder: Path, store: str) -> None:
    """Write every outcome of the evaluation run RUN as a row, as CSV and JSON Lines, with a codebook.

    Rows name the model, the case, the condition, the repeat, the label and the whole reply. Unreadable and
    missing outcomes have rows too.
    """
    from reviewer.exchange.evaluations.outcome_export import export_outcomes
    from reviewer.results.outcomes.evaluated import read_evaluation

    with closing(open_store(store, must_exist=True)) as database:
        evaluation = read_evaluation(database, protocols_of(database), run)
        check_outcomes(database, evaluation.settings.datasets)
        outcomes, files = export_outcomes(database, evaluation, folder)
    note(f"{counted(outcomes, 'outcome')}.")
    for file in files:
        click.echo(visible(str(file)))
