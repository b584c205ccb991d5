"""``reviewer datasets``: the datasets of the store."""

import click

from reviewer.cli.lazy_group import LazyGroup
from reviewer.cli.options import Format, format_option, note, print_table, store_option
from reviewer.core.table import Table
from store.cases import summaries
from store.database import Database


@click.group(
    "datasets",
    cls=LazyGroup,
    package=__name__,
    below=("export", "merge"),
    invoke_without_command=True,
    epilog="Example: reviewer datasets --format json",
)
@format_option
@store_option
@click.pass_context
def datasets_command(ctx: click.Context, form: Format, store: str) -> None:
    """List datasets with their counts, merge datasets into a new one, or write one to a file."""
    ctx.obj = store
    if ctx.invoked_subcommand is None:
        _list_datasets(form, store)


def _list_datasets(form: Format, store: str) -> None:
    with Database.open(store, must_exist=True).read() as session:
        found = summaries(session)
    rows = [
        (
            s.dataset.name,
            s.dataset.protocol,
            s.cases,
            s.generated,
            s.cases - s.generated,
            s.groups,
            s.dataset.source,
        )
        for s in found
    ]
    print_table(
        Table.of(("dataset", "protocol", "cases", "generated", "seeds", "groups", "source"), rows), form
    )
    if not found:
        note("No datasets yet; import one: reviewer import FILE --dataset NAME")
