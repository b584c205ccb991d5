"""``reviewer outcomes import``: the outcomes of a file that another package wrote."""

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import click

from reviewer.cli.app_launch import own_name
from reviewer.cli.options import note, open_store, store_option
from reviewer.core.sanitize import agreeing, counted, visible

if TYPE_CHECKING:
    from reviewer.exchange.evaluations.outcome_import import ImportedOutcomes


@click.command(
    "import",
    epilog="Example: reviewer outcomes import own '2_llm_outputs_model=gpt-4o-mini.csv' --as probe-swe "
    "--dataset gpt-4o-mini",
)
@click.argument("run")
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--as",
    "layout",
    required=True,
    metavar="LAYOUT",
    help="The layout of the file: probe-swe for the raw outputs of that benchmark's package, judge-bench for "
    "what a judge said of pairs of answers, or a TOML file that declares the columns of any table.",
)
@click.option(
    "--dataset",
    "datasets",
    multiple=True,
    metavar="NAME",
    help="A dataset that has cases of the file, if the run is new or lacks it; may be repeated.",
)
@click.option(
    "--model",
    metavar="NAME",
    help="The model that answered. Default: the model that the file or its name states.",
)
@click.option("--encoding", metavar="NAME", help="Encoding of the file, such as cp1252. Default: recognised.")
@click.option("--skip-invalid", is_flag=True, help="Import the valid rows and list the invalid ones.")
@store_option
def outcomes_import_command(
    run: str,
    file: Path,
    layout: str,
    datasets: tuple[str, ...],
    model: str | None,
    encoding: str | None,
    skip_invalid: bool,
    store: str,
) -> None:
    """Add the outcomes of one model from FILE to the evaluation run RUN, which is created if needed.

    In the layout probe-swe, each row is a pair of runs: one on each version of a case. Rows are matched with
    cases by group and texts. The number of blanks at the end of a prompt is the number of the repeat,
    counted from 0.

    In the layout judge-bench, each row is a pair of answers, with what a judge said of it in one or both
    orders. Rows are matched with cases by key and texts.

    A TOML file declares the columns of any other table, with one answer in each row (see `reviewer manual
    judging`). The sample of a new run has the cases of the file. Import the files of further models into the
    same run: it gets the cases that it lacks. A model was not asked the cases of which its file has no row.

    Everything is checked before anything is written. Importing the same file again changes nothing.
    """
    from reviewer.exchange.evaluations.outcome_import import OutcomeSource, import_outcomes
    from reviewer.exchange.rows.row_files import RowOptions

    source = OutcomeSource(file, layout, datasets, model, RowOptions(encoding))
    with closing(open_store(store, must_exist=True)) as database:
        done = import_outcomes(database, run, source, own_name(), skip_invalid=skip_invalid)
    for remark in _remarks(done):
        note(visible(remark))
    click.echo(visible(done.sentence))


def _remarks(done: "ImportedOutcomes") -> list[str]:
    remarks = [f"Note: {notice}." for notice in done.notices]
    remarks += [f"Skipped: {problem.where}: {problem.wrong}." for problem in done.problems]
    if done.missing:
        outcomes, they_are = counted(done.missing, "outcome"), agreeing(done.missing, "it is", "they are")
        remarks.append(f"Note: the file has no row of {outcomes}; {they_are} kept as missing.")
    return remarks
