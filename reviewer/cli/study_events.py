"""A study with its ledger, as the commands read it that show numbers and labels."""

from collections.abc import Sequence

from reviewer.cli.options import note, open_store
from reviewer.cli.viewer import check_results
from reviewer.core.errors import RequestError
from reviewer.core.sanitize import visible
from reviewer.results.labels.label_stream import ReadLabels, read_labels
from reviewer.study.design.pooled_studies import pooled_studies
from reviewer.study.design.study_bundle import StudyBundle
from reviewer.study.integrity.quarantine import read_study
from reviewer.study.session.rater_progress import owed_in_words, progress_of
from store.records import Event


def study_with_events(store: str, name: str) -> tuple[StudyBundle, list[Event]]:
    """The study and its ledger; raises RequestError where nobody has answered anything yet."""
    database = open_store(store, must_exist=True)
    check_results(database, name)
    bundle, events = read_study(database, name)
    check_answered(name, bool(events))
    return bundle, events


def labels_of_study(store: str, name: str) -> ReadLabels:
    """The study's labels without its events; raises RequestError where nobody has answered anything yet."""
    database = open_store(store, must_exist=True)
    check_results(database, name)
    read = read_labels(database, name)
    check_answered(name, read.events > 0)
    return read


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
        note(visible(f"Not finished: {waiting}. Raters judge alone, so show them nothing of this yet."))
