"""The label rows of a large study, in a temporary file: read as often as tables need them, never all held."""

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import IO, Any, Final

from reviewer.core.question import Question
from reviewer.study.session.label_rows import LabelRow
from reviewer.study.session.verdicts import Slot, State, Verdict
from store.records import Event, StudyCase

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
