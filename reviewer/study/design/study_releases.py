"""The releases that have the cases of a study, with exactly the content that was drawn."""

from dataclasses import replace

from reviewer.study.design.study_bundle import StudyBundle, StudyRelease
from store.database import Database
from store.releases import releases_of


def with_releases(database: Database, bundle: StudyBundle) -> StudyBundle:
    """The study with the releases of its datasets that have at least one of its counted cases."""
    with database.read() as session:
        releases = releases_of(session, sorted({place.dataset for place in bundle.counted}))
    found = []
    for release in releases:
        digests = release.content.get("cases")
        held = digests if isinstance(digests, dict) else {}
        here = (place for place in bundle.counted if place.dataset == release.dataset)
        if cases := sum(held.get(place.key) == place.case for place in here):
            found.append(StudyRelease(release.name, release.version, release.seal, release.origin, cases))
    return replace(bundle, releases=tuple(found))
