"""The raw table behind every number: one row a current verdict."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from reviewer.core.question import Question
from reviewer.study.design.closing import raters_events
from reviewer.study.design.study_bundle import StudyBundle
from reviewer.study.session.verdicts import History, Slot, Verdict, slot_of
from store.records import Event, StudyCase


@dataclass(frozen=True, slots=True)
class LabelRow:
    """What one rater currently says about one case under one question; its label is None where nothing."""

    question: Question
    place: StudyCase
    rater: str
    verdict: Verdict
    answers: int
    """How often the question was answered here, answers taken back or replaced among them."""
    events: int
    """How many events the ledger holds at this slot."""
    reason: str
    """Why the rater lets it stand beside an answer that contradicts it; "" where nothing was said."""
    stale: bool
    """The dataset holds other content at the case's place by now, or the question's wording was another."""

    @property
    def label(self) -> str | None:
        """The label that counts."""
        return self.verdict.label


def label_rows(bundle: StudyBundle, events: Sequence[Event]) -> list[LabelRow]:
    """One row a slot that has events, by question, position in the sample, rater, showing and phase.

    Adjudications are nobody's label, and late events count nowhere.
    """
    histories: dict[str, History] = defaultdict(History)
    for event in raters_events(bundle, events):
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
    places = {place.case: place for place in bundle.sample}
    given: dict[Slot, list[Event]] = defaultdict(list)
    for event in history.events.values():
        given[slot_of(event)].append(event)
    rows = []
    for slot, events in given.items():
        question, verdict = questions[slot.question], history.verdict(slot)
        reworded = verdict.event is not None and verdict.event.question_digest != bundle.shown_digest(slot)
        stale = slot.case in bundle.stale or reworded
        reason = "\n".join(event.value for event in history.reasons(slot) if event.value)
        place = places[slot.case]
        answers = sum(event.kind == "label" for event in events)
        rows.append(LabelRow(question, place, rater, verdict, answers, len(events), reason, stale))
    return rows
