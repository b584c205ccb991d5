"""``reviewer datasets``: the datasets of the store."""

import click

from reviewer.cli.lazy_group import LazyGroup
from reviewer.cli.options import (
    Format,
    format_option,
    name_store,
    note,
    open_store,
    print_table,
    store_option,
)
from reviewer.core.table import Table
from store.cases import summaries
from store.revisions import RevisionCounts, revision_counts

_COLUMNS = (
    *("dataset", "protocol", "cases", "generated", "seeds", "groups", "source"),
    *("revised", "withdrawn", "in_conflict"),
)
_NONE = RevisionCounts()


@click.group(
    "datasets",
    cls=LazyGroup,
    package=__name__,
    below=("diff", "export", "history", "merge", "revert", "settle", "todo", "withdraw"),
    invoke_without_command=True,
    epilog="Example: reviewer datasets --format json",
)
@format_option
@store_option
@click.pass_context
def datasets_command(ctx: click.Context, form: Format, store: str) -> None:
    """List datasets with their counts, merge or export them, or look at and change the history of a case."""
    name_store(ctx, store)
    if ctx.invoked_subcommand is None:
        _list_datasets(form, store)


def _list_datasets(form: Format, store: str) -> None:
    with open_store(store, must_exist=True).read() as session:
        found = summaries(session)
        revisions = revision_counts(session)
    rows = [
        (
            s.dataset.name,
            s.dataset.protocol,
            s.cases,
            s.generated,
            s.cases - s.generated,
            s.groups,
            s.dataset.source,
            revisions.get(s.dataset.name, _NONE).revised,
            revisions.get(s.dataset.name, _NONE).withdrawn,
            revisions.get(s.dataset.name, _NONE).conflicts,
        )
        for s in found
    ]
    print_table(Table.of(_COLUMNS, rows), form)
    if not found:
        note("No datasets yet; import one: reviewer import FILE --dataset NAME")
