"""Who asks a command to show something, what blinding refuses them, and the study that they may see."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from reviewer.cli.printing import note
from reviewer.cli.store_access import open_store
from reviewer.core.errors import RequestError
from reviewer.core.sanitize import enumerated
from reviewer.options.shared import own_name
from reviewer.protocols.registry import protocols_of
from reviewer.study.design.pooled_studies import pooled_studies
from reviewer.study.design.study_bundle import StudyBundle
from reviewer.study.integrity.quarantine import read_study
from reviewer.study.session.blinding import (
    as_drawn_for,
    hidden_datasets,
    owed_by,
    owed_in_pack,
    why_not_audit,
    why_not_effects,
    why_not_for_others,
    why_not_history,
    why_not_opinions,
    why_not_outcomes,
    why_not_published,
    why_not_results,
    why_not_shared_cases,
)
from reviewer.study.session.rater_progress import StudyProgress, owed_in_words, progress_of, study_progress
from store.database import Database
from store.records import Event
from store.studies import packed_raters, studies_with_case

if TYPE_CHECKING:
    from reviewer.results.labels.label_stream import ReadLabels


def viewer(database: Database) -> str:
    """The person at the keyboard. A pack is its rater's, whatever name the settings have."""
    with database.read() as session:
        packed = packed_raters(session)
    return next(iter(packed.values()), None) or own_name()


def check_results(database: Database, study: str) -> None:
    """Raise RequestError if the person at the keyboard may not see labels and numbers of the study."""
    person = viewer(database)
    reason = why_not_results(progress_of(database, study), person)
    if reason := reason or why_not_shared_cases(database, person, study):
        raise RequestError(reason)


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
    if reason := why_not_effects(database, study_progress(database), viewer(database), run):
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


def study_with_events(store: str, name: str) -> tuple[StudyBundle, list[Event]]:
    """The study and its ledger; raises RequestError where nobody has answered anything yet."""
    database = open_store(store, must_exist=True)
    check_results(database, name)
    bundle, events = read_study(database, name)
    check_answered(name, bool(events))
    return as_drawn_for(database, bundle, viewer(database)), events


def labels_of_study(store: str, name: str) -> "ReadLabels":
    """The study's labels without its events; raises RequestError where nobody has answered anything yet."""
    from reviewer.results.labels.label_stream import read_labels  # numpy takes a moment to load

    database = open_store(store, must_exist=True)
    check_results(database, name)
    read = read_labels(database, name)
    check_answered(name, read.events > 0)
    return replace(read, bundle=as_drawn_for(database, read.bundle, viewer(database)))


def check_answered(name: str, answered: bool) -> None:
    """Raise RequestError where nobody has answered anything yet."""
    if not answered:
        raise RequestError(
            f"study {name!r} has no verdicts yet; begin with `reviewer review {name} --rater NAME`."
        )


def pooled_with_events(store: str, name: str, others: Sequence[str]) -> tuple[StudyBundle, list[Event]]:
    """The study and its ledger, or it and others pooled into one; raises RequestError if they do not fit."""
    if not others:
        return study_with_events(store, name)
    return pooled_studies([study_with_events(store, study) for study in (name, *others)])


def note_unfinished(store: str, name: str) -> None:
    """Say who has not finished in an open study, and so must not see what others answered."""
    progress = progress_of(open_store(store, must_exist=True), name)
    waiting = owed_in_words(progress)
    if waiting and progress.study.closed_at is None:
        note(f"Not finished: {waiting}. Raters judge alone, so show them nothing of this yet.")
