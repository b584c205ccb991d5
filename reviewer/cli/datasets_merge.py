"""``reviewer datasets merge``: several datasets joined into a new one."""

from collections.abc import Sequence
from contextlib import nullcontext

from reviewer.cli.cluster_work import embeddings_on, note_recall
from reviewer.cli.printing import note, print_table, progress_bars
from reviewer.cli.store_access import open_store
from reviewer.core.sanitize import agreeing, counted
from reviewer.core.table import Table
from reviewer.options.datasets import DatasetsMergeOptions
from reviewer.runs.check.dataset_check import check_needs
from reviewer.runs.check.dataset_merge import MergeReport, OmittedPlace, merge_datasets


def datasets_merge_command(options: DatasetsMergeOptions) -> None:
    """``reviewer datasets merge``: several datasets joined into a new one."""
    names = tuple(dict.fromkeys(options.datasets))
    database = open_store(options.store)
    needs = check_needs(database, names)
    opened = embeddings_on(options.cluster, database, options.model) if needs.vectors else nullcontext()
    with opened as embeddings, progress_bars() as progress:
        report = merge_datasets(database, names, options.into, embeddings, progress, index=options.index)
    print_table(_left_out(report.left_out), options.form)
    _remark(options.into, report)


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
