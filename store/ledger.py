"""The ledger of review events: rows are added, one short durable transaction at a time."""

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from sqlalchemy import Select, bindparam, case, func, insert
from sqlmodel import Session, col, select

from reviewer.core.errors import RequestError, StoreError
from store.clock import instant, is_event_id, next_id, now_ms
from store.database import Database
from store.event_limits import content_fault
from store.records import Assignment, Event, JsonValue
from store.row_records import OpenReading, UnreadableRow, is_unreadable, readable, row_reader, select_as
from store.studies import add_assignments
from store.study_tables import ArrivalRow, EventRow, StudyCaseRow, StudyRow
from store.tables import number_of

_ROWS_AT_ONCE = 2_000


@dataclass
class Tips:
    """The newest events of a rater in a study.

    ``heads`` are the ids that no other event follows. Invalid ids are ignored.
    """

    arrivals: int = 0
    """The last arrival when these were read."""
    newest: str = ""
    """The greatest id."""
    heads: set[str] = field(default_factory=set)

    def add(self, rows: Iterable[tuple[str, list[str]]]) -> None:
        """Add ids with the ids that each follows, the smallest id first."""
        for event_id, follows in rows:
            if not is_event_id(event_id):
                continue
            self.heads.difference_update(follows)
            self.heads.add(event_id)
            self.newest = max(self.newest, event_id)


class LedgerWrite:
    """One write of a rater: the events since the rater last looked, and the events that are added now."""

    def __init__(
        self, session: Session, news: list[Event], about: dict[str, str], tips: Tips, now: int
    ) -> None:
        self.news = news
        self.added: list[Event] = []
        self._session = session
        self._about = about
        self._greatest, self._heads = tips.newest, sorted(tips.heads)
        self._milliseconds = now
        self._is_open = False

    def add(self, **content: JsonValue) -> Event:
        """Add one event. It is durable when the turn has ended without an error.

        Raises RequestError if the study is closed, which then takes only adjudications, and for content that
        other stores would refuse.
        """
        if content["kind"] != "adjudication" and not self._is_open:
            self._check_open()
        own = {
            "id": next_id(self._greatest or None, self._milliseconds),
            "at": instant(self._milliseconds),
            "follows": self._heads,
        }
        event = Event.sealed(**{**content, **self._about, **own})
        if fault := content_fault(event.kind, event.value, event.passage, event.panes or ()):
            raise RequestError(f"this {event.kind} cannot be saved: {fault}.")
        self._session.execute(_ADD, event.model_dump())
        self.added.append(event)
        self._greatest, self._heads = event.id, [event.id]
        return event

    def _check_open(self) -> None:
        """Checked once under the write lock, so that no answer is added after the closing."""
        name = self._about["study"]
        closed_at = self._session.execute(_CLOSED_AT, {"study": name}).scalar()
        if closed_at is not None:
            raise RequestError(
                f"study {name!r} was closed on {closed_at[:10]} and takes no more answers; "
                f"its lead can open it again with `reviewer study reopen`."
            )
        self._is_open = True


class NotByCaseError(StoreError):
    """The events of a study do not come apart into cases, and have to be read all at once."""


class Ledger:
    """Reading and adding events."""

    def __init__(self, database: Database, clock: Callable[[], int] = now_ms) -> None:
        self._database = database
        self._clock = clock
        self._arrivals: dict[tuple[str, str], int] = {}
        self._tips: dict[tuple[str, str], Tips] = {}

    def events(self, study: str, rater: str | None = None) -> list[Event]:
        """The readable events of a study (of one rater), oldest id first."""
        return self.reading(study, rater)[0]

    def reading(self, study: str, rater: str | None = None) -> tuple[list[Event], list[UnreadableRow]]:
        """The same, and the rows that cannot be read as events."""
        with self._database.read() as session:
            if rater is None:
                # The rows of a large study are not held beside its events.
                streamed = _since(study).execution_options(yield_per=_ROWS_AT_ONCE)
                return _reading(session, streamed)
            self._has_news(session, study, rater)
            return _reading(session, _since(study).where(col(EventRow.rater) == rater))

    def differing(self, study: str) -> list[Event]:
        """All events about cases with different labels for one of their questions, oldest id first.

        Only labels at the first showing before any reveal are compared, including those of the same rater.
        """
        given = (EventRow.kind == "label") & (EventRow.phase == "before") & (EventRow.showing == 0)
        cases = (
            select(EventRow.case)
            .where(EventRow.study == study, given)
            .group_by(col(EventRow.case), col(EventRow.question))
            .having(func.count(func.distinct(col(EventRow.value))) > 1)
        )
        with self._database.read() as session:
            return _read(session, _of_study(study).where(col(EventRow.case).in_(cases)))

    def by_case(self, study: str) -> Generator[Event, None, None]:
        """The events of a study, case by case and the smallest id first, of which only a few are held.

        Raises NotByCaseError if a row cannot be read; ``reading`` then says which.
        """
        with self._database.read() as session:
            yield from _streamed(session, _unordered(study).order_by(col(EventRow.case), col(EventRow.id)))

    def ids(self, study: str, rater: str) -> set[str]:
        """The ids of a rater's events in a study."""
        with self._database.read() as session:
            return set(
                session.exec(select(EventRow.id).where(EventRow.study == study, EventRow.rater == rater))
            )

    @contextmanager
    def turn(self, study: str, rater: str, after: str) -> Iterator[LedgerWrite]:
        """Hold the write lock; ``news`` of the turn are the rater's events after the id ``after``.

        If events arrived from elsewhere since this ledger last looked, ``news`` are all of the rater's
        events, because the new ones may have lower ids. What the turn adds is durable when the block ends. If
        the block raises, nothing is added.
        """
        with self._database.write() as session:
            turn = self._turn(session, study, rater, after)
            yield turn
        if turn.added:
            self._database.remember(turn.added[-1].id)

    @contextmanager
    def turns(
        self, study: str, raters: Sequence[str], newcomers: Sequence[Assignment] = ()
    ) -> Iterator[dict[str, LedgerWrite]]:
        """Hold the write lock for several raters at once: what all turns add is durable, or nothing is.

        ``newcomers`` join the study first. ``news`` of each turn are all events of its rater.
        """
        with self._database.write() as session:
            add_assignments(session, newcomers)
            turns = {rater: self._turn(session, study, rater, "") for rater in raters}
            yield turns
        if added := [event.id for turn in turns.values() for event in turn.added]:
            self._database.remember(max(added))

    def _turn(self, session: Session, study: str, rater: str, after: str) -> LedgerWrite:
        since = "" if self._has_news(session, study, rater) else after
        news = _events(session, study, rater, since)
        tips = self._current_tips(session, study, rater, self._arrivals[study, rater])
        return LedgerWrite(session, news, {"study": study, "rater": rater}, tips, self._clock())

    def _has_news(self, session: Session, study: str, rater: str) -> bool:
        """Whether events of the rater arrived from elsewhere since the last call."""
        before = self._arrivals.get((study, rater), 0)
        self._arrivals[study, rater] = _last_arrival(session, study, rater)
        return self._arrivals[study, rater] != before

    def _current_tips(self, session: Session, study: str, rater: str, arrivals: int) -> Tips:
        """The rater's newest events, under the write lock.

        Events that this store added have greater ids than before. Events from elsewhere may have any ids, so
        after an arrival all are read again.
        """
        tips = self._tips.get((study, rater))
        if tips is None or tips.arrivals != arrivals:
            tips = self._tips[study, rater] = Tips(arrivals)
        tips.add(_followed(session, study, rater, tips.newest))
        return tips

    @contextmanager
    def adjudicating(self, study: str, adjudicator: str) -> Iterator[LedgerWrite]:
        """Hold the write lock; ``news`` of the turn are all adjudications of the study, by anybody."""
        with self._database.write() as session:
            decided = _read(session, _of_study(study).where(col(EventRow.kind) == "adjudication"))
            arrivals = _last_arrival(session, study, adjudicator)
            tips = self._current_tips(session, study, adjudicator, arrivals)
            ids = [event.id for event in decided if is_event_id(event.id)]
            latest = replace(tips, newest=max([tips.newest, *ids]))
            yield LedgerWrite(session, decided, {"study": study, "rater": adjudicator}, latest, self._clock())


def count_events(session: OpenReading, study: str) -> int:
    """How many rows a study's ledger has."""
    return session.exec(select(func.count()).select_from(EventRow).where(EventRow.study == study)).one()


def events_by_item(
    session: OpenReading, study: str, questions: Sequence[str]
) -> Generator[Event, None, None]:
    """The events of a study by question and position in the sample, then the smallest id first. Only a few
    are held.

    Raises NotByCaseError if a row cannot be read.
    """
    asked = case(
        *[(col(EventRow.question) == key, at) for at, key in enumerate(questions)], else_=len(questions)
    )
    place = (col(StudyCaseRow.study) == EventRow.study) & (col(StudyCaseRow.case) == EventRow.case)
    here = (asked, col(StudyCaseRow.position), col(EventRow.case), col(EventRow.id))
    return _streamed(session, _unordered(study).outerjoin(StudyCaseRow, place).order_by(*here))


def events_by_id(session: OpenReading, study: str) -> Generator[Event, None, None]:
    """The same, the smallest id first."""
    return _streamed(session, _of_study(study))


def _streamed(session: Session, statement: Select[Any]) -> Generator[Event, None, None]:
    read, streamed = row_reader(Event), {"yield_per": _ROWS_AT_ONCE}
    try:
        with closing(session.execute(statement, execution_options=streamed)) as rows:
            for row in rows:
                yield read(row)
    except Exception as error:
        if not is_unreadable(error):
            raise
        raise NotByCaseError("a row cannot be read") from error


def _last_arrival(session: Session, study: str, rater: str) -> int:
    return session.execute(_LAST_ARRIVAL, {"study": study, "rater": rater}).scalar() or 0


def _followed(session: Session, study: str, rater: str, after: str) -> Iterable[tuple[str, list[str]]]:
    """A rater's event ids after ``after``, with the ids that each follows, the smallest first."""
    values = {"study": study, "rater": rater, "after": after}
    try:
        return [(str(row[0]), row[1]) for row in session.execute(_FOLLOWED, values)]
    except Exception as error:
        if not is_unreadable(error):
            raise
        return [(event.id, event.follows) for event in _events(session, study, rater, after)]


def _events(session: Session, study: str, rater: str, after: str) -> list[Event]:
    values = {"study": study, "rater": rater, "after": after}
    return readable(session, Event, _EVENTS, col(EventRow.id), values)[0]


def _since(study: str) -> Select[Any]:
    return _of_study(study).where(col(EventRow.id) > "")


def _of_study(study: str) -> Select[Any]:
    """The events of a study, oldest id first."""
    return _unordered(study).order_by(col(EventRow.id))


def _unordered(study: str) -> Select[Any]:
    return select_as(Event, EventRow).where(col(EventRow.study) == study)


def _read(session: Session, statement: Select[Any]) -> list[Event]:
    return _reading(session, statement)[0]


def _reading(session: Session, statement: Select[Any]) -> tuple[list[Event], list[UnreadableRow]]:
    return readable(session, Event, statement, col(EventRow.id))


# The statements of every answer. Building them again for each takes as long as running them.
_OF_RATER = (col(EventRow.study) == bindparam("study")) & (col(EventRow.rater) == bindparam("rater"))
_AFTER = col(EventRow.id) > bindparam("after")
_EVENTS = select_as(Event, EventRow).where(_OF_RATER, _AFTER).order_by(col(EventRow.id))
_FOLLOWED = select(EventRow.id, EventRow.follows).where(_OF_RATER, _AFTER).order_by(col(EventRow.id))
_LAST_ARRIVAL = select(func.max(number_of(ArrivalRow))).where(
    col(ArrivalRow.study) == bindparam("study"), col(ArrivalRow.rater) == bindparam("rater")
)
_CLOSED_AT = select(StudyRow.closed_at).where(col(StudyRow.name) == bindparam("study"))
_ADD = insert(EventRow)
