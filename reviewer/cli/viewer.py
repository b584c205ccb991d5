"""Who asks a command to show something, what blinding refuses them, and the study that they may see."""

from collections.abc import Collection, Iterable, Mapping

from reviewer.core.errors import RequestError
from reviewer.core.sanitize import enumerated
from reviewer.options.shared import own_name
from reviewer.protocols.registry import protocols_of
from reviewer.study.session.blinding import (
    Influence,
    hidden_datasets,
    owed_by,
    owed_in_pack,
    why_not_effects,
    why_not_for_others,
    why_not_influence,
    why_not_opinions,
    why_not_outcomes,
    why_not_results,
    why_not_shared_cases,
)
from reviewer.study.session.rater_progress import StudyProgress, progress_of, study_progress
from store.database import Database
from store.studies import packed_raters, studies_of_answers, studies_with_case


def viewer(database: Database) -> str:
    """The person at the keyboard. A pack is its rater's, whatever name the settings have."""
    with database.read() as session:
        packed = packed_raters(session)
    return next(iter(packed.values()), None) or own_name()


def check_results(database: Database, study: str) -> None:
    """Raise RequestError if the person at the keyboard may not see labels and numbers of the study."""
    viewer_of_results(database, study)


def viewer_of_results(database: Database, study: str) -> tuple[str, StudyProgress]:
    """The person at the keyboard, who may see labels and numbers of the study, and its progress.

    Raises RequestError if they may not.
    """
    person, progress = viewer(database), progress_of(database, study)
    if reason := why_not_results(progress, person) or why_not_shared_cases(database, person, study):
        raise RequestError(reason)
    return person, progress


def check_for_others(database: Database, study: str, *raters: str) -> None:
    """Raise RequestError if the person at the keyboard may not act for these raters of the study."""
    if reason := why_not_for_others(progress_of(database, study), viewer(database), raters):
        raise RequestError(reason)


def check_opinions(database: Database, study: str) -> None:
    """Raise RequestError if opinions of machines would influence decisions that this person still owes."""
    if reason := why_not_opinions(database, study, viewer(database)):
        raise RequestError(reason)


def check_generators(database: Database, datasets: Iterable[str]) -> None:
    """Raise RequestError if the person at the keyboard may not learn yet who wrote cases of the datasets."""
    if hidden := sorted(hidden_from_viewer(database) & {*datasets}):
        raise RequestError(
            f"names of generators would tell who wrote cases of {enumerated(hidden)} that you still have to "
            "answer or decide. Finish the studies of them first, or close these."
        )


def check_outcomes(database: Database, datasets: Iterable[str], judged_study: str = "") -> None:
    """Raise RequestError if answers of models would influence answers that this person still owes.

    Answers of judges of a study are refused to everybody while a rater of it owes answers.
    """
    studies, person = study_progress(database), viewer(database)
    if reason := why_not_outcomes(database, studies, person, datasets, judged_study):
        raise RequestError(reason)


def check_effects(database: Database, run: str) -> None:
    """Raise RequestError if what the models of a run did would influence judgements that this person owes."""
    with database.read() as session:
        judged = studies_of_answers(session, run)
    if judged and (reason := why_not_effects(database, study_progress(database), viewer(database), run)):
        raise RequestError(reason)


def check_influence(database: Database, dataset: str, shown: Influence) -> None:
    """Raise RequestError if this of a dataset would influence answers that this person still owes."""
    if reason := why_not_influence(database, study_progress(database), viewer(database), dataset, shown):
        raise RequestError(reason)


def hidden_from_viewer(database: Database) -> frozenset[str]:
    """The datasets whose generators the person at the keyboard may not see yet."""
    return hidden_datasets(database, protocols_of(database), study_progress(database), viewer(database))


def owed_studies(database: Database, digest: str, datasets: Iterable[str]) -> dict[str, StudyProgress]:
    """The open studies about a case, or a dataset that has it, in which this person has cases to answer.

    A pack holds no other study: its own one stands for those, whose questions it asks too.
    """
    with database.read() as session:
        asking, places = studies_with_case(session, digest), {*datasets}
    known = study_progress(database)
    elsewhere = {other: progress for progress in known for other in owed_in_pack(progress, digest)}
    owed = {
        progress.study.name: progress
        for progress in owed_by(known, viewer(database))
        if progress.study.name in asking or places & {*progress.study.design["datasets"]}
    }
    return {**elsewhere, **owed}


def undecided_words(undecided: Mapping[str, Collection[str]]) -> str:
    """What this person has still to decide, by study, as the beginning of a sentence; "" if nothing."""
    if not undecided:
        return ""
    studies = (f"{', '.join(sorted(questions))} in study {study}" for study, questions in undecided.items())
    return f"You adjudicate, and this case is not decided yet on {'; '.join(studies)}"
