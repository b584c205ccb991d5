"""The labels of a large study, made into answers while its events are read, case by case.

Every event is checked and every verdict computed as in ``label_rows``, but only the labels are held: the
events of one case at a time, and never the contents of more than a few cases. Label rows that tables read
several times are in a temporary file.
"""

import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from itertools import groupby, islice
from typing import IO, Any, Final

from reviewer.core.question import Question
from reviewer.results.labels.divided_items import Answers, answers_of
from reviewer.study.design.closing import late_events, late_for
from reviewer.study.design.study_bundle import ExcludedEvent, StudyBundle, load_outline
from reviewer.study.integrity.quarantine import by_id, fitting_one_by_one, read_study
from reviewer.study.session.label_rows import LabelRow, label_rows, rows_in_order
from reviewer.study.session.verdicts import Slot, State, Verdict
from store.database import Database
from store.ledger import Ledger, NotByCaseError
from store.records import Event, StudyCase


@dataclass(frozen=True)
class ReadLabels:
    """A study without the contents of its cases, with its answers, and what a reader is told about them."""

    bundle: StudyBundle
    answers: Answers
    events: int
    """The number of events that fit the study."""
    stale: int
    """The number of labels about what changed afterwards."""
    late: Counter[str]
    """How many events of each rater came after the closing."""


def read_labels(database: Database, study: str) -> ReadLabels:
    """Read a study's labels; raises RequestError if there is no such study."""
    bundle, left_out = load_outline(database, study), dict[str, ExcludedEvent]()
    counts = _Counts()
    with closing(Ledger(database).by_case(study)) as events:
        try:
            rows = _rows(bundle, fitting_one_by_one(bundle, events, left_out), counts)
            answers = answers_of(bundle, rows)
        except NotByCaseError:
            return _read_at_once(database, study)
    whole = replace(bundle, left_out=by_id(left_out.values()))
    return ReadLabels(whole, answers, counts.events, counts.stale, counts.late)


def _read_at_once(database: Database, study: str) -> ReadLabels:
    """The same for a study with events that cannot be read, or that reach across cases."""
    bundle, events = read_study(database, study)
    rows = label_rows(bundle, events)
    late = Counter(event.rater for event in late_events(bundle, events))
    return ReadLabels(bundle, answers_of(bundle, rows), len(events), stale_labels(rows), late)


def stale_labels(rows: Iterable[LabelRow]) -> int:
    """How many labels are about a case or a question that changed afterwards."""
    return sum(row.stale and row.label is not None for row in rows)


@dataclass
class _Counts:
    """What is counted while events pass."""

    events: int = 0
    stale: int = 0
    late: Counter[str] = field(default_factory=Counter)


def _rows(bundle: StudyBundle, events: Iterable[Event], counts: _Counts) -> Iterator[LabelRow]:
    """The rows of a study's events, which come case by case."""
    is_late = late_for(bundle)
    for _, some in groupby(events, key=lambda event: event.case):
        given = []
        for event in some:
            counts.events += 1
            if is_late(event):
                counts.late[event.rater] += 1
            elif event.kind != "adjudication" and event.rater not in bundle.excluded:
                given.append(event)
        _check_within_case(given)
        rows = rows_in_order(bundle, given)
        counts.stale += stale_labels(rows)
        yield from rows


def _check_within_case(events: list[Event]) -> None:
    """Raise NotByCaseError if an event replaces one that is not among those of its case."""
    ids = {event.id for event in events}
    if any(other not in ids for event in events for other in event.supersedes):
        raise NotByCaseError("an event replaces one of another case")


_ROWS_AT_ONCE: Final = 500
_EVENT_FIELDS: Final = tuple(Event.model_fields)
_ALL_FIELDS: Final = set(_EVENT_FIELDS)


class RowsOnDisk(Iterable[LabelRow]):
    """Rows in the order in which they came, written to an empty file. Each iteration reads the file."""

    def __init__(
        self,
        file: IO[bytes],
        rows: Iterable[LabelRow],
        questions: Iterable[Question],
        places: Iterable[StudyCase],
    ) -> None:
        self._questions = {question.key: question for question in questions}
        self._places = {place.case: place for place in places}
        self._file = file
        self._portions: list[tuple[int, int]] = []
        coming, end = iter(rows), 0
        while some := list(islice(coming, _ROWS_AT_ONCE)):
            written = self._file.write(json.dumps([*map(_packed, some)]).encode("ascii"))
            self._portions.append((end, written))
            end += written
        self._file.flush()

    def __iter__(self) -> Iterator[LabelRow]:
        # Reading at a given place moves no shared position, so several iterations can run at once.
        for start, length in self._portions:
            for packed in json.loads(os.pread(self._file.fileno(), length, start)):
                yield self._unpacked(*packed)

    def _unpacked(
        self,
        question: str,
        case: str,
        rater: str,
        slot: Sequence[Any],
        verdict: Sequence[Any],
        event: Sequence[Any] | None,
        counted: Sequence[Any],
    ) -> LabelRow:
        showing, phase = slot
        state, label, comment, passage, flagged, forked, confidence = verdict
        here = Slot(case, question, showing, phase)
        current = None if event is None else _event(event)
        standing = Verdict(here, State(state), label, comment, passage, flagged, current, forked, confidence)
        return LabelRow(self._questions[question], self._places[case], rater, standing, *counted)


def _packed(row: LabelRow) -> tuple[Any, ...]:
    """A row as plain values, with keys in place of its question and its case."""
    verdict, slot = row.verdict, row.verdict.slot
    standing = (
        str(verdict.state),
        verdict.label,
        verdict.comment,
        verdict.passage,
        verdict.flagged,
        verdict.forked,
        verdict.confidence,
    )
    event = None if verdict.event is None else tuple(getattr(verdict.event, name) for name in _EVENT_FIELDS)
    counted = row.answers, row.events, row.reason, row.stale
    return row.question.key, slot.case, row.rater, (slot.showing, slot.phase), standing, event, counted


def _event(values: Sequence[Any]) -> Event:
    """An event that was validated before it was written."""
    event: Event = Event.__new__(Event)
    event.__dict__.update(zip(_EVENT_FIELDS, values, strict=True))
    object.__setattr__(event, "__pydantic_fields_set__", _ALL_FIELDS)  # one set serves all
    return event
