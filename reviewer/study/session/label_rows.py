"""The table behind all numbers, with one row per current verdict."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from reviewer.core.question import Question
from reviewer.study.design.closing import raters_events
from reviewer.study.design.study_bundle import StudyBundle
from reviewer.study.session.verdicts import History, Slot, Verdict, slot_of
from store.records import Event, StudyCase

Item = tuple[Question, StudyCase]
"""One question about one case."""


@dataclass(frozen=True, slots=True)
class LabelRow:
    """One rater's current verdict on one question about one case. The label is None if there is none."""

    question: Question
    place: StudyCase
    rater: str
    verdict: Verdict
    answers: int
    """How often the rater answered here, including answers that were taken back or replaced."""
    events: int
    """The number of events that the ledger holds at this slot."""
    reason: str
    """Why the rater kept it together with an answer that contradicts it; "" if no reason was given."""
    stale: bool
    """The dataset now holds other content at the case's place, or the question was worded differently."""

    @property
    def label(self) -> str | None:
        """The current label."""
        return self.verdict.label


def label_rows(bundle: StudyBundle, events: Sequence[Event], *, everyone: bool = False) -> list[LabelRow]:
    """One row per slot with events, by question, position in the sample, rater, showing and phase.

    Adjudications and late events are left out, and raters whom the lead has left out unless ``everyone`` is
    wanted.
    """
    wanted = [
        event for event in raters_events(bundle, events) if everyone or event.rater not in bundle.excluded
    ]
    return rows_in_order(bundle, wanted)


def rows_in_order(bundle: StudyBundle, events: Iterable[Event]) -> list[LabelRow]:
    """The rows of these events, none of which is an adjudication or late."""
    histories: dict[str, History] = defaultdict(History)
    for event in events:
        histories[event.rater].add(event)
    rows = [row for rater, history in histories.items() for row in _rows_of(bundle, rater, history)]
    order = {question.key: index for index, question in enumerate(bundle.questions)}
    return sorted(
        rows,
        key=lambda row: (
            order[row.question.key],
            row.place.position,
            row.rater,
            row.verdict.slot.showing,
            row.verdict.slot.phase == "after",
        ),
    )


def _rows_of(bundle: StudyBundle, rater: str, history: History) -> list[LabelRow]:
    questions = {question.key: question for question in bundle.questions}
    given: dict[Slot, list[Event]] = defaultdict(list)
    for event in history.events.values():
        given[slot_of(event)].append(event)
    rows = []
    for slot, events in given.items():
        question, verdict = questions[slot.question], history.verdict(slot)
        reworded = verdict.event is not None and verdict.event.question_digest != bundle.shown_digest(slot)
        stale = slot.case in bundle.stale or reworded
        reason = "\n".join(event.value for event in history.reasons(slot) if event.value)
        place = bundle.places[slot.case]
        answers = sum(event.kind == "label" for event in events)
        rows.append(LabelRow(question, place, rater, verdict, answers, len(events), reason, stale))
    return rows


def items_of(bundle: StudyBundle) -> list[Item]:
    """Every question with every case that it is asked about, in the order of questions and sample."""
    places = {place.case: place for place in bundle.sample}
    return [(question, places[slot.case]) for question in bundle.questions for slot in bundle.slots(question)]
