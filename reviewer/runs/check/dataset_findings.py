"""The checks of a whole dataset. They run whenever somebody asks, so what they say is never out of date."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from reviewer.core.errors import RequestError
from reviewer.protocols.base import DatasetCase, DatasetFinding, Protocol
from reviewer.protocols.registry import protocols_of
from reviewer.runs.check.text_hygiene import text_findings
from store.cases import get_dataset, places_of, values_at_places
from store.database import Database
from store.dismissals import dataset_dismissals, put_dataset_dismissal
from store.findings import cases_in
from store.records import DatasetDismissal, digest_of
from store.revisions import withdrawn_places
from store.row_records import OpenReading


def dataset_findings(database: Database, dataset: str) -> tuple[DatasetFinding, ...]:
    """What the checks of its protocol find in a dataset as it is now, without withdrawn and altered cases.

    Raises RequestError if there is no such dataset.
    """
    with database.read() as session:
        protocol = protocols_of(database).named(get_dataset(session, dataset).protocol)
        if not protocol.dataset_checks:
            return ()
        placed, dismissed = _placed(session, dataset)
    return findings_about(protocol, placed, dismissed)


def findings_and_texts(
    database: Database, dataset: str, *, passed: bool = False
) -> tuple[DatasetFinding, ...]:
    """The same, and findings of the checks of texts, which all protocols share; ``passed`` ones if wanted."""
    with database.read() as session:
        get_dataset(session, dataset)
        placed, dismissed = _placed(session, dataset)
    texts = [_with_dismissal(found, dismissed.get(found.check)) for found in text_findings(placed)]
    return (
        *dataset_findings(database, dataset),
        *(finding for finding in texts if passed or finding.state != "passed"),
    )


def _placed(session: OpenReading, dataset: str) -> tuple[list[DatasetCase], Mapping[str, DatasetDismissal]]:
    """The cases of a dataset with their published values, and the newest dismissals by check."""
    cases = {case.digest: case for case in cases_in(session, dataset) if case.is_whole}
    values = values_at_places(session, dataset)
    gone = withdrawn_places(session, [dataset])
    places = [place for place in places_of(session, dataset) if (dataset, place.key) not in gone]
    placed = [
        DatasetCase(place.key, cases[place.case], values.get((place.key, place.case), {}))
        for place in places
        if place.case in cases
    ]
    return placed, dataset_dismissals(session, dataset)


def repeating_cases(database: Database, dataset: str, checks: Collection[str]) -> frozenset[str]:
    """The keys of the cases that standing findings of these checks list because they repeat each other.

    Raises RequestError for a finding that lists no such cases, such as one about a share.
    """
    with database.read() as session:
        known = protocols_of(database).named(get_dataset(session, dataset).protocol).dataset_checks
    if not set(checks) & set(known):
        return frozenset()
    found = [each for each in dataset_findings(database, dataset) if each.check in checks and each.stands]
    if bare := next((each.check for each in found if not each.repeating), None):
        raise RequestError(
            f"check {bare!r} is about the dataset as a whole and cannot choose cases; name another check."
        )
    return frozenset(key for each in found for key in each.repeating)


def findings_about(
    protocol: Protocol, cases: Sequence[DatasetCase], dismissed: Mapping[str, DatasetDismissal]
) -> tuple[DatasetFinding, ...]:
    """What the checks of a protocol find in these cases; ``dismissed`` are the newest dismissals by check."""
    checks = protocol.dataset_checks
    return tuple(
        _with_dismissal(
            replace(finding, severity=checks[finding.check].severity, version=checks[finding.check].version),
            dismissed.get(finding.check),
        )
        for finding in protocol.judge_dataset(cases)
    )


def dismiss_finding(
    database: Database, dataset: str, finding: DatasetFinding, who: str, why: str | None
) -> None:
    """Dismiss what a check found about a dataset; with None as the reason, let it stand again.

    Raises RequestError if the reason is empty. A dismissal holds until the check finds something else. Who
    dismissed and restored it, and why, is kept.
    """
    put_dataset_dismissal(
        database,
        dataset,
        check=finding.check,
        check_version=finding.version,
        found=_digest(finding),
        who=who,
        why=why,
    )


def _with_dismissal(finding: DatasetFinding, newest: DatasetDismissal | None) -> DatasetFinding:
    if newest is None or finding.state != "failed":
        return finding
    if (newest.check_version, newest.found) == (finding.version, _digest(finding)):
        return replace(finding, dismissal=newest)
    return replace(finding, earlier=newest)


def _digest(finding: DatasetFinding) -> str:
    """A digest of the result: the value, or the words of a check that gives none."""
    found = finding.says if finding.value is None else finding.value
    return digest_of([finding.state, found, finding.threshold])
