"""Reads a study's events for numbers and screens. Events that do not fit the study are left out and named.

All numbers, labels, pages and screens read the ledger through this module. So rows that were planted or
damaged are not counted and stop nothing. The rows stay in the store, and `store check` lists them. Faults of
events that were made elsewhere are described in a few words.
"""

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from types import MappingProxyType

from reviewer.core.question import Question, answer_fault
from reviewer.core.sanitize import counted, one_line, strange_character
from reviewer.core.spans import marks_fault
from reviewer.study.adjudication.decisions import AdjudicatedLabel
from reviewer.study.design.study_bundle import ExcludedEvent, StudyBundle, altered_case, load_study
from reviewer.study.design.study_design import panels_of
from store.clock import id_time, instant, is_event_id
from store.database import Database
from store.event_limits import panes_fault
from store.ledger import Ledger
from store.records import Assignment, Event, StudyAct
from store.row_records import UnreadableRow

_SHOWINGS = range(100)


class Acceptable:
    """Decides which events a study accepts, by its people, its cases (digests) and its questions.

    ``panels`` has the raters of a case where not all raters are asked about it. ``text_of`` gives the text of
    a case that a question of spans is about; None if the case cannot be read.
    """

    def __init__(
        self,
        study: str,
        people: Iterable[Assignment],
        acts: Iterable[StudyAct],
        cases: Container[str],
        questions: Iterable[Question],
        panels: Mapping[str, Container[str]] = MappingProxyType({}),
        text_of: Callable[[Question, str], str | None] = lambda question, case: None,
    ) -> None:
        self._study = study
        people = list(people)
        self._raters = {known.rater for known in people}
        self._adjudicators = {known.rater for known in people if known.role == "adjudicator"}
        self._adjudicators |= {act.subject for act in acts if act.kind == "admit" and act.subject}
        self._cases, self._panels = cases, panels
        self._questions = {question.key: question for question in questions}
        self._text_of = text_of

    def fault(self, event: Event) -> str | None:
        """Why the event is refused; None if it is accepted."""
        return self._fault_of_form(event) or self._fault_of_place(event) or self._fault_of_value(event)

    def _fault_of_form(self, event: Event) -> str | None:
        try:
            altered = event.digest != event.content_digest()
            datetime.fromisoformat(event.at)
        except ValueError:
            altered = True
        if altered:
            return "it was altered: its digest does not match its content"
        if not is_event_id(event.id) or instant(id_time(event.id)) < event.at:
            return "it contradicts its own id"
        if any(other >= event.id for other in (*event.supersedes, *event.follows, event.target or "")):
            return "it refers to an event that is not older than itself"
        return panes_fault(event.panes or ())

    def _fault_of_place(self, event: Event) -> str | None:
        if event.study != self._study:
            return f"it belongs to study {one_line(event.study)!r}"
        if event.rater not in self._raters:
            return f"rater {one_line(event.rater)!r} is not in study {self._study!r}"
        if event.case not in self._cases:
            return f"case {event.case[:12]} is not in the sample"
        if event.question not in self._questions:
            return f"question {one_line(event.question)!r} is not asked"
        if self._is_of_another_panel(event):
            return f"rater {one_line(event.rater)!r} is not asked about case {event.case[:12]}"
        return None if event.showing in _SHOWINGS else f"there is no showing {event.showing}"

    def _is_of_another_panel(self, event: Event) -> bool:
        panel = self._panels.get(event.case)
        return panel is not None and event.kind != "adjudication" and event.rater not in panel

    def _fault_of_value(self, event: Event) -> str | None:
        if event.kind == "adjudication":
            return self._fault_of_decision(event)
        if self._is_no_answer(event):
            is_label = self._questions[event.question].answer_kind.is_label
            what = "a label of" if is_label else "an answer to"
            return f"{one_line(str(event.value))!r} is not {what} {event.question!r}"
        if strange := strange_character(event.value or ""):
            return f"its text holds {strange}"
        return self._fault_of_marks(event, event.value) if event.kind in ("label", "undo") else None

    def _fault_of_marks(self, event: Event, answer: str | None) -> str | None:
        """Why spans are not of the text of their case."""
        question = self._questions[event.question]
        if answer is None or not question.answer_kind.is_marked:
            return None
        text = self._text_of(question, event.case)
        fault = None if text is None else marks_fault(text, answer)
        return fault and f"it does not fit its text: {fault}"

    def _is_no_answer(self, event: Event) -> bool:
        """Whether a label, or the label that an undo restored, does not fit the question."""
        if event.kind not in ("label", "undo") or (event.kind == "undo" and event.value is None):
            return False
        return event.value is None or answer_fault(self._questions[event.question], event.value) is not None

    def _fault_of_decision(self, event: Event) -> str | None:
        if event.rater not in self._adjudicators:
            return f"{event.rater!r} does not adjudicate in this study"
        if event.value is None:
            return None if event.target else "it neither makes a decision nor takes one back"
        try:
            decision = AdjudicatedLabel.read(event.value, self._questions[event.question])
        except ValueError:
            return f"{one_line(event.value)!r} is not a decision on {event.question!r}"
        if strange := strange_character(decision.reason):
            return f"its reason holds {strange}"
        return self._fault_of_marks(event, decision.label)


_NAMED = 3


@dataclass(frozen=True, slots=True)
class Sorted:
    """The events that fit a study, in their original order, and the events that were left out."""

    fitting: list[Event]
    left_out: tuple[ExcludedEvent, ...]


def read_study(database: Database, name: str, *, late: bool = False) -> tuple[StudyBundle, list[Event]]:
    """A study that names its left-out events, and the events that fit; raises RequestError.

    ``late`` is as in ``load_study``.
    """
    bundle = load_study(database, name, late=late)
    for case in bundle.cases.values():
        if not case.is_whole:
            raise altered_case(name, case.digest, "has content that does not match its digest")
    events, unreadable = Ledger(database).reading(name)
    sorted_out = sort_events(bundle, events, unreadable)
    return replace(bundle, left_out=sorted_out.left_out), sorted_out.fitting


def fitting_one_by_one(
    bundle: StudyBundle, events: Iterable[Event], left_out: dict[str, ExcludedEvent]
) -> Iterator[Event]:
    """The events that fit the study, as they come; the others are added to ``left_out`` by their ids."""
    acceptable = _acceptable(bundle, ())
    for event in events:
        if fault := acceptable.fault(event):
            left_out[event.id] = _excluded(event, fault)
        else:
            yield event


def by_id(left_out: Iterable[ExcludedEvent]) -> tuple[ExcludedEvent, ...]:
    """Left-out events by their ids."""
    return tuple(sorted(left_out, key=lambda excluded: excluded.event))


def fitting_events(
    bundle: StudyBundle, events: Sequence[Event], newcomers: Iterable[Assignment] = ()
) -> list[Event]:
    """The events that fit the study; ``newcomers`` count as its raters too."""
    return sort_events(bundle, events, newcomers=newcomers).fitting


def sort_events(
    bundle: StudyBundle,
    events: Sequence[Event],
    unreadable: Sequence[UnreadableRow] = (),
    newcomers: Iterable[Assignment] = (),
) -> Sorted:
    """Divide events into those that fit the study and those that do not, with the reasons."""
    acceptable = _acceptable(bundle, newcomers)
    faults = {event.id: fault for event in events if (fault := acceptable.fault(event))}
    left_out = [
        ExcludedEvent(one_line(row.key, 40), "", f"it cannot be read ({row.why})") for row in unreadable
    ]
    left_out += [_excluded(event, faults[event.id]) for event in events if event.id in faults]
    return Sorted([event for event in events if event.id not in faults], tuple(left_out))


def _excluded(event: Event, fault: str) -> ExcludedEvent:
    return ExcludedEvent(one_line(event.id, 40), one_line(event.rater, 64), fault)


def left_out_in_words(bundle: StudyBundle) -> list[str]:
    """A sentence on the events that were left out, if there are any."""
    left_out = bundle.left_out
    if not left_out:
        return []
    named = "; ".join(
        f"event {excluded.event}{_whose(excluded)}: {excluded.why}" for excluded in left_out[:_NAMED]
    )
    more = f"; and {len(left_out) - _NAMED:,} more" if len(left_out) > _NAMED else ""
    verb = "does" if len(left_out) == 1 else "do"
    return [
        f"Left out of all numbers: {counted(len(left_out), 'event')} that {verb} not fit the study "
        f"({named}{more}). Run `reviewer store check` to list them all."
    ]


def _whose(excluded: ExcludedEvent) -> str:
    return f" of {excluded.rater}" if excluded.rater else ""


def _acceptable(bundle: StudyBundle, newcomers: Iterable[Assignment]) -> Acceptable:
    return Acceptable(
        bundle.study.name,
        (*bundle.raters, *bundle.adjudicators, *newcomers),
        bundle.acts,
        frozenset(place.case for place in bundle.sample),
        bundle.questions,
        panels_of(bundle.study, bundle.acts),
        bundle.marked_text,
    )
