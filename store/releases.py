"""Releases: the sealed versions of datasets that this store made or imported, and how datasets are cited."""

from collections.abc import Iterable

from sqlalchemy import insert
from sqlmodel import Session, col

from reviewer.core.errors import RequestError
from store.records import Citation, Release
from store.row_records import records, select_as
from store.tables import CitationRow, ReleaseRow


def citation_of(session: Session, dataset: str) -> Citation | None:
    """How the dataset is cited; None if nobody has said."""
    row = session.get(CitationRow, dataset)
    return row and Citation.model_validate(row.model_dump())


def put_citation(session: Session, citation: Citation) -> None:
    """Say how a dataset is cited, in place of the earlier citation."""
    session.merge(CitationRow(**citation.model_dump()))


def release_of(session: Session, dataset: str, name: str, version: str) -> Release | None:
    """The release of this name and version, if this dataset has it."""
    row = session.get(ReleaseRow, (dataset, name, version))
    return row and Release.model_validate(row.model_dump())


def releases_of(session: Session, datasets: Iterable[str]) -> list[Release]:
    """The releases that were made of these datasets, or that they were imported from, oldest first."""
    wanted = select_as(Release, ReleaseRow).where(col(ReleaseRow.dataset).in_(list(datasets)))
    order = col(ReleaseRow.at), col(ReleaseRow.name), col(ReleaseRow.version)
    return list(records(session, Release, wanted.order_by(*order)))


def refuse_other_seal(session: Session, release: Release) -> Release | None:
    """The release if it is kept already; raises RequestError if its version exists with another seal."""
    known = release_of(session, release.dataset, release.name, release.version)
    if known is not None and known.seal != release.seal:
        raise RequestError(
            f"version {release.version} of {release.name!r} exists with other content or options (since "
            f"{known.at[:10]}, seal {known.seal[:12]}); a version never changes, so give another --version."
        )
    return known


def put_release(session: Session, release: Release) -> None:
    """Keep a release; raises RequestError if its version exists with another seal."""
    if refuse_other_seal(session, release) is None:
        session.execute(insert(ReleaseRow), release.model_dump())
