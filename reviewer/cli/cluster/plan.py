"""``reviewer cluster plan``: time, cost and storage for datasets of some sizes, before there are any."""

from dataclasses import replace

import click

from reviewer.cli.options import format_option, note, print_table
from reviewer.options.shared import Format
from reviewer.planning.estimate_table import estimate_table
from reviewer.planning.estimates import ASSUMED, Planner, assumption_words

SIZES = (10_000, 100_000, 1_000_000)
WORKERS = (8, 32)
_MOST_CASES, _MOST_WORKERS, _MOST_CORES = 10_000_000, 10_000, 1_024


@click.command("plan", epilog="Example: reviewer cluster plan --cases 50000 --workers 16")
@click.option(
    "--cases",
    "sizes",
    multiple=True,
    type=click.IntRange(1, _MOST_CASES),
    metavar="NUMBER",
    help="Number of cases; may be repeated. Default: 10,000, 100,000 and 1,000,000.",
)
@click.option(
    "--workers",
    multiple=True,
    type=click.IntRange(1, _MOST_WORKERS),
    metavar="NUMBER",
    help="Number of workers of a cluster, each with a core of its own; may be repeated. Default: 8 and 32.",
)
@click.option(
    "--cores",
    type=click.IntRange(1, _MOST_CORES),
    default=ASSUMED.cores,
    show_default=True,
    metavar="NUMBER",
    help="Number of cores of one machine.",
)
@format_option
def cluster_plan_command(sizes: tuple[int, ...], workers: tuple[int, ...], cores: int, form: Format) -> None:
    """Estimate time, cost and storage of a dataset: import, audit, encoding, collisions, evaluation.

    The estimates use measured figures and a formula. The assumptions stand below the table. No store is
    opened and no cluster is asked. For the cases of a dataset at hand, use
    `reviewer audit DATASET --dry-run` and `reviewer evaluate RUN DATASET --dry-run`.
    """
    planner = Planner(assumed=replace(ASSUMED, cores=cores))
    estimates = [
        (number, estimate)
        for number in sizes or SIZES
        for estimate in planner.all_work(number, workers or WORKERS)
    ]
    table = estimate_table([estimate for _, estimate in estimates], for_people=form == "table")
    rows = [
        (f"{number:,}" if form == "table" else number, *row)
        for (number, _), row in zip(estimates, table.rows, strict=True)
    ]
    print_table(table.of(("cases", *table.columns), rows), form)
    for words in assumption_words(planner.assumed):
        note(words)
