"""Whole stores: backed up and checked, and files merged into them: packs that come back, and other stores."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

from reviewer.core.errors import InputError, RequestError
from reviewer.core.sanitize import one_line
from reviewer.protocols.registry import PROTOCOLS, Protocols
from reviewer.runs.audit.reader_reports import finding_of_reports
from reviewer.study.integrity.store_check import StoreCheck, check_store
from reviewer.study.transfer.finding_merge import Dismissals, merge_complaints
from reviewer.study.transfer.merge import Merged, Trust, is_copy, merge_study_rows
from reviewer.study.transfer.pack_manifest import alterations
from reviewer.study.transfer.release_merge import AboutDatasets, merge_releases
from reviewer.study.transfer.revision_merge import merge_revisions
from store.backup import back_up
from store.copying import copy_store
from store.database import Database
from store.evaluations import Evaluations
from store.location import file_of
from store.records import Complaint
from store.server_rows import rows_on_server
from store.study_rows import StudyRows
from store.untrusted_store import UntrustedStore, shown_name, untrusted_store


def checked(location: str, protocols: Protocols = PROTOCOLS) -> StoreCheck:
    """The check of the store at a path or URL; raises ReviewerError if it cannot be read at all."""
    path = file_of(location)
    if path is not None:
        with untrusted_store(path, own=True) as file:
            return check_store(file, protocols)
    with rows_on_server(location) as rows:
        return check_store(rows, protocols)


def back_up_store(location: str, target: Path, protocols: Protocols = PROTOCOLS) -> StoreCheck:
    """Copy a store into a new file and check the copy; raises ReviewerError, and then leaves no partial
    file.
    """
    if target.exists():
        raise RequestError(f"file {str(target)!r} already exists; give another name.")
    path = file_of(location)
    if path is not None:
        back_up(path, target)
    else:
        with (
            closing(Database.open(location, must_exist=True)) as old,
            closing(Database.open(str(target))) as new,
        ):
            copy_store(old, new)
    with untrusted_store(target, own=True) as file:
        return check_store(file, protocols)


_STAYS = (
    "evaluation run {!r} stays in that file, since a merge brings no outcomes; open the file with --store"
)


def merge_file(
    database: Database,
    path: Path,
    *,
    trusted: bool = False,
    accept_clock: bool = False,
    dry_run: bool = False,
) -> list[Merged]:
    """What was merged of each rater's events in a file, by study; an unusable file is one refusal."""
    trust = Trust(trusted, accept_clock)
    try:
        with untrusted_store(path) as file:
            file.check_definitions()
            studies = [file.rows_of_study(study) for study in file.studies()]
            if file.damage:
                return [_refused(f"it is damaged: {_named_damage(file, studies)}")]
            # A pack has nothing else. If somebody put revisions or the like in, they are not read.
            whole = not any(study.seal for study in studies)
            revisions = list(file.revisions()) if whole else []
            about = AboutDatasets.of(file) if whole else AboutDatasets()
            complaints = file.complaints() if whole else []
            dismissals = Dismissals.of(file) if whole else Dismissals()
            evaluations = file.evaluation_runs() if whole else []
            contents = {case.digest: case for case in file.cases()} if revisions else {}
    except InputError as error:
        return [_refused(_why(error, path))]
    merged = [
        account
        for study_rows in studies
        for account in merge_study_rows(database, study_rows, file.name, trust=trust, dry_run=dry_run)
    ]
    vouched = trusted or any(is_copy(database, study_rows) for study_rows in studies)
    if revisions:
        merged.append(merge_revisions(database, revisions, contents, vouched=vouched, dry_run=dry_run))
    merged += _about_datasets(database, complaints, dismissals, about, vouched=vouched, dry_run=dry_run)
    known = {run.name for run in Evaluations(database).runs()} if evaluations else set[str]()
    if stay := tuple(_STAYS.format(one_line(name)) for name in evaluations if name not in known):
        merged.append(Merged("", "", remarks=stay))
    merged += _altered(file, merged)
    return merged or [_refused("it holds no study")]


def _about_datasets(
    database: Database,
    complaints: Sequence[Complaint],
    dismissals: Dismissals,
    about: AboutDatasets,
    *,
    vouched: bool,
    dry_run: bool,
) -> Iterator[Merged]:
    """What a whole store says of its datasets; some of it is about contents that revisions bring before."""
    if complaints or len(dismissals):
        yield merge_complaints(
            database, complaints, dismissals, finding_of_reports, vouched=vouched, dry_run=dry_run
        )
    if about.anything:
        yield merge_releases(database, about, vouched=vouched, dry_run=dry_run)


def _altered(file: UntrustedStore, merged: Sequence[Merged]) -> list[Merged]:
    """The rows that no result names: unreadable ones, and one that belongs to nothing in the file."""
    named = any(account.refused or account.missing for account in merged)
    altered = (*file.unreadable, *([file.orphan] if file.orphan and not named else []))
    return [Merged("", "", refused=altered)] if altered else []


def _why(error: InputError, path: Path) -> str:
    """What is wrong with a file, without its name."""
    place = error.where.removeprefix(f"file {shown_name(path)!r}").lstrip(", ")
    return f"{place}: {error.wrong}; {error.remedy}" if place else f"{error.wrong}; {error.remedy}"


def _refused(why: str) -> Merged:
    return Merged("", "", refused=(why,))


def _named_damage(file: UntrustedStore, studies: list[StudyRows]) -> str:
    """Which rows are damaged, if they show it; else what SQLite says."""
    altered = [
        words
        for study_rows in studies
        if study_rows.seal is not None
        for words in (*alterations(study_rows, study_rows.seal), *_altered_events(study_rows))
    ]
    return "; ".join([*altered[:3], *file.unreadable[:3]]) or str(file.damage)


def _altered_events(study_rows: StudyRows) -> list[str]:
    return [
        f"event {event.id} was altered"
        for event in study_rows.events
        if event.digest != event.content_digest()
    ]
