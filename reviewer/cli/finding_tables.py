"""Findings as tables: one row each, or counted."""

from collections import Counter
from collections.abc import Sequence

from reviewer.cli.options import Format, note
from reviewer.core.check_result import SEVERITIES
from reviewer.core.sanitize import counted
from reviewer.core.table import Cell, Table
from reviewer.runs.audit.audit_findings import severity_words
from reviewer.runs.audit.check_texts import NOT_TESTED
from store.findings import PlacedFinding

DIMENSIONS = ("dataset", "group", "check")
_ORDER: dict[str, int] = {severity: rank for rank, severity in enumerate((*SEVERITIES, NOT_TESTED))}


def list_findings(found: Sequence[PlacedFinding], form: Format) -> Table:
    """One row a finding, serious ones first; who dismissed which, where any was.

    ``case`` is what `reviewer show` accepts; machines get the key alone and the places as well.
    """
    ranked = sorted(found, key=lambda placed: _ORDER[severity_words(placed)])
    columns: tuple[str, ...] = ("severity", "check", "case", "why")
    rows = [_row(placed) for placed in ranked]
    if form != "table":
        columns = ("severity", "check", "key", "why", "case", "places")
        rows = [_machine_row(placed) for placed in ranked]
    if any(placed.dismissal for placed in ranked):
        columns = (*columns, "dismissed_by", "because")
        rows = [(*row, *_dismissed(placed)) for row, placed in zip(rows, ranked, strict=True)]
    return Table.of(columns, rows)


def count_findings(found: Sequence[PlacedFinding], by: Sequence[str]) -> Table:
    """One row for each combination that occurs and severity, the serious and frequent first."""
    counts = Counter((severity_words(placed), *(_dimension(placed, name) for name in by)) for placed in found)
    rows = sorted(counts.items(), key=lambda item: (_ORDER[item[0][0]], -item[1], item[0]))
    return Table.of(("severity", *by, "findings"), [(*key, number) for key, number in rows])


def note_untested(found: Sequence[PlacedFinding], more: str = "") -> None:
    """Say how many checks could not look; nothing where all could."""
    if found:
        cases = len({placed.place.case for placed in found})
        told = f"{counted(len(found), 'check')} of {counted(cases, 'case')}"
        note(f"Not tested: {told}{more}.")


def _row(placed: PlacedFinding) -> tuple[Cell, ...]:
    place = placed.place
    return severity_words(placed), placed.finding.check, f"{place.dataset}:{place.key}", placed.finding.why


def _machine_row(placed: PlacedFinding) -> tuple[Cell, ...]:
    severity, check, case, why = _row(placed)
    places = [
        " ".join(filter(None, (row["variant"], f"{row['part']}:{row['line']}")))
        for row in placed.finding.places or ()
    ]
    return severity, check, placed.place.key, why, case, "; ".join(dict.fromkeys(places)) or None


def _dismissed(placed: PlacedFinding) -> tuple[Cell, Cell]:
    return (placed.dismissal.who, placed.dismissal.why) if placed.dismissal else (None, None)


def _dimension(placed: PlacedFinding, name: str) -> str:
    return {"dataset": placed.place.dataset, "group": placed.group, "check": placed.finding.check}[name]
