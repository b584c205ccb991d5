"""A server of a study of two raters, and windows that open in it.

What is waited for here comes, or the time limit of the test ends it: how fast it comes is no test's question.
"""

import asyncio
import os
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path

import aiohttp
import pytest
from aiohttp import web

from reviewer.cli.serve import window_command
from reviewer.web import connections, review_server
from reviewer.web.connections import listen
from reviewer.web.review_server import ReviewServer
from store.database import Database
from store.ledger import Ledger
from store.records import Event, Link
from tests.quick_start import quick_start
from tests.serve.secret_links import make_link
from tests.serve.seen_windows import SeenWindow, press, see_windows
from tests.studies import a_study

RATERS = ("anna", "ben")


@dataclass
class Site:
    """A running server with its store; it opens links and windows."""

    app: web.Application
    base: str
    session: aiohttp.ClientSession
    database: Database
    folder: Path
    windows: list[SeenWindow]
    """Every window, in the order in which they were opened."""
    seen: dict[aiohttp.ClientWebSocketResponse, SeenWindow] = field(default_factory=dict)

    def secret(self, rater: str = "anna", days: float = 1) -> str:
        secret, _ = make_link(self.database, "pilot", rater, days)
        return secret

    def address(self, secret: str, tail: str = "") -> str:
        return f"{self.base}/r/{secret}/{tail}"

    async def window(self, secret: str, *, begins: bool = True) -> aiohttp.ClientWebSocketResponse:
        """A window as the page opens it, once a case can be answered; who begins reads the briefing first."""
        number = len(self.windows)
        socket = await self.session.ws_connect(self.address(secret, "ws?width=120&height=40"))
        window = self.seen[socket] = await self.opened(number)
        if begins:
            await window.shows_briefing()
            await socket.send_json(["stdin", " "])
        await window.shows_case()
        return socket

    async def press(self, socket: aiohttp.ClientWebSocketResponse, keys: str) -> None:
        """Press keys in a window that this site opened."""
        await press(socket, self.seen[socket], keys)

    async def opened(self, number: int) -> SeenWindow:
        """The window of this number."""
        while len(self.windows) <= number:
            await asyncio.sleep(0.02)
        return self.windows[number]

    def events(self, rater: str) -> list[Event]:
        return Ledger(self.database).events("pilot", rater)

    async def answered(self, rater: str, count: int) -> None:
        """Wait until the store holds so many events of a rater."""
        while len(self.events(rater)) < count:
            await asyncio.sleep(0.02)


@pytest.fixture
def watchful(monkeypatch: pytest.MonkeyPatch) -> None:
    """Links are looked at often; to be asked for before the site, whose server begins at once."""
    monkeypatch.setattr(review_server, "_LINK_CHECK_SECONDS", 0.05)


@pytest.fixture
async def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Site]:
    monkeypatch.setattr(connections, "SHUTDOWN_SECONDS", 2.0)
    program = quick_start()  # its server takes seconds to start, in which this one would answer nobody
    database = Database.open(str(tmp_path / "store.db"))
    a_study(database, cases=8, raters=RATERS)
    environment = {"PATH": os.environ["PATH"], "REVIEWER_STORE": str(tmp_path / "store.db")}

    def command(link: Link) -> tuple[list[str], dict[str, str]]:
        return [*program, *window_command(link)[1:]], environment

    windows = see_windows(monkeypatch)
    app = ReviewServer(database, "pilot", command).application()
    runner, server = await listen(app, "127.0.0.1", 0, review_server.MOST_SESSIONS)
    port = server.sockets[0].getsockname()[1]
    async with aiohttp.ClientSession() as session:
        yield Site(app, f"http://127.0.0.1:{port}", session, database, tmp_path, windows)
    server.close()
    await runner.cleanup()
    database.close()
