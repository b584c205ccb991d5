"""``reviewer datasets``: the datasets of the store."""

import click

from reviewer.cli.lazy_group import LazyGroup
from reviewer.cli.options import (
    format_option,
    name_store,
    note,
    open_store,
    print_table,
    store_option,
)
from reviewer.core.sanitize import visible
from reviewer.core.table import Cell, Table
from reviewer.options.shared import Format
from reviewer.protocols.registry import protocols_of
from reviewer.runs.audit.audit_state import AuditState, audit_state
from store.revisions import RevisionCounts, revision_counts

_COLUMNS = (
    *("dataset", "protocol", "cases", "generated", "seeds", "groups", "source"),
    *("revised", "withdrawn", "in_conflict"),
)
_AUDIT_COLUMNS = ("audited", "audited_by_earlier_checks", "audit_clean", "strictly_clean", "not_tested")
"""Numbers of cases, for programs; people read them in ``reviewer audit``."""
_NONE = RevisionCounts()
_NOT_AUDITED = AuditState(*[frozenset()] * 6)


_COMMANDS = {
    "diff": "Show each passage of the case at KEY that differs between two of its versions.",
    "export": "Write a dataset as a file that `reviewer import` reads.",
    "hard": "Make a dataset of the cases that a model answered wrongly under every condition of a run.",
    "history": "List the revisions of DATASET, or of the case at KEY, oldest first.",
    "merge": "Merge datasets into a new one, and list the cases that were left out because they collide.",
    "revert": "Restore an earlier content of the case at KEY, with the values that were published with it.",
    "settle": (
        "List the cases of DATASET that two authors revised in different stores, or settle the case at KEY."
    ),
    "todo": "List the notes on what is to be done about the cases of DATASET, add one, or mark one as done.",
    "withdraw": "Withdraw the case at KEY of DATASET.",
}


@click.group(
    "datasets",
    cls=LazyGroup,
    package=__name__,
    below=_COMMANDS,
    invoke_without_command=True,
    epilog="Example: reviewer datasets --format json",
)
@format_option
@store_option
@click.pass_context
def datasets_command(ctx: click.Context, form: Format, store: str) -> None:
    """List, merge and export datasets, or show and change the history of a case."""
    name_store(ctx, store)
    if ctx.invoked_subcommand is None:
        _list_datasets(form, store)


def _list_datasets(form: Format, store: str) -> None:
    database = open_store(store, must_exist=True)
    protocols = protocols_of(database)
    datasets = database.overview().datasets
    with database.read() as session:
        revisions = revision_counts(session)
    rows = []
    for dataset in datasets:
        counts = revisions.get(dataset.name, _NONE)
        protocol = protocols.usable(dataset.protocol)
        state = audit_state(database, dataset.name, protocol) if protocol else _NOT_AUDITED
        cells: tuple[Cell, ...] = (
            dataset.name,
            dataset.protocol,
            dataset.cases,
            dataset.generated,
            dataset.cases - dataset.generated,
            dataset.groups,
            dataset.source,
            counts.revised,
            counts.withdrawn,
            counts.conflicts,
        )
        audited = (state.current, state.earlier, state.audit_clean, state.strictly_clean, state.untested)
        rows.append(cells if form == "table" else (*cells, *map(len, audited)))
        if state.earlier:
            note(f"{dataset.name}: {state.earlier_words}; audit again: reviewer audit {dataset.name}")
    for fault in dict.fromkeys(filter(None, (protocols.fault(dataset.protocol) for dataset in datasets))):
        note(visible(f"Note: {fault}"))
    print_table(Table.of(_COLUMNS if form == "table" else (*_COLUMNS, *_AUDIT_COLUMNS), rows), form)
    if not datasets:
        note("No datasets yet; import one: reviewer import FILE --dataset NAME")
