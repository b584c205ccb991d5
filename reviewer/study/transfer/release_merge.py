"""Merges what another store says of its datasets: releases, citations, texts of authors, groups."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Self

from reviewer.core.sanitize import counted, enumerated, one_line, shown
from reviewer.study.transfer.merge import Merged
from store.cases import list_datasets
from store.database import Database
from store.declarations import definitions_of, put_definitions
from store.descriptions import dataset_descriptions_of, put_descriptions
from store.records import Citation, DatasetDescription, GroupDefinition, Release, digest_of
from store.releases import citation_of, put_citation, put_release, release_of
from store.untrusted_store import UntrustedStore


def release_fault(release: Release) -> str | None:
    """The fault of a kept release by itself; None if its content has its seal and its fields."""
    if digest_of(release.content) != release.seal:
        return "was altered: its seal is of other content"
    stated = {"dataset": release.name, "version": release.version, "program": release.program}
    differing = [name for name, value in stated.items() if release.content.get(name) != value]
    return f"was altered: its content has another {enumerated(differing)}" if differing else None


@dataclass
class AboutDatasets:
    """What a store says of its datasets."""

    releases: list[Release] = field(default_factory=list)
    citations: list[Citation] = field(default_factory=list)
    descriptions: list[DatasetDescription] = field(default_factory=list)
    definitions: list[GroupDefinition] = field(default_factory=list)

    @classmethod
    def of(cls, file: UntrustedStore) -> Self:
        """What a file says."""
        return cls(file.releases(), file.citations(), file.dataset_descriptions(), file.group_definitions())

    @property
    def anything(self) -> bool:
        """Whether it says anything."""
        return bool(self.releases or self.citations or self.descriptions or self.definitions)


@dataclass
class _News(AboutDatasets):
    """Statements of a file that this store lacks, with refusals and remarks."""

    refused: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)


def merge_releases(
    database: Database,
    about: AboutDatasets,
    *,
    vouched: bool,
    dry_run: bool = False,
) -> Merged:
    """Merge what a whole store says of those datasets that this store has too.

    ``vouched``: the file is a copy of this store, or the person who merges vouches for it. Citations, texts
    of authors and definitions of groups that this store has stay.
    """
    if not vouched:
        of_releases = counted(len(about.releases), "release")
        why = (
            f"its {of_releases}: the file is not a copy of this store, so it cannot prove who made them; if "
            "you vouch for it, give --trust"
        )
        return Merged("", "", refused=(why,) if about.releases else ())
    news = _news(database, about)
    if not dry_run and news.anything:
        with database.write() as session:
            for release in news.releases:
                put_release(session, release)
            for citation in news.citations:
                put_citation(session, citation)
            put_descriptions(session, news.descriptions)
            for defined in news.definitions:
                put_definitions(session, defined.dataset, {defined.group: defined.definition})
    return Merged("", "", refused=tuple(news.refused), remarks=tuple(news.remarks))


def _news(database: Database, about: AboutDatasets) -> _News:
    news = _News()
    with database.read() as session:
        here = {dataset.name for dataset in list_datasets(session)}
        for release in about.releases:
            known = release_of(session, release.dataset, release.name, release.version)
            _sort(release, known, release.dataset in here, news)
        for citation in about.citations:
            kept = citation_of(session, citation.dataset)
            if citation.dataset in here and kept is None:
                news.citations.append(citation)
                news.remarks.append(f"licence, authors and contact of dataset {citation.dataset} added")
            elif citation.dataset in here and kept != citation:
                news.remarks.append(
                    f"it cites dataset {citation.dataset} otherwise; this store keeps its own citation"
                )
        kept_definitions = definitions_of(session, here)
        texts = {(each.dataset, each.topic): each for each in dataset_descriptions_of(session, here)}
    _sort_definitions(about.definitions, kept_definitions, news)
    for said in about.descriptions:
        own = texts.get((said.dataset, said.topic))
        named = f"the text on {said.topic} of dataset {said.dataset}"
        if said.dataset in here and own is None:
            news.descriptions.append(said)
            news.remarks.append(f"{named} added")
        elif said.dataset in here and own and own.text != said.text:
            news.remarks.append(f"{named} differs; this store keeps its own")
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
