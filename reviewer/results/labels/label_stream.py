"""The labels of a large study, made into answers while its events are read, case by case.

Every event is checked and every verdict computed as in ``label_rows``, but only the labels are held: the
events of one case at a time, and never the contents of more than a few cases.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, field, replace
from itertools import groupby

from reviewer.results.labels.divided_items import Answers, answers_of
from reviewer.study.design.closing import late_events, late_for
from reviewer.study.design.study_bundle import ExcludedEvent, StudyBundle, load_outline
from reviewer.study.integrity.quarantine import by_id, fitting_one_by_one, read_study
from reviewer.study.session.label_rows import LabelRow, label_rows, rows_in_order
from store.database import Database
from store.ledger import Ledger, NotByCaseError
from store.records import Event


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
