"""Merging files into a store: packs that come back, and whole stores."""

from pathlib import Path

from reviewer.core.errors import InputError
from reviewer.core.sanitize import one_line
from reviewer.study.transfer.merge import Merged, Trust, is_copy, merge_study_rows
from reviewer.study.transfer.pack_manifest import alterations
from reviewer.study.transfer.release_merge import merge_releases
from reviewer.study.transfer.revision_merge import merge_revisions
from store.database import Database
from store.evaluations import Evaluations
from store.study_rows import StudyRows
from store.untrusted_store import UntrustedStore, shown_name, untrusted_store

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
            # A pack has neither revisions nor releases. If somebody put some in, they are not read.
            whole = not any(study.seal for study in studies)
            revisions = list(file.revisions()) if whole else []
            releases, citations, definitions = (
                (file.releases(), file.citations(), file.group_definitions()) if whole else ([], [], [])
            )
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
    if releases or citations or definitions:
        about = merge_releases(database, releases, citations, definitions, vouched=vouched, dry_run=dry_run)
        merged.append(about)
    known = {run.name for run in Evaluations(database).runs()} if evaluations else set[str]()
    if stay := tuple(_STAYS.format(one_line(name)) for name in evaluations if name not in known):
        merged.append(Merged("", "", remarks=stay))
    if file.unreadable:
        merged.append(Merged("", "", refused=tuple(file.unreadable)))
    return merged or [_refused("it holds no study")]


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
