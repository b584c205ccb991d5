"""Merges the releases of another store, how its datasets are cited, and how their groups are defined."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from reviewer.core.sanitize import counted, one_line, shown
from reviewer.study.transfer.merge import Merged
from store.cases import list_datasets
from store.database import Database
from store.declarations import definitions_of, put_definitions
from store.records import Citation, GroupDefinition, Release, digest_of
from store.releases import citation_of, put_citation, put_release, release_of


def release_fault(release: Release) -> str | None:
    """What is wrong with a kept release by itself; None if its seal is the digest of its content."""
    return None if digest_of(release.content) == release.seal else "was altered: its seal is of other content"


@dataclass
class _News:
    """What a file has and this store lacks, with what was refused and what is worth a remark."""

    releases: list[Release] = field(default_factory=list)
    citations: list[Citation] = field(default_factory=list)
    definitions: list[GroupDefinition] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)


def merge_releases(
    database: Database,
    releases: Sequence[Release],
    citations: Sequence[Citation],
    definitions: Sequence[GroupDefinition] = (),
    *,
    vouched: bool,
    dry_run: bool = False,
) -> Merged:
    """Merge what a whole store says of those datasets that this store has too.

    ``vouched``: the file is a copy of this store, or the person who merges vouches for it. Citations and
    definitions of groups that this store has stay.
    """
    if not vouched:
        why = (
            f"its {counted(len(releases), 'release')}: the file is not a copy of this store, so it cannot "
            "prove who made them; if you vouch for it, give --trust"
        )
        return Merged("", "", refused=(why,) if releases else ())
    news = _news(database, releases, citations, definitions)
    if not dry_run and (news.releases or news.citations or news.definitions):
        with database.write() as session:
            for release in news.releases:
                put_release(session, release)
            for citation in news.citations:
                put_citation(session, citation)
            for defined in news.definitions:
                put_definitions(session, defined.dataset, {defined.group: defined.definition})
    return Merged("", "", refused=tuple(news.refused), remarks=tuple(news.remarks))


def _news(
    database: Database,
    releases: Sequence[Release],
    citations: Sequence[Citation],
    definitions: Sequence[GroupDefinition],
) -> _News:
    news = _News()
    with database.read() as session:
        here = {dataset.name for dataset in list_datasets(session)}
        for release in releases:
            known = release_of(session, release.dataset, release.name, release.version)
            _sort(release, known, release.dataset in here, news)
        for citation in citations:
            kept = citation_of(session, citation.dataset)
            if citation.dataset in here and kept is None:
                news.citations.append(citation)
                news.remarks.append(f"licence, authors and contact of dataset {citation.dataset} added")
            elif citation.dataset in here and kept != citation:
                news.remarks.append(
                    f"it cites dataset {citation.dataset} otherwise; this store keeps its own citation"
                )
        kept_definitions = definitions_of(session, here)
    _sort_definitions(definitions, kept_definitions, news)
    return news


def _sort_definitions(
    definitions: Sequence[GroupDefinition], here: Mapping[str, Mapping[str, str]], news: _News
) -> None:
    """Add the definitions that this store lacks to the news, with a remark on each that differs."""
    added: dict[str, int] = {}
    for defined in definitions:
        dataset, group = defined.dataset, defined.group
        known = here.get(dataset, {}).get(group)
        if dataset in here and known is None:
            news.definitions.append(defined)
            added[dataset] = added.get(dataset, 0) + 1
        elif dataset in here and known != defined.definition:
            news.remarks.append(
                f"it defines {shown(group)!r} of dataset {dataset} in different words; this store keeps its "
                "own definition until you import the dataset again with --groups"
            )
    for dataset, number in added.items():
        news.remarks.append(f"{counted(number, 'definition')} of groups of dataset {dataset} added")


def _sort(release: Release, known: Release | None, has_dataset: bool, news: _News) -> None:
    """Add a release to the news, refuse it, or leave it out with a remark."""
    named = f"release {release.name} {one_line(release.version, 40)} of dataset {release.dataset}"
    if fault := release_fault(release):
        news.refused.append(f"{named} {fault}")
    elif not has_dataset:
        news.remarks.append(f"{named} left out, since the dataset is not in this store")
    elif known is None:
        news.releases.append(release)
        news.remarks.append(f"{named} added")
    elif known.seal != release.seal:
        news.refused.append(f"{named} has the seal {release.seal[:12]}, and the one here {known.seal[:12]}")
