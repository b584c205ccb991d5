"""The checks of a whole dataset. They run whenever somebody asks, so what they say is never out of date."""

from dataclasses import replace

from reviewer.protocols.base import DatasetCase, DatasetFinding
from reviewer.protocols.registry import protocols_of
from store.cases import get_dataset, places_of, values_at_places
from store.database import Database
from store.findings import cases_in
from store.revisions import withdrawn_places


def dataset_findings(database: Database, dataset: str) -> tuple[DatasetFinding, ...]:
    """What the checks of its protocol find in a dataset as it is now, without withdrawn and altered cases.

    Raises RequestError if there is no such dataset.
    """
    with database.read() as session:
        protocol = protocols_of(database).named(get_dataset(session, dataset).protocol)
        if not protocol.dataset_checks:
            return ()
        cases = {case.digest: case for case in cases_in(session, dataset) if case.is_whole}
        values = values_at_places(session, dataset)
        gone = withdrawn_places(session, [dataset])
        places = [place for place in places_of(session, dataset) if (dataset, place.key) not in gone]
    placed = [
        DatasetCase(place.key, cases[place.case], values.get((place.key, place.case), {}))
        for place in places
        if place.case in cases
    ]
    checks = protocol.dataset_checks
    return tuple(
        replace(finding, severity=checks[finding.check].severity, version=checks[finding.check].version)
        for finding in protocol.judge_dataset(placed)
    )
