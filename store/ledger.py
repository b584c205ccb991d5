"""The ledger of review events: rows are added, one short durable transaction at a time."""

import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Select, func, insert, tuple_
from sqlmodel import Session, col, select

from reviewer.core.errors import RequestError
from store.clock import instant, now_ms
from store.database import Database
from store.reading import records, select_as
from store.records import Event, JsonValue
from store.tables import ArrivalRow, EventRow, StudyRow

_TAIL_BITS = 74
_MAX_STEP = 1 << 32


def next_id(greatest: str | None, milliseconds: int) -> str:
    """A UUIDv7 (RFC 9562, 32 hex digits) that sorts after ``greatest``, even if the clock went back."""
    tail = secrets.randbits(_TAIL_BITS - 1)
    if greatest is not None:
        greatest_ms, greatest_tail = _parts(greatest)
        if milliseconds <= greatest_ms:
            milliseconds, tail = greatest_ms, greatest_tail + 1 + secrets.randbelow(_MAX_STEP)
    if tail >= 1 << _TAIL_BITS:
        milliseconds, tail = milliseconds + 1, secrets.randbits(_TAIL_BITS - 1)
    high, low = tail >> 62, tail & ((1 << 62) - 1)
    return f"{(milliseconds << 80) | (7 << 76) | (high << 64) | (2 << 62) | low:032x}"


def _parts(event_id: str) -> tuple[int, int]:
    """The milliseconds and the 74 other bits of an id."""
    number = int(event_id, 16)
    return number >> 80, (((number >> 64) & 0xFFF) << 62) | (number & ((1 << 62) - 1))


class Turn:
    """One writing turn of a rater: what came since the rater last looked, and what is added now."""

    def __init__(
        self, session: Session, news: list[Event], study: str, rater: str, milliseconds: int
    ) -> None:
        self.news = news
        self.added: list[Event] = []
        self._session = session
        self._about = {"study": study, "rater": rater}
        self._milliseconds = milliseconds

    def add(self, **content: JsonValue) -> Event:
        """Add one event; it is durable once the turn has ended without an error.

        Raises RequestError in a closed study, which takes nothing but adjudications.
        """
        if content["kind"] != "adjudication":
            self._check_open()
        greatest = self._session.exec(select(func.max(col(EventRow.id)))).one()
        event_id = next_id(greatest, self._milliseconds)
        event = Event.sealed(**self._about, **content, id=event_id, at=instant(self._milliseconds))
        self._session.execute(insert(EventRow), event.model_dump())
        self.added.append(event)
        return event

    def _check_open(self) -> None:
        """Under the write lock, so that no answer slips in behind the closing."""
        name = self._about["study"]
        closed_at = self._session.exec(select(StudyRow.closed_at).where(StudyRow.name == name)).first()
        if closed_at is not None:
            raise RequestError(
                f"study {name!r} was closed on {closed_at[:10]} and takes no more answers; "
                f"its lead can open it again with `reviewer study reopen`."
            )


class Ledger:
    """Reading and adding events."""

    def __init__(self, database: Database, clock: Callable[[], int] = now_ms) -> None:
        self._database = database
        self._clock = clock
        self._arrivals: dict[tuple[str, str], int] = {}

    def events(self, study: str, rater: str | None = None) -> list[Event]:
        """The events of a study (of one rater), oldest id first."""
        with self._database.read() as session:
            if rater is not None:
                self._has_news(session, study, rater)
            return _events(session, study, rater)

    def differing(self, study: str) -> list[Event]:
        """All events about the items (case and question) that got different labels at their first showing,
        before any reveal, and be it from the same rater; oldest id first.
        """
        given = (EventRow.kind == "label") & (EventRow.phase == "before") & (EventRow.showing == 0)
        items = (
            select(EventRow.case, EventRow.question)
            .where(EventRow.study == study, given)
            .group_by(col(EventRow.case), col(EventRow.question))
            .having(func.count(func.distinct(col(EventRow.value))) > 1)
        )
        about = tuple_(col(EventRow.case), col(EventRow.question))
        with self._database.read() as session:
            return _read(session, _of_study(study).where(about.in_(items)))

    def ids(self, study: str, rater: str) -> set[str]:
        """The ids of a rater's events in a study."""
        with self._database.read() as session:
            return set(
                session.exec(select(EventRow.id).where(EventRow.study == study, EventRow.rater == rater))
            )

    @contextmanager
    def turn(self, study: str, rater: str, after: str) -> Iterator[Turn]:
        """Hold the write lock, with the rater's events past the id ``after`` in hand.

        All of the rater's events are, where some arrived from elsewhere since this ledger last looked: these
        may have lower ids. What the turn adds is durable when the block ends, and is not there at all if it
        raises.
        """
        with self._database.write() as session:
            since = "" if self._has_news(session, study, rater) else after
            turn = Turn(session, _events(session, study, rater, since), study, rater, self._clock())
            yield turn
        if turn.added:
            self._database.remember(turn.added[-1].id)

    def _has_news(self, session: Session, study: str, rater: str) -> bool:
        """Whether events of the rater arrived from elsewhere since the last call."""
        newest = session.exec(
            select(func.max(col(ArrivalRow.id))).where(ArrivalRow.study == study, ArrivalRow.rater == rater)
        ).one()
        before = self._arrivals.get((study, rater), 0)
        self._arrivals[study, rater] = newest or 0
        return self._arrivals[study, rater] != before

    @contextmanager
    def adjudicating(self, study: str, adjudicator: str) -> Iterator[Turn]:
        """Hold the write lock, with every adjudication of the study in hand, whosever it is."""
        with self._database.write() as session:
            decided = _of_study(study).where(col(EventRow.kind) == "adjudication")
            yield Turn(session, _read(session, decided), study, adjudicator, self._clock())


def _events(session: Session, study: str, rater: str | None, after: str = "") -> list[Event]:
    statement = _of_study(study).where(col(EventRow.id) > after)
    return _read(session, statement if rater is None else statement.where(col(EventRow.rater) == rater))


def _of_study(study: str) -> Select[Any]:
    """The events of a study, oldest id first."""
    return select_as(Event, EventRow).where(col(EventRow.study) == study).order_by(col(EventRow.id))


def _read(session: Session, statement: Select[Any]) -> list[Event]:
    return list(records(session, Event, statement))
