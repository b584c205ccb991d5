"""Findings as tables: one row each, or counted."""

from collections import Counter
from collections.abc import Sequence

from reviewer.cli.options import note, print_table
from reviewer.core.check_result import NOT_TESTED, SEVERITIES, check_words
from reviewer.core.sanitize import counted, visible
from reviewer.core.table import Table
from reviewer.options.shared import Format
from reviewer.results.tables.finding_tables import (
    DATASET_DETAILS,
    DATASET_FINDINGS,
    dataset_details,
    finding_spec,
)
from reviewer.runs.check.dataset_findings import dataset_findings
from store.database import Database
from store.findings import PlacedFinding

_ORDER: dict[str, int] = {severity: rank for rank, severity in enumerate((*SEVERITIES, NOT_TESTED))}


def print_findings(findings: Sequence[PlacedFinding], form: Format) -> None:
    """Print one row a finding, serious ones first; who dismissed which, where any was.

    Without findings, people see no table.
    """
    if not findings and form == "table":
        return
    ranked = sorted(findings, key=lambda placed: _ORDER[placed.severity])
    spec = finding_spec(dismissals=any(placed.dismissal or placed.earlier for placed in ranked))
    print_table(spec.for_people(ranked) if form == "table" else spec.for_programs(ranked), form)


def count_findings(findings: Sequence[PlacedFinding], by: Sequence[str]) -> Table:
    """One row for each combination that occurs and severity, the serious and frequent first."""
    counts = Counter((placed.severity, *(_dimension(placed, name) for name in by)) for placed in findings)
    rows = sorted(counts.items(), key=lambda item: (_ORDER[item[0][0]], -item[1], item[0]))
    return Table.of(("severity", *by, "findings"), [(*key, number) for key, number in rows])


def print_dataset_findings(
    database: Database,
    dataset: str,
    checks: Sequence[str],
    severities: Sequence[str],
    form: Format,
    *,
    values: bool = False,
) -> None:
    """Print what the checks of a whole dataset find, also those that passed. () means no restriction.

    A severity leaves out what passed or was dismissed. ``values`` lists what was counted instead.
    """
    found = [
        finding
        for finding in dataset_findings(database, dataset)
        if (not checks or finding.check in checks)
        and (not severities or (finding.stands and finding.severity in severities))
    ]
    if values:
        details = [detail for finding in found for detail in dataset_details(finding)]
        if details or form != "table":
            shown = DATASET_DETAILS.for_people if form == "table" else DATASET_DETAILS.for_programs
            print_table(shown(details), form)
    elif found or form != "table":
        spec = DATASET_FINDINGS
        print_table(spec.for_people(found) if form == "table" else spec.for_programs(found), form)


def note_untested(findings: Sequence[PlacedFinding], more: str = "") -> None:
    """Say how many checks could not look, and what the first of them says; nothing where all could."""
    if findings:
        cases = len({placed.place.case for placed in findings})
        sentence = f"{counted(len(findings), 'check')} of {counted(cases, 'case')}"
        note(f"Not tested: {sentence}{more}.")
        first = findings[0]
        at = f"{first.place.dataset}:{first.place.key}"
        note(visible(f"First of them: {check_words(first.finding.check)}, of {at}. {first.finding.why}"))


def _dimension(placed: PlacedFinding, name: str) -> str:
    return {"dataset": placed.place.dataset, "group": placed.group, "check": placed.finding.check}[name]
