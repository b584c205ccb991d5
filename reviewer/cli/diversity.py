"""``reviewer diversity``: how alike the cases of each group are."""

from collections.abc import Sequence
from contextlib import closing

import click

from reviewer.cli.cluster_options import ClusterOptions, cluster_options
from reviewer.cli.embedding import model_option
from reviewer.cli.options import Format, format_option, note, open_store, print_table, store_option
from reviewer.cli.progress_bars import progress_bars
from reviewer.core.errors import RequestError
from reviewer.core.number_text import all_digits, fixed
from reviewer.core.table import Table
from reviewer.runs.check.dataset_check import check_needs
from reviewer.runs.check.diversity import ALL, Likeness, diversity
from store.cases import get_dataset
from store.database import Database

_DIGITS = 3


@click.command("diversity", epilog="Example: reviewer diversity gpt-4o-mini deepseek")
@click.argument("datasets", metavar="DATASET…", nargs=-1, required=True)
@model_option
@cluster_options
@format_option
@store_option
def diversity_command(
    datasets: tuple[str, ...], model: str, cluster: ClusterOptions, form: Format, store: str
) -> None:
    """Show how similar the cases of each group are, within each generator and between generators.

    The command compares the texts that the protocol requires to differ from case to case. The table has the
    mean cosine and the mean Levenshtein similarity over all pairs of cases. Lower means more diverse. A case
    that is in several datasets counts once.
    """
    with closing(open_store(store, must_exist=True)) as database:
        _check_there(database, datasets)
        if not check_needs(database, datasets).vectors:
            raise RequestError(
                "no case of these datasets has a text that must be distinct: nothing to compare."
            )
        with cluster.embeddings(database, model) as embeddings, progress_bars() as progress:
            likenesses = diversity(database, datasets, embeddings, progress)
    print_table(_likenesses(likenesses, form), form)
    if any(likeness.pairs == 0 for likeness in likenesses):
        note("A generator with a single text in a group has no pair there, and so no value.")


def _check_there(database: Database, datasets: Sequence[str]) -> None:
    with database.read() as session:
        for name in datasets:
            get_dataset(session, name)


def _likenesses(likenesses: Sequence[Likeness], form: Format) -> Table:
    """Rounded for people, whole for machines."""
    rows = [
        (
            likeness.group,
            " × ".join(likeness.generators) or ALL,
            likeness.pairs,
            _shown(likeness.cosine, form),
            _shown(likeness.levenshtein, form),
        )
        for likeness in likenesses
    ]
    return Table.of(("group", "generators", "pairs", "cosine", "levenshtein"), rows)


def _shown(value: float | None, form: Format) -> float | str | None:
    return fixed(value, _DIGITS) if form == "table" and value is not None else all_digits(value)
