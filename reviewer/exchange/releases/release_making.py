"""Making a release: its content is computed, its pages are made, and the folder is written at once."""

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from reviewer import __version__
from reviewer.core.errors import RequestError
from reviewer.core.sanitize import is_blank, is_single_line, strange_character
from reviewer.core.table import Table
from reviewer.exchange.releases.own_format import own_file_of, own_format_of
from reviewer.exchange.releases.release_content import (
    ReleaseContent,
    ReleaseOptions,
    SourceRelease,
    StatedCitation,
    checked_version,
)
from reviewer.exchange.releases.release_facts import (
    audit_facts,
    change_facts,
    dataset_check_facts,
    generation_facts,
    generator_counts,
    group_counts,
    group_definitions,
    right_option_facts,
    study_facts,
)
from reviewer.exchange.releases.release_folder import check_free, name_staged, stage_files
from reviewer.exchange.releases.release_layout import DECLARATION, OWN, PARQUET, ROWS
from reviewer.exchange.releases.release_rows import (
    DataRow,
    mixed_columns,
    parquet_of,
    release_rows,
    rows_as_lines,
    rows_digest,
)
from reviewer.exchange.releases.sealed_files import sealed_files
from reviewer.exchange.releases.selection import Selection, selected_cases
from reviewer.protocols.base import Protocol
from reviewer.protocols.formats import StoredCase
from reviewer.protocols.registry import protocols_of
from reviewer.results.labels.closed_studies import ClosedStudy, read_closed_study
from store.cases import get_dataset
from store.clock import instant, now_ms
from store.database import Database
from store.declarations import definitions_of
from store.findings import measured_in
from store.location import file_of
from store.records import Citation, JsonValue, KeptDeclaration, Release
from store.releases import (
    citation_of,
    put_citation,
    put_release,
    refuse_other_seal,
    release_of,
    releases_of,
)
from store.sqlite import is_single_file
from store.studies import find_study, studies_drawn_from

_LONGEST_LINE = 200


@dataclass(frozen=True)
class PlannedRelease:
    """A release that is not written yet: its record for the store, and its files by path."""

    release: Release
    content: ReleaseContent
    files: Mapping[str, bytes]

    @property
    def unloadable(self) -> tuple[str, ...]:
        """The columns because of which the Hugging Face Hub cannot load any of the files."""
        return () if PARQUET in self.files else self.content.mixed

    @property
    def listing(self) -> Table:
        """Every file with its size, as a person reads it before anything is written."""
        rows = [(name, len(content)) for name, content in sorted(self.files.items())]
        return Table.of(("file", "bytes"), rows)


def known_citation(database: Database, dataset: str) -> Citation:
    """What was said of a dataset earlier; empty where nothing was. Raises RequestError."""
    with database.read() as session:
        get_dataset(session, dataset)
        known = citation_of(session, dataset)
    return known or Citation(dataset=dataset, licence="", authors=[], contact="")


def said_citation(
    known: Citation, licence: str | None, authors: Sequence[str], contact: str | None
) -> Citation:
    """What was said now, else earlier; raises RequestError if something was never said or is not a line."""
    said = Citation(
        dataset=known.dataset,
        licence=licence or known.licence,
        authors=list(authors) or known.authors,
        contact=contact or known.contact,
    )
    if not (said.licence and said.authors and said.contact):
        raise RequestError(
            f"nobody has said the licence, authors and contact of dataset {known.dataset!r} yet; give "
            "--licence, --author and --contact once, and later releases use them."
        )
    for what, text in (
        ("licence", said.licence),
        ("contact", said.contact),
        *(("author", name) for name in said.authors),
    ):
        _check_line(what, text)
    return said


def _check_line(what: str, text: str) -> None:
    if is_blank(text) or not is_single_line(text) or strange_character(text) or len(text) > _LONGEST_LINE:
        raise RequestError(f"the {what} has to be one line of at most {_LONGEST_LINE} characters.")


@dataclass(frozen=True, slots=True)
class _Asked:
    """What a release was asked to be, and the version of the program that makes it."""

    citation: Citation
    version: str
    date: str
    options: ReleaseOptions
    protocol: Protocol
    declared: str
    program: str


def plan_release(
    database: Database,
    citation: Citation,
    version: str,
    options: ReleaseOptions,
    *,
    parquet: bool = False,
) -> PlannedRelease:
    """Compute a release without writing anything; raises RequestError."""
    dataset = citation.dataset
    _refuse_pack(database)
    with database.read() as session:
        known = release_of(session, dataset, dataset, checked_version(version))
        earlier = [made for made in releases_of(session, [dataset]) if known is None or made.at < known.at]
    at = known.at if known else instant(now_ms())
    program = known.program if known else __version__
    passed = [read_closed_study(database, name) for name in options.passed]
    chosen = selected_cases(database, dataset, options, passed)
    protocol, declaration = _protocol(database, dataset)
    rows, form = release_rows(chosen.cases, protocol), own_format_of(protocol)
    digest = declaration.digest if declaration else ""
    asked = _Asked(citation, version, at[:10], options, protocol, digest, program)
    data = {ROWS: rows_as_lines(rows)} | ({OWN: own_file_of(rows, protocol, form)} if form else {})
    data |= {PARQUET: parquet_of(rows)} if parquet else {}
    data |= {DECLARATION: declaration.text.encode()} if declaration else {}
    content, files = sealed_files(_content(database, asked, chosen, passed, rows, earlier), data)
    release = Release(
        dataset=dataset,
        name=dataset,
        version=version,
        seal=content.seal,
        origin="made",
        program=program,
        content=content.model_dump(mode="json"),
        at=at,
    )
    with database.read() as session:
        refuse_other_seal(session, release)
    return PlannedRelease(release, content, files)


def _protocol(database: Database, dataset: str) -> tuple[Protocol, KeptDeclaration | None]:
    """The protocol of a dataset with its definitions of groups, and its declaration if it was declared."""
    with database.read() as session:
        header = get_dataset(session, dataset)
        definitions = definitions_of(session, [dataset])[dataset]
    protocols = protocols_of(database)
    protocol = protocols.named(header.protocol)
    declaration = next(iter(protocols.declarations_of(protocol.reference)), None)
    return protocol.defining(definitions), declaration


def _refuse_pack(database: Database) -> None:
    path = file_of(database.opened_with)
    if path is not None and is_single_file(path):
        raise RequestError(
            "this file is a pack, which has only a part of a dataset; make the release in the store "
            "that the pack was made in."
        )


def write_release(database: Database, planned: PlannedRelease, citation: Citation, folder: Path) -> bool:
    """Write the folder and keep the release in the store; False if the folder has it already.

    Raises RequestError, and neither the folder nor the store then has anything of it.
    """
    there = check_free(folder, planned.files)
    staged = None if there else stage_files(folder, planned.files)
    try:
        with database.write() as session:
            put_citation(session, citation)
            put_release(session, planned.release)
            if staged is not None:
                name_staged(staged, folder)
    finally:
        if staged is not None:
            shutil.rmtree(staged, ignore_errors=True)
    return not there


def _content(
    database: Database,
    asked: _Asked,
    chosen: Selection,
    passed: Sequence[ClosedStudy],
    rows: Sequence[DataRow],
    earlier: Sequence[Release],
) -> ReleaseContent:
    dataset, citation, cases = asked.citation.dataset, asked.citation, chosen.cases
    protocol, form = asked.protocol, own_format_of(asked.protocol)
    with database.read() as session:
        header = get_dataset(session, dataset)
        choices = measured_in(session, dataset, "choice")
    closed, still_open = _studies(database, dataset, passed)
    released = {stored.case.digest for stored in cases}
    imported = next((release for release in reversed(earlier) if release.origin == "imported"), None)
    made = [release for release in earlier if release.origin == "made"]
    return ReleaseContent(
        dataset=dataset,
        version=asked.version,
        date=asked.date,
        protocol=protocol.reference,
        protocol_title=protocol.title,
        group_noun=protocol.group_noun,
        citation=StatedCitation(
            licence=citation.licence, authors=tuple(citation.authors), contact=citation.contact
        ),
        source=header.source,
        source_release=imported
        and SourceRelease(name=imported.name, version=imported.version, seal=imported.seal),
        options=asked.options,
        rows_digest=rows_digest(rows),
        cases={stored.place.key: stored.case.digest for stored in cases},
        decisions=_decisions(cases, choices),
        places=chosen.places,
        left_out=chosen.left_out,
        withdrawn=chosen.withdrawn,
        groups=group_counts(protocol, cases),
        generators=generator_counts(cases),
        right_options=right_option_facts(protocol, cases, chosen.present, choices),
        fields=tuple(sorted({name for stored in cases for name in stored.published})),
        texts=tuple(sorted({name for stored in cases for name in stored.case.payload})),
        extras=tuple(sorted({name for stored in cases for name in stored.place.extra})),
        generation=generation_facts(database, cases),
        audit=audit_facts(database, dataset, protocol, chosen),
        studies=tuple(study_facts(study, released, asked.options) for study in closed),
        open_studies=still_open,
        changes=change_facts(database, dataset, asked.version, made, asked.options),
        mixed=mixed_columns(rows),
        own_format=form.name if form else "",
        about=protocol.about,
        definitions=group_definitions(protocol, cases),
        declared=asked.declared,
        dataset_checks=dataset_check_facts(database, dataset, protocol, cases, asked.options),
        program=asked.program,
    )


def _decisions(
    cases: Sequence[StoredCase], choices: Mapping[str, Mapping[str, JsonValue]]
) -> dict[str, dict[str, str]]:
    """Key → variant → the option that its program decides for, where an audit measured it."""
    return {
        stored.place.key: {variant: str(choice) for variant, choice in choices[stored.case.digest].items()}
        for stored in cases
        if stored.case.digest in choices
    }


def _studies(
    database: Database, dataset: str, passed: Sequence[ClosedStudy]
) -> tuple[list[ClosedStudy], int]:
    """The closed studies that were drawn from the dataset, with those named, and the number of open ones."""
    named = {study.bundle.study.name: study for study in passed}
    with database.read() as session:
        names = sorted({*studies_drawn_from(session, dataset), *named})
        studies = [study for name in names if (study := find_study(session, name))]
    closed = [study.name for study in studies if study.closed_at is not None]
    read = [named.get(name) or read_closed_study(database, name) for name in closed]
    return read, len(studies) - len(closed)
