"""The tables of a library: its entries with their evidence, and the changed items of one entry."""

from collections.abc import Callable

from reviewer.core.number_text import all_digits, p_value
from reviewer.core.table import RATE_PARTS, Cell, TableSpec, estimate_column, plain_column
from reviewer.protocols.library_plan import EntryEvidence
from reviewer.runs.library_entries import EvidenceRow, PlacedItem


def _known(value: Callable[[EntryEvidence], Cell]) -> Callable[[EvidenceRow], Cell]:
    """Something of a row's evidence; None without evidence."""
    return lambda row: None if row.evidence is None else value(row.evidence)


ENTRIES: TableSpec[EvidenceRow] = TableSpec(
    (
        plain_column("entry", "string", "name of the entry", lambda row: row.entry.name, "entry"),
        plain_column("key", "string", "key of its place", lambda row: row.entry.place.key),
        plain_column(
            "group",
            "string",
            "group of the entry, such as where it is from",
            lambda row: row.entry.case.group,
            "from",
        ),
        plain_column("definition", "string", "its definition", lambda row: row.entry.definition),
        plain_column("judge", "string", "model that judged", _known(lambda known: known.judge), "judge"),
        plain_column(
            "dataset",
            "string",
            "dataset of the items",
            _known(lambda known: known.dataset),
            "on",
        ),
        plain_column(
            "items",
            "integer",
            "items answered before and after",
            _known(lambda known: known.items),
            "items",
        ),
        estimate_column(
            "error_before",
            "share of items misjudged as they were",
            lambda row: row.before,
            "error before",
            parts=RATE_PARTS,
        ),
        estimate_column(
            "error_after",
            "share of items misjudged after the change",
            lambda row: row.after,
            "error after",
            parts=RATE_PARTS,
        ),
        plain_column(
            "turned_wrong",
            "integer",
            "items that the change turned wrong",
            _known(lambda known: known.turned_wrong),
            "→",
            told="items that the change turned wrong",
        ),
        plain_column(
            "turned_right",
            "integer",
            "items that the change turned right",
            _known(lambda known: known.turned_right),
            "←",
            told="items that the change turned right",
        ),
        plain_column("p", "number", "McNemar's exact p", _known(lambda known: all_digits(known.p))),
        plain_column(
            "p_adjusted",
            "number",
            "the same p after Holm's correction",
            _known(lambda known: all_digits(known.p_adjusted)),
            "p",
            told="McNemar's exact p, after Holm's correction",
            shown=lambda row, _digits: p_value(row.evidence.p_adjusted) if row.evidence else None,
        ),
        plain_column(
            "found_in",
            "string",
            "run and round that found it",
            lambda row: row.entry.found_in or None,
            "found in",
        ),
        plain_column(
            "merged",
            "string",
            "names of candidates that were merged into it",
            lambda row: "; ".join(merged.name for merged in row.entry.record.merged) or None,
            "merged into it",
        ),
        plain_column(
            "decision",
            "string",
            "what became of the candidate, and why",
            lambda row: (
                f"{row.entry.record.decision.result}: {row.entry.record.decision.why}"
                if row.entry.record.decision
                else None
            ),
        ),
    ),
    1,
)

CHANGED_ITEMS: TableSpec[PlacedItem] = TableSpec(
    (
        plain_column(
            "dataset", "string", "dataset of the changed item", lambda row: row[0].dataset, "dataset"
        ),
        plain_column("key", "string", "key of its place", lambda row: row[0].key, "key"),
        plain_column("group", "string", "its group", lambda row: row[1].group, "group"),
        plain_column("generator", "string", "who changed it", lambda row: row[0].generator, "generator"),
        plain_column("case", "string", "digest of its content", lambda row: row[1].digest),
    ),
    2,
)
