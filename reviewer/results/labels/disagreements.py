"""Items with every rater's label and comment: those on which raters disagree, and those that do not pass."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from reviewer.core.question import Question, answer_in_words
from reviewer.results.labels.divided_items import THIRD, Answers, answers_of
from reviewer.results.labels.final_labels import FinalLabel
from reviewer.study.design.study_bundle import StudyBundle
from reviewer.study.session.label_rows import Item, LabelRow, items_of
from store.records import StudyCase

MOST_MATRIX_LINES = 140
"""Items and heads of questions in the figure of all disagreements; a longer one is not readable."""


@dataclass(frozen=True)
class VotedItem:
    """One item: each rater's label (None if missing) and comment ("" if none)."""

    question: Question
    place: StudyCase
    votes: Mapping[str, str | None]
    comments: Mapping[str, str]
    note: str = ""
    """What else is to be known of the item, as "adjudicated: False"."""

    def said(self, rater: str) -> str:
        """A rater's answer in words; a dash if it is missing."""
        answer = self.votes[rater]
        return "–" if answer is None else answer_in_words(self.question, answer)

    @property
    def lacks_labels(self) -> bool:
        """Whether a rater gave no label."""
        return None in self.votes.values()

    @property
    def steps(self) -> int:
        """Steps between the lowest and the highest label; 0 if labels have no order."""
        return self.question.steps(label for label in self.votes.values() if label is not None)

    @property
    def distance(self) -> str:
        """These steps in words, as "two steps apart"; "" if labels have no order."""
        return self.question.distance(label for label in self.votes.values() if label is not None)

    @property
    def lead(self) -> float:
        """The share of the most common label. The smaller it is, the closer the votes."""
        given = [label for label in self.votes.values() if label is not None]
        return given.count(self.most_common) / len(given)

    @property
    def most_common(self) -> str:
        """The label with the most votes; the first one given if several have as many."""
        given = [label for label in self.votes.values() if label is not None]
        return max(given, key=given.count)


def disagreements(bundle: StudyBundle, rows: Sequence[LabelRow]) -> list[VotedItem]:
    """Every item with two different labels, by question and position in the sample; texts have none."""
    answers = answers_of(bundle, rows)
    comments = comments_by_item(rows)
    items = [
        _voted_item(item, answers, comments) for item in items_of(bundle) if item[0].answer_kind.is_compared
    ]
    return [item for item in items if len(set(item.votes.values()) - {None}) > 1]


def most_disputed_first(found: Sequence[VotedItem]) -> list[VotedItem]:
    """The closest votes first; among equal ones, cases on which more questions are disputed."""
    disputes = Counter(item.place.case for item in found)
    return sorted(found, key=lambda item: (item.lead, -disputes[item.place.case]))


def finally_labelled(
    bundle: StudyBundle, rows: Sequence[LabelRow], finals: Iterable[FinalLabel]
) -> list[VotedItem]:
    """The items of these final labels that have votes, each with a note on how it was decided."""
    answers, comments = answers_of(bundle, rows), comments_by_item(rows)
    return [
        replace(_voted_item((final.question, final.place), answers, comments), note=_how_final(final))
        for final in finals
        if final.item_votes.votes
    ]


def does_not_pass(final: FinalLabel) -> bool:
    """Whether an item has no label yet that lets it pass, where its question knows such labels."""
    return bool(final.question.passing) and not final.passes


def _how_final(final: FinalLabel) -> str:
    return f"{final.status}: {final.open_because or answer_in_words(final.question, final.label or '')}"


def _voted_item(
    item: Item, answers: Answers, comments: Mapping[tuple[str, str], Mapping[str, str]]
) -> VotedItem:
    question, place = item
    votes = {rater: answers.label(item, rater) for rater in answers.raters}
    if answers.has_third_votes:
        votes[THIRD] = answers.third(item)
    return VotedItem(question, place, votes, comments.get((question.key, place.case), {}))


def comments_by_item(rows: Sequence[LabelRow]) -> dict[tuple[str, str], dict[str, str]]:
    """Comments by question and case, then by rater."""
    comments: dict[tuple[str, str], dict[str, str]] = {}
    for row in rows:
        if row.verdict.comment:
            comments.setdefault((row.question.key, row.place.case), {})[row.rater] = row.verdict.comment
    return comments
