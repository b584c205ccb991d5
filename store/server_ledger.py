"""One rater's events on a server, as the rater's own machine reads and sends them.

Only through functions of the server, because the rater's database user may read no table
(``store.rater_functions``).
"""

from collections.abc import Sequence

from sqlalchemy import select, text

from store.database import Database
from store.rater_functions import rows_from
from store.records import Event, canonical_json
from store.row_records import readable
from store.study_tables import EventRow

_SEND = text("SELECT rater_sends(:study, :rater, CAST(:delivery AS json))")


class ServerLedger:
    """The events of one rater of one study on a server. Every method takes one question to the server."""

    def __init__(self, database: Database, study: str, rater: str) -> None:
        self._database, self._study, self._rater = database, study, rater
        self._rows = rows_from("rater_events", EventRow, study, rater)

    def close(self) -> None:
        """Close the connection."""
        self._database.close()

    def ids(self) -> set[str]:
        """The ids of the events."""
        with self._database.read() as session:
            return set(session.execute(select(self._rows.c.id)).scalars())

    def events(self) -> list[Event]:
        """The readable events, oldest id first."""
        statement = select(*(self._rows.c[name] for name in Event.model_fields)).order_by(self._rows.c.id)
        with self._database.read() as session:
            return readable(session, Event, statement, self._rows.c.id)[0]

    def send(self, events: Sequence[Event]) -> None:
        """Add all of these events, or none; those that are there already stay as they are."""
        delivery = canonical_json([event.model_dump() for event in events])
        values = {"study": self._study, "rater": self._rater, "delivery": delivery}
        with self._database.write() as session:
            session.connection().execute(_SEND, values)
