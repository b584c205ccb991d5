"""Reads a study's events for numbers and screens. Events that do not fit the study are left out and named.

All numbers, labels, pages and screens read the ledger through this module. So rows that were planted or
damaged are not counted and stop nothing. The rows stay in the store, and `store check` lists them.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from reviewer.core.sanitize import counted, one_line
from reviewer.study.design.study_bundle import ExcludedEvent, StudyBundle, altered_case, load_study
from reviewer.study.design.study_design import panels_of
from reviewer.study.integrity.event_faults import Acceptable
from store.database import Database
from store.ledger import Ledger
from store.records import Assignment, Event
from store.row_records import UnreadableRow

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
