"""The list of the datasets of a store, which ``reviewer datasets`` prints."""

from reviewer.cli.options import note, open_store, print_table
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


def list_datasets(form: Format, store: str) -> None:
    """Print the datasets; programs get the numbers of their audits too."""
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
