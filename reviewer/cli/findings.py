"""Findings as the commands ask for them and print them: one row each, or counted."""

from collections import Counter
from collections.abc import Sequence

import click

from reviewer.cli.printing import note, print_rows
from reviewer.cli.store_access import open_store
from reviewer.cli.viewer import check_influence
from reviewer.core.check_result import NOT_TESTED, SEVERITIES, check_words
from reviewer.core.errors import CheckFailed
from reviewer.core.sanitize import agreeing, counted, visible
from reviewer.core.table import Table
from reviewer.options.checks import ChosenFindings
from reviewer.options.shared import Format
from reviewer.protocols.base import DatasetFinding, Protocol
from reviewer.protocols.registry import protocols_of
from reviewer.results.tables.finding_tables import (
    DATASET_DETAILS,
    DATASET_FINDINGS,
    dataset_details,
    finding_spec,
)
from reviewer.runs.audit.check_texts import known_checks
from reviewer.runs.check.dataset_findings import findings_and_texts
from reviewer.study.session.blinding import Influence
from store.cases import get_dataset
from store.database import Database
from store.findings import PlacedFinding, failed_findings, untested_findings


def dataset_with_findings(options: ChosenFindings) -> tuple[Database, Protocol]:
    """The store and the protocol of the dataset, if the person at the keyboard may see its findings.

    Raises RequestError if they may not, and a usage error for a name that is none of its checks.
    """
    database = open_store(options.store)
    check_influence(database, options.dataset, Influence.FINDINGS)
    with database.read() as session:
        protocol = protocols_of(database).named(get_dataset(session, options.dataset).protocol)
    check_names(options.checks, [protocol])
    return database, protocol


def check_names(checks: Sequence[str], protocols: Sequence[Protocol]) -> None:
    """Raise a usage error for a name that is not a check of these protocols."""
    known = known_checks(protocols) if checks else ()
    for name in checks:
        if name not in known:
            words = f"{name!r} is not one of {', '.join(map(repr, known))}."
            raise click.BadParameter(words, param_hint="'--check'")


_ORDER: dict[str, int] = {severity: rank for rank, severity in enumerate((*SEVERITIES, NOT_TESTED))}


def print_findings(findings: Sequence[PlacedFinding], form: Format) -> None:
    """Print one row a finding, serious ones first; who dismissed which, where any was.

    Without findings, people see no table.
    """
    if not findings and form == "table":
        return
    ranked = sorted(findings, key=lambda placed: _ORDER[placed.severity])
    spec = finding_spec(dismissals=any(placed.dismissal or placed.earlier for placed in ranked))
    print_rows(spec, ranked, form)


def count_findings(findings: Sequence[PlacedFinding], by: Sequence[str]) -> Table:
    """One row for each combination that occurs and severity, the serious and frequent first."""
    counts = Counter((placed.severity, *(_dimension(placed, name) for name in by)) for placed in findings)
    rows = sorted(counts.items(), key=lambda item: (_ORDER[item[0][0]], -item[1], item[0]))
    return Table.of(("severity", *by, "findings"), [(*key, number) for key, number in rows])


def print_dataset_findings(database: Database, options: ChosenFindings) -> None:
    """Print what the checks of the whole dataset find, also those that passed, or what they counted.

    Checks of texts that passed are shown only if they are named.

    A severity leaves out what passed or was dismissed.
    """
    print_whole_dataset(dataset_findings_of(database, options), options)


def print_whole_dataset(found: Sequence[DatasetFinding], options: ChosenFindings) -> None:
    """Print findings about the whole dataset, or what they counted; people see no empty table."""
    if options.values:
        details = [detail for finding in found for detail in dataset_details(finding)]
        if details or options.form != "table":
            print_rows(DATASET_DETAILS, details, options.form)
    elif found or options.form != "table":
        print_rows(DATASET_FINDINGS, found, options.form)


def dataset_findings_of(database: Database, options: ChosenFindings) -> list[DatasetFinding]:
    """The findings about the whole dataset that the options choose."""
    return [
        finding
        for finding in findings_and_texts(database, options.dataset, passed=bool(options.checks))
        if (not options.checks or finding.check in options.checks)
        and (not options.severities or (finding.stands and finding.severity in options.severities))
    ]


def check_severity(database: Database, options: ChosenFindings, names: Sequence[str] | None) -> None:
    """Raise CheckFailed for --fail-on if a standing finding is so severe, or a check could not look.

    ``names`` are the checks of cases, None if only the dataset as a whole is looked at.
    """
    if options.fail_on is None:
        return
    counted_as = SEVERITIES[: SEVERITIES.index(options.fail_on) + 1]
    cases, untested = list[PlacedFinding](), list[PlacedFinding]()
    if names is not None:
        with database.read() as session:
            cases = failed_findings(session, options.dataset, names, counted_as)
            untested = untested_findings(session, options.dataset, names)
    whole = [
        finding
        for finding in findings_and_texts(database, options.dataset)
        if not options.checks or finding.check in options.checks
    ]
    standing = [finding for finding in whole if finding.stands and finding.severity in counted_as]
    blind = len(untested) + sum(finding.state == "not tested" for finding in whole)
    if found := len(cases) + len(standing):
        first = f"{cases[0].place.key}: {cases[0].finding.why}" if cases else standing[0].says
        stand = f"{agreeing(found, 'stands', 'stand')} that {agreeing(found, 'is', 'are')}"
        worse = f"{options.fail_on}{'' if len(counted_as) == 1 else ' or worse'}"
        raise CheckFailed(
            f"{options.dataset}: {counted(found, 'finding')} {stand} {worse}. The first: {visible(first)}"
        )
    if blind:
        raise CheckFailed(
            f"{options.dataset}: {counted(blind, 'check')} could not run, so nothing is passed."
        )


def note_untested(findings: Sequence[PlacedFinding], more: str = "") -> None:
    """Count the checks that could not run, and show the reason of the first; nothing if all could."""
    if findings:
        cases = len({placed.place.case for placed in findings})
        sentence = f"{counted(len(findings), 'check')} of {counted(cases, 'case')}"
        note(f"Not tested: {sentence}{more}.")
        first = findings[0]
        at = f"{first.place.dataset}:{first.place.key}"
        note(f"First of them: {check_words(first.finding.check)}, of {at}. {first.finding.why}")


def _dimension(placed: PlacedFinding, name: str) -> str:
    return {"dataset": placed.place.dataset, "group": placed.group, "check": placed.finding.check}[name]
