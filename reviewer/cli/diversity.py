"""``reviewer diversity``: how alike the cases of each group are."""

from collections.abc import Sequence
from contextlib import closing

from reviewer.cli.cluster_work import embeddings_on
from reviewer.cli.options import note, open_store, print_table
from reviewer.cli.progress_bars import progress_bars
from reviewer.core.errors import RequestError
from reviewer.core.number_text import all_digits, fixed
from reviewer.core.table import Table
from reviewer.options.diversity import DiversityOptions
from reviewer.options.shared import Format
from reviewer.runs.check.dataset_check import check_needs
from reviewer.runs.check.diversity import ALL, Likeness, diversity
from store.cases import get_dataset
from store.database import Database

_DIGITS = 3


def diversity_command(options: DiversityOptions) -> None:
    """Carry out ``reviewer diversity``."""
    with closing(open_store(options.store, must_exist=True)) as database:
        _check_there(database, options.datasets)
        if not check_needs(database, options.datasets).vectors:
            raise RequestError(
                "no case of these datasets has a text that must be distinct: nothing to compare."
            )
        with (
            embeddings_on(options.cluster, database, options.model) as embeddings,
            progress_bars() as progress,
        ):
            likenesses = diversity(database, options.datasets, embeddings, progress)
    print_table(_likenesses(likenesses, options.form), options.form)
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
