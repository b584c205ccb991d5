"""``reviewer datasets merge``: several datasets joined into a new one."""

from collections.abc import Sequence
from contextlib import closing, nullcontext

import click

from reviewer.cli.cluster_options import ClusterOptions, cluster_options
from reviewer.cli.embedding import index_option, model_option, note_recall
from reviewer.cli.options import Format, format_option, note, open_store, print_table, store_option
from reviewer.cli.progress_bars import progress_bars
from reviewer.core.sanitize import agreeing, counted
from reviewer.core.table import Table
from reviewer.runs.check.dataset_check import check_needs
from reviewer.runs.check.dataset_merge import MergeReport, OmittedPlace, merge_datasets


@click.command("merge", epilog="Example: reviewer datasets merge gpt-4o-mini deepseek --into all-generators")
@click.argument("datasets", metavar="DATASET…", nargs=-1, required=True)
@click.option("--into", required=True, metavar="NAME", help="Name of the dataset to create.")
@model_option
@index_option
@cluster_options
@format_option
@store_option
def datasets_merge_command(
    datasets: tuple[str, ...],
    into: str,
    model: str,
    index: bool,
    cluster: ClusterOptions,
    form: Format,
    store: str,
) -> None:
    """Merge datasets into a new one, and list the cases that were left out because they collide.

    Cases are taken in the order of the datasets given. A case is left out if an earlier one is identical or
    too similar, even in another group. Withdrawn cases are left out. The old datasets do not change.
    """
    names = tuple(dict.fromkeys(datasets))
    with closing(open_store(store, must_exist=True)) as database:
        needs = check_needs(database, names)
        opened = cluster.embeddings(database, model) if needs.vectors else nullcontext()
        with opened as embeddings, progress_bars() as progress:
            report = merge_datasets(database, names, into, embeddings, progress, index=index)
    print_table(_left_out(report.left_out), form)
    _remark(into, report)


def _left_out(left_out: Sequence[OmittedPlace]) -> Table:
    rows = [
        (
            collision.place.dataset,
            collision.place.key,
            collision.instead.dataset,
            collision.instead.key,
            collision.cosine,
        )
        for collision in left_out
    ]
    return Table.of(("dataset", "left out", "for dataset", "for", "cosine"), rows)


def _remark(into: str, report: MergeReport) -> None:
    same = sum(collision.cosine is None for collision in report.left_out)
    others = len(report.left_out) - same
    note(
        f"{into}: {counted(report.kept, 'case')}. Left out: {same} that {agreeing(same, 'is', 'are')} there "
        f"already, {others} that {agreeing(others, 'collides', 'collide')}."
    )
    note_recall(report.recall)
    if report.withdrawn:
        note(f"{counted(report.withdrawn, 'withdrawn case')} left out too.")
