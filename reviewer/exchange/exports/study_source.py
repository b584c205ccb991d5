"""The data of a study for an export: read as often as its files need it, and in parts if it is large."""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Final

from reviewer.core.repeatable import Repeatable
from reviewer.core.whole_files import no_temporary_room
from reviewer.results.labels.answer_origins import places_of_answers
from reviewer.results.labels.asked_judges import AskedJudge, JudgeReply, asked_judges, judge_replies
from reviewer.results.labels.label_stream import RowsOnDisk
from reviewer.study.design.closing import late_for
from reviewer.study.design.study_bundle import ExcludedEvent, StudyBundle, measurements_here, outline_of
from reviewer.study.integrity.quarantine import by_id, fitting_one_by_one, read_study
from reviewer.study.session.blinding import as_drawn_in_files, why_not_judges
from reviewer.study.session.label_rows import LabelRow, label_rows, rows_in_order
from reviewer.study.session.rater_progress import progress_of
from store.cases import get_measurements
from store.database import Database
from store.ledger import NotByCaseError, count_events, events_by_id, events_by_item
from store.records import Case, Event, Measurement, Membership
from store.row_records import OpenReading, portions
from store.sqlite import is_single_file
from store.studies import cases_with

_HELD_EVENTS: Final = 50_000
"""A study of at most this many events is held, which takes 120 MB. Its export takes a third less time."""


@dataclass(frozen=True)
class StudySource:
    """A study's labels, events and cases; each of them can be gone through several times.

    ``everybody`` are the rows of all raters, also of those whom the lead has left out.
    """

    bundle: StudyBundle
    everybody: Iterable[LabelRow]
    notes_and_decisions: Sequence[Event]
    """The events that are notes or adjudications."""
    events: Iterable[Event]
    """All events that fit the study, the smallest id first."""
    cases: Iterable[Case]
    measurements: Iterable[Measurement]
    judges: Sequence[AskedJudge] = ()
    """The judges that were asked; none while their verdicts would influence somebody."""
    judge_replies: Iterable[JudgeReply] = ()
    answers: Mapping[str, Membership] = field(default_factory=dict)
    """The places of the answers in a study of answers that may tell where these come from, by key."""

    @classmethod
    def of(cls, bundle: StudyBundle, events: Sequence[Event]) -> "StudySource":
        """A study that was read already, with the events that fit it."""
        return cls(
            bundle,
            label_rows(bundle, events, everyone=True),
            [event for event in events if _is_aside(event)],
            events,
            [bundle.cases[place.case] for place in bundle.sample],
            [value for place in bundle.sample for value in bundle.measurements[place.case]],
        )

    @cached_property
    def rows(self) -> Iterable[LabelRow]:
        """The rows of the raters who count."""
        excluded = self.bundle.excluded
        if not excluded:
            return self.everybody
        return Repeatable(lambda: (row for row in self.everybody if row.rater not in excluded))


@contextmanager
def open_study_source(database: Database, name: str, person: str) -> Iterator[StudySource]:
    """A study of a store as ``person`` may see it, for as long as its files are written; raises RequestError.

    Nothing of a large study is held whole: its rows lie in a temporary file, and all else is read from the
    store where it is needed, as it was when this began.
    """
    if _is_large(database, name):
        with database.read() as session, TemporaryFile() as file:
            source = _read_by_item(session, database, name, file)
            if source is not None:
                yield _as_seen(database, source, person)
                return
    yield _as_seen(database, StudySource.of(*read_study(database, name)), person)


def _as_seen(database: Database, source: StudySource, person: str) -> StudySource:
    """A study as this person may see it, with its judges once nobody owes answers."""
    name, judges = source.bundle.study.name, list[AskedJudge]()
    if why_not_judges(progress_of(database, name)) is None:
        judges = asked_judges(database, name)
    bundle = as_drawn_in_files(database, source.bundle, person)
    return replace(
        source,
        bundle=bundle,
        answers=places_of_answers(database, bundle),
        judges=judges,
        judge_replies=Repeatable(lambda: judge_replies(database, judges)),
    )


def _is_large(database: Database, name: str) -> bool:
    """Whether a study is not to be held. Where readers stop writers, a study is read in one go."""
    if not database.on_server and is_single_file(Path(database.location)):
        return False
    with database.read() as session:
        return count_events(session, name) > _HELD_EVENTS


def _read_by_item(session: OpenReading, database: Database, name: str, file: IO[bytes]) -> StudySource | None:
    """A study whose rows are in the file; None if its events do not come apart into items."""
    bundle, left_out, aside = outline_of(session, database, name), dict[str, ExcludedEvent](), list[Event]()
    with closing(events_by_item(session, name, [question.key for question in bundle.questions])) as events:
        rows = _rows(bundle, fitting_one_by_one(bundle, events, left_out), aside)
        try:
            on_disk = RowsOnDisk(file, rows, bundle.questions, bundle.sample)
        except NotByCaseError:
            return None
        except OSError as error:
            raise no_temporary_room("the labels of the study", error) from error
    whole = replace(bundle, left_out=by_id(left_out.values()))
    return StudySource(
        whole,
        on_disk,
        sorted(aside, key=lambda event: event.id),
        Repeatable(lambda: (event for event in events_by_id(session, name) if event.id not in left_out)),
        Repeatable(lambda: _cases(session, whole)),
        Repeatable(lambda: _measurements(session, whole)),
    )


def _rows(bundle: StudyBundle, events: Iterable[Event], aside: list[Event]) -> Iterator[LabelRow]:
    """The rows of events that come item by item; notes and adjudications are put ``aside``."""
    is_late = late_for(bundle)
    for _, given in groupby(events, key=lambda event: (event.question, event.case)):
        here = [*given]
        aside += filter(_is_aside, here)
        counted = [event for event in here if event.kind != "adjudication" and not is_late(event)]
        _check_within_item(counted, {event.id for event in here})
        yield from rows_in_order(bundle, counted)


def _check_within_item(events: Iterable[Event], ids: Container[str]) -> None:
    """Raise NotByCaseError if an event replaces one that is not among ``ids``, those of its item."""
    if any(other not in ids for event in events for other in event.supersedes):
        raise NotByCaseError("an event replaces one of another item")


def _is_aside(event: Event) -> bool:
    return event.kind in ("note", "adjudication")


def _cases(session: OpenReading, bundle: StudyBundle) -> Iterator[Case]:
    for places in portions(bundle.sample):
        found = cases_with(session, [place.case for place in places])
        yield from (found[place.case] for place in places)


def _measurements(session: OpenReading, bundle: StudyBundle) -> Iterator[Measurement]:
    for places in portions(bundle.sample):
        here = measurements_here(places, get_measurements(session, [place.case for place in places]))
        for place in places:
            yield from here[place.case]
