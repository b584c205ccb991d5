"""Making a release: its content is computed, its pages are made, and the folder is written at once."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path

from reviewer import __version__
from reviewer.core.errors import RequestError
from reviewer.core.sanitize import is_blank, is_single_line, strange_character
from reviewer.core.table import Table
from reviewer.exchange.releases.dataset_description import described
from reviewer.exchange.releases.harness_tasks import tasks_of
from reviewer.exchange.releases.profile_counts import profile_words
from reviewer.exchange.releases.published_labels import StudyLabels, label_files
from reviewer.exchange.releases.release_content import (
    PAGES,
    ReleaseContent,
    ReleaseOptions,
    SourceRelease,
    StatedCitation,
    StudyFacts,
    checked_version,
)
from reviewer.exchange.releases.release_facts import (
    audit_facts,
    change_facts,
    dataset_check_facts,
    generation_facts,
    group_definitions,
    guess_facts,
    human_facts,
    opinion_facts,
    report_facts,
    right_option_facts,
    stop_facts,
    study_cautions,
    study_facts,
)
from reviewer.exchange.releases.release_files import (
    DataRow,
    own_file_of,
    own_format_of,
    parquet_of,
    release_rows,
    row_facts,
    sealed_files,
    stored_case,
)
from reviewer.exchange.releases.release_folder import ReleaseFile, check_free, name_staged, staged_files
from reviewer.exchange.releases.selection import Selection, hold_out, selected_cases
from reviewer.exchange.rows.row_files import json_text
from reviewer.protocols.base import Protocol
from reviewer.protocols.formats import StoredCase
from reviewer.protocols.registry import protocols_of
from reviewer.results.labels.final_labels import ClosedStudy, read_closed_study
from reviewer.study.design.design_facts import drawn_words
from reviewer.study.session.label_rows import label_rows
from store.cases import get_dataset
from store.clock import instant, now_ms
from store.database import Database
from store.declarations import definitions_of
from store.findings import measured_in
from store.location import file_of
from store.records import Citation, JsonValue, KeptDeclaration, Release
from store.releases import citation_of, put_citation, put_release, refuse_other_seal, release_of, releases_of
from store.sqlite import is_single_file
from store.studies import find_study, secret_of, studies_drawn_from

_LONGEST_LINE = 200


@dataclass(frozen=True)
class PlannedRelease:
    """A release that is not written yet: its record for the store, and its files by path."""

    release: Release
    content: ReleaseContent
    files: Mapping[str, bytes]
    withheld: Mapping[str, str]
    """Study → why its labels stay out."""
    tasks: Mapping[str, Mapping[str, bytes]]
    """Harness → the files of its task, which stand in a folder beside the release."""

    @property
    def published(self) -> tuple[str, ...]:
        """The studies whose labels are published."""
        return tuple(study.name for study in self.content.studies if study.name not in self.withheld)

    @property
    def unloadable(self) -> tuple[str, ...]:
        """The columns because of which the Hugging Face Hub cannot load any of the files."""
        return () if ReleaseFile.PARQUET in self.files else self.content.mixed

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


@dataclass(frozen=True)
class _ReleasedStudy:
    """A closed study, its labels, those of cases that are not held out, and why these stay out; "" if not."""

    study: ClosedStudy
    whole: StudyLabels
    labels: StudyLabels
    withheld: str

    @property
    def name(self) -> str:
        """The name of the study."""
        return self.study.bundle.study.name

    def facts(self, released: Collection[str], names: bool) -> StudyFacts:
        """Its numbers, computed from its labels also where they stay out."""
        bundle = self.study.bundle
        raters = {row.rater for row in label_rows(bundle, self.study.events) if row.label} if names else ()
        told, sample = self.labels.closed(bundle.protocol), drawn_words(bundle.design)
        beside = study_cautions(self.study) | {
            "people": profile_words(bundle.raters, names=names),
            "stopped": stop_facts(self.whole.closed(bundle.protocol)),
        }
        if self.whole is not self.labels:
            measured = replace(told.bundle, measurements=bundle.measurements)
            beside |= {
                "opinions": opinion_facts(replace(told, bundle=measured)),
                "human": human_facts(replace(told, bundle=measured)),
                "whole": study_facts(self.whole.closed(bundle.protocol), released),
            }
        return study_facts(told, released, sample, sorted(raters)).model_copy(update=beside)


@dataclass(frozen=True)
class _Studies:
    """The closed studies of a dataset, and how many others are open."""

    closed: Sequence[_ReleasedStudy]
    still_open: int


def plan_release(
    database: Database,
    citation: Citation,
    version: str,
    options: ReleaseOptions,
    *,
    parquet: bool = False,
    without_labels: bool = False,
    harnesses: Sequence[str] = (),
) -> PlannedRelease:
    """Compute a release and its tasks without writing anything; raises RequestError."""
    dataset = citation.dataset
    _refuse_pack(database)
    with database.read() as session:
        known = release_of(session, dataset, dataset, checked_version(version))
        earlier = [made for made in releases_of(session, [dataset]) if known is None or made.at < known.at]
    at = known.at if known else instant(now_ms())
    passed = [read_closed_study(database, name) for name in options.passed]
    chosen = selected_cases(database, dataset, options, passed)
    if options.hold_out:
        chosen = hold_out(chosen, options.hold_out, earlier)
    protocol, declaration = _protocol(database, dataset)
    rows = release_rows(chosen.cases, protocol)
    asked = _Asked(
        citation,
        version,
        at[:10],
        options,
        protocol,
        declaration.digest if declaration else "",
        known.program if known else __version__,
    )
    studies = _studies(database, asked, passed, chosen.held_out, without_labels=without_labels)
    data = _case_files(rows, asked, parquet) | label_files(
        [study.labels for study in studies.closed if not study.withheld]
    )
    if declaration:
        data[ReleaseFile.DECLARATION] = declaration.text.encode()
    content, files = sealed_files(_content(database, asked, chosen, studies, rows, earlier), data)
    release = content.record(dataset, "made", at)
    with database.read() as session:
        refuse_other_seal(session, release)
    withheld = {study.name: study.withheld for study in studies.closed if study.withheld}
    shown = [study.study for study in studies.closed if not study.withheld]
    tasks = tasks_of(harnesses, content.title, protocol, chosen.cases, shown)
    return PlannedRelease(release, content, files, withheld, tasks)


def _case_files(rows: Sequence[DataRow], asked: _Asked, parquet: bool) -> dict[str, bytes]:
    """The files with the cases, by path."""
    data: dict[str, bytes] = {ReleaseFile.ROWS: "".join(map(json_text, rows)).encode()}
    if form := own_format_of(asked.protocol):
        data[ReleaseFile.OWN] = own_file_of(rows, asked.protocol, form)
    if parquet:
        data[ReleaseFile.PARQUET] = parquet_of(rows)
    return data


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
    new = not check_free(folder, planned.files)
    staging = staged_files(folder, planned.files) if new else nullcontext()
    with staging as staged, database.write() as session:
        put_citation(session, citation)
        put_release(session, planned.release)
        if staged is not None:
            name_staged(staged, folder)
    return new


def write_tasks(planned: PlannedRelease, folder: Path) -> Iterator[Path]:
    """Write the folder of each task beside that of the release; raises RequestError."""
    for harness, files in planned.tasks.items():
        beside = folder.with_name(f"{folder.name}-{harness}")
        if not check_free(beside, files):
            with staged_files(beside, files) as staged:
                name_staged(staged, beside)
        yield beside


def _content(
    database: Database,
    asked: _Asked,
    chosen: Selection,
    studies: _Studies,
    rows: Sequence[DataRow],
    earlier: Sequence[Release],
) -> ReleaseContent:
    dataset, cases = asked.citation.dataset, chosen.cases
    protocol, form = asked.protocol, own_format_of(asked.protocol)
    with database.read() as session:
        header = get_dataset(session, dataset)
        choices = measured_in(session, dataset, "choice")
    released = {stored.case.digest for stored in cases}
    imported = next((release for release in reversed(earlier) if release.origin == "imported"), None)
    made = [release for release in earlier if release.origin == "made"]
    return ReleaseContent(
        **dict(row_facts(rows, protocol.groups_among)),
        dataset=dataset,
        version=asked.version,
        date=asked.date,
        protocol=protocol.reference,
        protocol_title=protocol.title,
        group_noun=protocol.group_noun,
        citation=StatedCitation.model_validate(asked.citation, from_attributes=True),
        source=header.source,
        source_release=imported
        and SourceRelease(name=imported.name, version=imported.version, seal=imported.seal),
        options=asked.options,
        decisions=_decisions(cases, choices),
        places=chosen.places,
        left_out=chosen.left_out,
        withdrawn=chosen.withdrawn,
        right_options=right_option_facts(protocol, cases, chosen.present, choices),
        generation=generation_facts(database, cases),
        audit=audit_facts(database, dataset, protocol, chosen),
        studies=tuple(study.facts(released, asked.options.names) for study in studies.closed),
        open_studies=studies.still_open,
        changes=change_facts(database, dataset, asked.version, made, asked.options),
        reports=report_facts(database, dataset, asked.version, made, asked.options, chosen.held_out),
        own_format=form.name if form else "",
        about=protocol.about,
        definitions=group_definitions(protocol, cases),
        declared=asked.declared,
        held_out=tuple(sorted(chosen.held_out)),
        described={topic: each.text for topic, each in described(database, dataset).items()},
        dataset_checks=dataset_check_facts(database, dataset, protocol, cases, asked.options),
        guessing=guess_facts(protocol, [stored_case(row, at, protocol) for at, row in enumerate(rows)]),
        program=asked.program,
        pages=PAGES,
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
    database: Database,
    asked: _Asked,
    passed: Sequence[ClosedStudy],
    held_out: Collection[str],
    *,
    without_labels: bool,
) -> _Studies:
    """The closed studies that were drawn from the dataset, with those named, and the number of open ones."""
    named = {study.bundle.study.name: study for study in passed}
    with database.read() as session:
        names = sorted({*studies_drawn_from(session, asked.citation.dataset), *named})
        studies = [study for name in names if (study := find_study(session, name))]
    closed = [study.name for study in studies if study.closed_at is not None]
    read = [named.get(name) or read_closed_study(database, name) for name in closed]
    told = [
        _released_study(database, asked, study, held_out, without_labels=without_labels) for study in read
    ]
    return _Studies(told, len(studies) - len(closed))


def _released_study(
    database: Database,
    asked: _Asked,
    study: ClosedStudy,
    held_out: Collection[str],
    *,
    without_labels: bool,
) -> _ReleasedStudy:
    """A study with its labels, whose raters have other numbers in each release."""
    name = study.bundle.study.name
    with database.read() as session:
        secret = secret_of(session, name)
    order = f"{secret} {asked.citation.dataset} {asked.version}"
    whole = labels = StudyLabels.of(study, order)
    cases = {place.case for place in study.bundle.counted}
    if cases & {*held_out} and cases - {*held_out}:
        labels = StudyLabels.of(study, order, held_out)
    consented = any(each.topic == "consent" for each in study.bundle.descriptions)
    withheld = ""
    if without_labels:
        withheld = "--without-labels was given"
    elif cases <= {*held_out}:
        withheld = "all its cases are held out"
    elif secret is None:
        withheld = "it was rescued from a damaged file, without the secret that hides who is which rater"
    elif not consented:
        withheld = f"no consent is recorded; record it with `reviewer study describe {name} --consent TEXT`"
    return _ReleasedStudy(study, whole, labels, withheld)
