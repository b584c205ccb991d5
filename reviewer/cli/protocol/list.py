"""``reviewer protocol list``: the protocols of this release, of other packages and of the store."""

from collections import Counter

from reviewer.cli.options import (
    is_new_store,
    note,
    open_store,
    print_table,
    protocols_here,
)
from reviewer.core.sanitize import visible
from reviewer.core.table import Table
from reviewer.options.protocol import ProtocolListOptions
from reviewer.protocols.base import Protocol
from reviewer.protocols.registry import protocols_of
from store.cases import list_datasets
from store.location import DEFAULT_LOCATION
from store.studies import list_studies

_COLUMNS = ("protocol", "version", "title", "from", "questions", "datasets", "studies")


def protocol_list_command(options: ProtocolListOptions) -> None:
    """Carry out ``reviewer protocol list``."""
    protocols, used = protocols_here(), Counter[tuple[str, str]]()
    if options.store != DEFAULT_LOCATION or not is_new_store(options.store):
        database = open_store(options.store, must_exist=True)
        protocols = protocols_of(database)
        with database.read() as session:
            used.update(("dataset", dataset.protocol) for dataset in list_datasets(session))
            used.update(("study", study.protocol) for study in list_studies(session))
    rows = [_row(protocol, None, "the release", used) for protocol in protocols.of_the_release]
    rows += [_row(protocol, None, "a package", used) for protocol in protocols.of_packages]
    for reference in protocols.kept.references:
        declared = protocols.kept[reference]
        rows.append(_row(declared, declared.version, "the store", used))
    print_table(Table.of(_COLUMNS, rows), options.form)
    for fault in protocols.faults:
        note(visible(f"Note: {fault}"))


def _row(
    protocol: Protocol, version: int | None, origin: str, used: Counter[tuple[str, str]]
) -> tuple[str | int | None, ...]:
    datasets, studies = (used[kind, protocol.reference] for kind in ("dataset", "study"))
    return (
        *(protocol.name, version, protocol.title, origin),
        *(len(protocol.questions), datasets, studies),
    )
