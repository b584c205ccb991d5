"""The labels that count as votes on an item: whether they differ (a dispute), their majority and median."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby

from reviewer.core.question import Question
from reviewer.core.sanitize import counted
from reviewer.study.design.study_bundle import StudyBundle
from reviewer.study.session.label_rows import LabelRow, items_of
from reviewer.study.session.third_vote import counting_votes
from reviewer.study.session.verdicts import Slot
from store.records import Event, StudyCase


@dataclass(frozen=True)
class ItemVotes:
    """One item of a counted case, with raters' labels at its first showing, before any reveal.

    ``outdated`` are labels that were given to an earlier wording. They are kept and shown, but not counted.
    Labels on content that the dataset has since replaced are counted: they are about the case that the study
    holds.
    """

    question: Question
    place: StudyCase
    votes: tuple[LabelRow, ...]
    outdated: tuple[LabelRow, ...]
    has_third: bool = False
    """Whether a third rater is asked only where two disagree, so that no item has all three votes."""

    @property
    def slot(self) -> Slot:
        """The slot of the first verdicts."""
        return Slot(self.place.case, self.question.key)

    @property
    def events(self) -> tuple[Event, ...]:
        """The events of the votes, oldest first."""
        events = [row.verdict.event for row in self.votes if row.verdict.event is not None]
        return tuple(sorted(events, key=lambda event: event.id))

    @cached_property
    def counts(self) -> Mapping[str, int]:
        """How many votes each label has, in the order of the question; labels without votes are left out.

        Where sets of labels or texts answer, these stand in their alphabetical order.
        """
        given = [row.label for row in self.votes if row.label is not None]
        answers = self.question.answer_kind.in_order(self.question, given)
        return {answer: given.count(answer) for answer in answers}

    @property
    def majority(self) -> str | None:
        """The label with more than half of the votes; None if there is none."""
        return next((label for label, count in self.counts.items() if 2 * count > len(self.votes)), None)

    @property
    def median(self) -> str | None:
        """The median vote; None without votes, if it falls between two labels, or if labels have no order."""
        return self.middle[0] if len(self.middle) == 1 else None

    @cached_property
    def middle(self) -> tuple[str, ...]:
        """The median vote, or the two labels that it falls between."""
        return self.question.median(row.label for row in self.votes if row.label is not None)

    @property
    def unanimous(self) -> bool:
        """Whether there are two or more votes and all agree. A single vote is a majority, not unanimity.

        Never where a third rater is asked only if two disagree: nobody knows what the third would have said.
        """
        return len(self.counts) == 1 and len(self.votes) > 1 and not self.has_third

    @property
    def disputed(self) -> bool:
        """Whether there are votes for different labels."""
        return len(self.counts) > 1

    @property
    def lead(self) -> float:
        """The share of votes for the most common label. The smaller it is, the closer the votes."""
        return max(self.counts.values(), default=0) / max(1, len(self.votes))

    @property
    def steps(self) -> int:
        """How many steps lie between the lowest and the highest vote; 0 if labels have no order."""
        return self.question.steps(self.counts)

    @property
    def distance(self) -> str:
        """These steps in words; "" if all votes are the same or labels have no order."""
        return self.question.distance(self.counts)


def votes_by_item(bundle: StudyBundle, rows: Iterable[LabelRow]) -> Iterator[ItemVotes]:
    """Every item of the counted cases, by question and position in the sample. Rows come in this order too,
    so that only those of one item are held.
    """
    order = {question.key: index for index, question in enumerate(bundle.questions)}
    votes = (row for row in rows if row.label is not None and _is_first(row.verdict.slot))
    given_at = groupby(votes, key=lambda row: (order[row.question.key], row.place.position))
    nothing = (len(order), 0), iter(())
    at, given = next(given_at, nothing)
    for question, place in items_of(bundle):
        here = order[question.key], place.position
        while at < here:  # labels of an item that is not asked about now
            at, given = next(given_at, nothing)
        if place.role == "counted":
            yield _item_votes(bundle, question, place, [*given] if at == here else [])


def _is_first(slot: Slot) -> bool:
    return not slot.showing and slot.phase == "before"


def _item_votes(
    bundle: StudyBundle, question: Question, place: StudyCase, rows: Sequence[LabelRow]
) -> ItemVotes:
    if not rows:
        return ItemVotes(question, place, (), ())
    now = bundle.shown_digest(Slot(place.case, question.key))
    sides: dict[bool, list[LabelRow]] = {True: [], False: []}
    for row in rows:
        sides[row.verdict.event is not None and row.verdict.event.question_digest == now].append(row)
    votes = counting_votes(bundle.design, place.case, sides[True], _of)
    return ItemVotes(question, place, tuple(votes), tuple(sides[False]), bool(bundle.design.third))


def _of(row: LabelRow) -> tuple[str, str]:
    return row.rater, row.label or ""


def answers_with_votes(answers: Iterable[tuple[str, int]]) -> str:
    """ "True (2 votes), False (1 vote)": labels may be numbers, so that of the votes is named."""
    return ", ".join(f"{answer} ({counted(count, 'vote')})" for answer, count in answers)
