"""The study that a command shows, with its answers: whole, as labels alone, or pooled with others."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from reviewer.cli.printing import note
from reviewer.cli.store_access import open_store
from reviewer.cli.viewer import viewer_of_results
from reviewer.core.errors import RequestError
from reviewer.study.design.pooled_studies import pooled_studies
from reviewer.study.design.study_bundle import StudyBundle
from reviewer.study.integrity.quarantine import read_study
from reviewer.study.session.blinding import as_drawn_for
from reviewer.study.session.rater_progress import StudyProgress, owed_in_words, progress_of
from store.records import Event

if TYPE_CHECKING:
    from reviewer.results.labels.label_stream import ReadLabels


def study_with_events(store: str, name: str) -> tuple[StudyBundle, list[Event]]:
    """The study and its ledger; raises RequestError where nobody has answered anything yet."""
    database = open_store(store)
    person, progress = viewer_of_results(database, name)
    bundle, events = read_study(database, name)
    check_answered(name, bool(events))
    return as_drawn_for(database, bundle, person, progress), events


def labels_of_study(store: str, name: str) -> "tuple[ReadLabels, StudyProgress]":
    """The study's labels without its events, and its progress.

    Raises RequestError where nobody has answered anything yet.
    """
    from reviewer.results.labels.label_stream import read_labels  # numpy takes a moment to load

    database = open_store(store)
    person, progress = viewer_of_results(database, name)
    read = read_labels(database, name)
    check_answered(name, read.events > 0)
    return replace(read, bundle=as_drawn_for(database, read.bundle, person, progress)), progress


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
    note_waiting(progress_of(open_store(store), name))


def note_waiting(progress: StudyProgress) -> None:
    """The same of a study whose progress was read."""
    waiting = owed_in_words(progress)
    if waiting and progress.study.closed_at is None:
        note(f"Not finished: {waiting}. Raters judge alone, so show them nothing of this yet.")
