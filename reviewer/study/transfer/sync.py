"""Synchronises a rater's events between their file and a server, in the background.

*Saved* events are in the file; *sent* events are also on the server. Each side gets the events that it lacks,
compared by id. So a lost connection, a stopped server or a killed app neither doubles nor loses events.
"""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from reviewer.core.errors import ReviewerError
from store.database import Database
from store.event_import import import_events
from store.ledger import Ledger
from store.server_ledger import ServerLedger

_PAUSE_SECONDS = 0.2
"""Between two looks at the file. A person needs much longer for two keys."""
_LOOK_AT_SERVER_SECONDS = 30.0
_SHORTEST_WAIT, _LONGEST_WAIT = 0.5, 15.0


@dataclass(frozen=True, slots=True)
class SyncStatus:
    """How many of the rater's events are on the server, how many wait, and why sending fails."""

    sent: int = 0
    waiting: int = 0
    problem: str | None = None

    def of(self, saved: int) -> "SyncStatus":
        """The same status, if ``saved`` events are saved now: those that the syncer has not seen wait."""
        return replace(self, waiting=max(self.waiting, saved - self.sent))


class Syncer:
    """Synchronises in a thread of its own, with its own connections; it shares only the file with the app.

    ``status`` may be read from any thread at any time.
    """

    def __init__(
        self, open_file: Callable[[], Database], open_server: Callable[[], Database], study: str, rater: str
    ) -> None:
        self._open_file, self._open_server = open_file, open_server
        self._study, self._rater = study, rater
        self._there: set[str] = set()
        """Ids of the events that the server held when it was last read."""
        self._in_touch = False
        self._looked_at = 0.0
        self._server: ServerLedger | None = None
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._run, name="sync", daemon=True)
        self.status = SyncStatus()

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def finish(self, seconds: float) -> SyncStatus:
        """Send what is left, for at most this many seconds, and stop."""
        self._ending.set()
        self._thread.join(seconds)
        return self.status

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
                    self.status = replace(self.status, problem=f"a defect: {error}")
                    raise
                if last:
                    break
                self._ending.wait(_PAUSE_SECONDS if self._in_touch else wait)
        finally:
            self._close_server()
            file.close()

    def _carry(self, file: Database) -> None:
        """Exchange events, if the file has new ones or the server was last read some time ago."""
        here = Ledger(file).ids(self._study, self._rater)
        due = time.monotonic() - self._looked_at > _LOOK_AT_SERVER_SECONDS
        if not self._in_touch or due:
            self._fetch(file, here)
        news = here - self._there
        if news:
            self.status = SyncStatus(len(self._there), len(news))
            events = [event for event in Ledger(file).events(self._study, self._rater) if event.id in news]
            self._connected().send(events)
            self._there |= news
        self.status = SyncStatus(len(self._there))

    def _fetch(self, file: Database, here: set[str]) -> None:
        """Read the rater's events on the server. Events from another machine are added to the file."""
        server = self._connected()
        there = server.ids()
        if there - here:
            lacking = [event for event in server.events() if event.id not in here]
            import_events(file, self._study, lacking, "server")
        self._there, self._in_touch, self._looked_at = there, True, time.monotonic()

    def _connected(self) -> ServerLedger:
        if self._server is None:
            self._server = ServerLedger(self._open_server(), self._study, self._rater)
        return self._server

    def _lose_touch(self, file: Database, problem: str) -> None:
        """Note the problem. The next try opens a new connection and reads the server again."""
        self._close_server()
        self._in_touch = False
        here = Ledger(file).ids(self._study, self._rater)
        self.status = SyncStatus(len(self._there), len(here - self._there), problem)

    def _close_server(self) -> None:
        if self._server is not None:
            self._server.close()
            self._server = None
