"""The experts' labels of cases across studies, as far as one person may see them."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from reviewer.core.question import answer_in_words
from reviewer.results.labels.final_labels import FinalLabel, final_labels
from reviewer.study.integrity.quarantine import read_study
from reviewer.study.session.blinding import why_not_others_answers
from reviewer.study.session.rater_progress import StudyProgress
from store.database import Database


@dataclass(frozen=True, slots=True)
class SharedLabel:
    """What the experts of one study answered to one question about a case.

    ``final`` is the label in words, "open" while there is none; ``how`` says how it was reached and ``votes``
    how many votes each label has.
    """

    study: str
    question: str
    final: str
    how: str
    votes: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class SharedLabels:
    """Labels by the digest of their case, and the studies that this person may not look into yet."""

    by_case: Mapping[str, Sequence[SharedLabel]]
    hidden: tuple[str, ...]


def shared_labels(
    database: Database,
    studies: Collection[StudyProgress],
    person: str,
    datasets: Collection[str],
    cases: Collection[str],
) -> SharedLabels:
    """The labels of cases (by digest) in all studies of these datasets that the person may see."""
    by_case: dict[str, list[SharedLabel]] = defaultdict(list)
    hidden = []
    for progress in studies:
        if not set(progress.study.design["datasets"]) & set(datasets):
            continue
        if why_not_others_answers(database, progress, person):
            hidden.append(progress.study.name)
            continue
        for label in final_labels(*read_study(database, progress.study.name)):
            if label.place.case in cases and (label.item_votes.votes or label.adjudicated):
                by_case[label.place.case].append(_shared(progress.study.name, label))
    return SharedLabels(by_case, tuple(hidden))


def _shared(study: str, label: FinalLabel) -> SharedLabel:
    question = label.question
    final = "open" if label.label is None else answer_in_words(question, label.label)
    votes = {answer_in_words(question, answer): n for answer, n in label.item_votes.counts.items()}
    return SharedLabel(study, question.title, final, str(label.status), votes)
