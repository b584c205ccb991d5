"""Who asks a command to show something, and what the rules of blinding refuse them."""

from collections.abc import Iterable

from reviewer.core.errors import RequestError
from reviewer.options.shared import own_name
from reviewer.protocols.registry import protocols_of
from reviewer.study.session.blinding import (
    hidden_datasets,
    owed_by,
    why_not_audit,
    why_not_history,
    why_not_outcomes,
    why_not_published,
    why_not_results,
    why_not_shared_cases,
)
from reviewer.study.session.rater_progress import StudyProgress, progress_of, study_progress
from store.database import Database
from store.studies import packed_raters, studies_with_case


def viewer(database: Database) -> str:
    """The person at the keyboard. A pack is its rater's, whatever name the settings have."""
    with database.read() as session:
        packed = packed_raters(session)
    return next(iter(packed.values()), None) or own_name()


def is_packed(database: Database, study: str) -> bool:
    """Whether the study came here in a pack."""
    with database.read() as session:
        return study in packed_raters(session)


def check_results(database: Database, study: str) -> None:
    """Raise RequestError if the person at the keyboard may not see labels and numbers of the study."""
    person = viewer(database)
    reason = why_not_results(progress_of(database, study), person)
    if reason := reason or why_not_shared_cases(database, person, study):
        raise RequestError(reason)


def check_outcomes(database: Database, datasets: Iterable[str]) -> None:
    """Raise RequestError if answers of models would influence answers that this person still owes."""
    if reason := why_not_outcomes(database, study_progress(database), viewer(database), datasets):
        raise RequestError(reason)


def check_findings(database: Database, dataset: str) -> None:
    """Raise RequestError if findings would influence answers that this person still owes."""
    if reason := why_not_audit(database, study_progress(database), viewer(database), dataset):
        raise RequestError(reason)


def check_history(database: Database, dataset: str) -> None:
    """Raise RequestError if revisions and notes would influence answers that this person still owes."""
    if reason := why_not_history(database, study_progress(database), viewer(database), dataset):
        raise RequestError(reason)


def check_published(database: Database, dataset: str) -> None:
    """Raise RequestError if published values would influence answers that this person still owes."""
    if reason := why_not_published(database, study_progress(database), viewer(database), dataset):
        raise RequestError(reason)


def hidden_from_viewer(database: Database) -> frozenset[str]:
    """The datasets whose generators the person at the keyboard may not see yet."""
    return hidden_datasets(database, protocols_of(database), study_progress(database), viewer(database))


def owed_studies(database: Database, digest: str, datasets: Iterable[str]) -> list[StudyProgress]:
    """The open studies about a case, or a dataset that has it, in which this person has cases to answer."""
    with database.read() as session:
        asking, places = studies_with_case(session, digest), {*datasets}
    return [
        progress
        for progress in owed_by(study_progress(database), viewer(database))
        if progress.study.name in asking or places & {*progress.study.design["datasets"]}
    ]


def owed_words(owed: Iterable[StudyProgress]) -> str:
    """In which studies this person has cases to answer, as the beginning of a sentence."""
    return f"You still have cases to answer in study {', '.join(known.study.name for known in owed)}"
