"""Carries a rater's events between the file they work in and a server, behind the keys.

What is *saved* is in the file; what is *sent* is on the server too. Events go by id, so that a connection
that drops, a server that goes away or an app that is killed neither doubles nor loses any: whatever one side
lacks is sent again.
"""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from reviewer.core.errors import ReviewerError
from store.database import Database
from store.event_import import import_events
from store.ledger import Ledger

_PAUSE_SECONDS = 0.2
"""Between looks at the file: far less than a person needs for two keys."""
_LOOK_AT_SERVER_SECONDS = 30.0
_SHORTEST_WAIT, _LONGEST_WAIT = 0.5, 15.0


@dataclass(frozen=True, slots=True)
class SyncStatus:
    """How many of the rater's events are on the server, how many are not yet, and what stands in the way."""

    sent: int = 0
    waiting: int = 0
    problem: str | None = None

    def of(self, saved: int) -> "SyncStatus":
        """The same, given how many events are saved by now: what the syncer has not yet seen waits too."""
        return replace(self, waiting=max(self.waiting, saved - self.sent))


class Syncer:
    """A thread of its own, with stores of its own: it shares nothing with the app but the file.

    ``delivery`` may be read from any thread at any time.
    """

    def __init__(
        self, open_file: Callable[[], Database], open_server: Callable[[], Database], study: str, rater: str
    ) -> None:
        self._open_file, self._open_server = open_file, open_server
        self._study, self._rater = study, rater
        self._there: set[str] = set()
        """What the server was last known to hold."""
        self._in_touch = False
        self._looked_at = 0.0
        self._server: Database | None = None
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._run, name="sync", daemon=True)
        self.delivery = SyncStatus()

    def start(self) -> None:
        """Begin to carry."""
        self._thread.start()

    def finish(self, seconds: float) -> SyncStatus:
        """Carry what is left, for so long at most, and end."""
        self._ending.set()
        self._thread.join(seconds)
        return self.delivery

    def _run(self) -> None:
        file, wait = self._open_file(), _SHORTEST_WAIT
        try:
            while True:
                last = self._ending.is_set()
                try:
                    self._carry(file)
                    wait = _SHORTEST_WAIT
                except ReviewerError as error:
                    self._lose_touch(file, str(error))
                    wait = min(wait * 2, _LONGEST_WAIT)
                except Exception as error:
                    self.delivery = replace(self.delivery, problem=f"a defect: {error}")
                    raise
                if last:
                    break
                self._ending.wait(_PAUSE_SECONDS if self._in_touch else wait)
        finally:
            self._close_server()
            file.close()

    def _carry(self, file: Database) -> None:
        """Bring both sides to hold the same, where the file has news or the server was not asked for long."""
        here = Ledger(file).ids(self._study, self._rater)
        due = time.monotonic() - self._looked_at > _LOOK_AT_SERVER_SECONDS
        if not self._in_touch or due:
            self._fetch(file, here)
        news = here - self._there
        if news:
            self.delivery = SyncStatus(len(self._there), len(news))
            events = [event for event in Ledger(file).events(self._study, self._rater) if event.id in news]
            import_events(self._connected(), self._study, events, f"courier of {self._rater}")
            self._there |= news
        self.delivery = SyncStatus(len(self._there))

    def _fetch(self, file: Database, here: set[str]) -> None:
        """What the server holds of this rater; events from another machine come into the file."""
        server = Ledger(self._connected())
        there = server.ids(self._study, self._rater)
        if there - here:
            lacking = [e for e in server.events(self._study, self._rater) if e.id not in here]
            import_events(file, self._study, lacking, "server")
        self._there, self._in_touch, self._looked_at = there, True, time.monotonic()

    def _connected(self) -> Database:
        if self._server is None:
            self._server = self._open_server()
        return self._server

    def _lose_touch(self, file: Database, problem: str) -> None:
        """Start from a new connection and a new look at what is there."""
        self._close_server()
        self._in_touch = False
        here = Ledger(file).ids(self._study, self._rater)
        self.delivery = SyncStatus(len(self._there), len(here - self._there), problem)

    def _close_server(self) -> None:
        if self._server is not None:
            self._server.close()
            self._server = None
