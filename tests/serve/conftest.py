"""A server of a study of two raters, and windows that open in it."""

import asyncio
import os
from collections.abc import AsyncIterator
from dataclasses import dataclass
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
from tests.studies import a_study

RATERS = ("anna", "ben")
_CARD = "a click goes on"
_QUIET_SECONDS = 0.4


@dataclass
class Site:
    """A running server with its store; it opens links and windows."""

    app: web.Application
    base: str
    session: aiohttp.ClientSession
    database: Database
    folder: Path

    def secret(self, rater: str = "anna", days: float = 1) -> str:
        secret, _ = make_link(self.database, "pilot", rater, days)
        return secret

    def address(self, secret: str, tail: str = "") -> str:
        return f"{self.base}/r/{secret}/{tail}"

    async def window(self, secret: str) -> aiohttp.ClientWebSocketResponse:
        """A window as the page opens it, once a case can be answered."""
        socket = await self.session.ws_connect(self.address(secret, "ws?width=120&height=40"))
        await a_case_in_sight(socket)
        return socket

    def events(self, rater: str) -> list[Event]:
        return Ledger(self.database).events("pilot", rater)

    async def answered(self, rater: str, count: int) -> None:
        """Wait until the store holds so many events of a rater."""
        async with asyncio.timeout(20):
            while len(self.events(rater)) < count:
                await asyncio.sleep(0.02)


async def a_case_in_sight(socket: aiohttp.ClientWebSocketResponse) -> None:
    """Wait until a case can be answered, and put the card away that lies on it."""
    await painted(socket, "question")
    if _CARD in await quiet(socket):
        await socket.send_json(["stdin", " "])
        await painted(socket, "keys")
        await quiet(socket)


async def painted(socket: aiohttp.ClientWebSocketResponse, text: str) -> None:
    seen = ""
    async with asyncio.timeout(20):
        while text not in seen:
            message = await socket.receive()
            assert message.type is aiohttp.WSMsgType.BINARY, message
            seen += message.data.decode("utf-8", "replace")


async def quiet(socket: aiohttp.ClientWebSocketResponse) -> str:
    """Wait until the app paints no more; returns what it painted."""
    seen = ""
    while True:
        try:
            message = await socket.receive(timeout=_QUIET_SECONDS)
        except TimeoutError:
            return seen
        assert message.type is aiohttp.WSMsgType.BINARY, message
        seen += message.data.decode("utf-8", "replace")


async def press(socket: aiohttp.ClientWebSocketResponse, keys: str) -> None:
    """Send keys, each once what the key before it brought is painted, as a rater who looks does."""
    for number, key in enumerate(keys):
        if number:
            await socket.receive()
            await quiet(socket)
        await socket.send_json(["stdin", key])


@pytest.fixture
def watchful(monkeypatch: pytest.MonkeyPatch) -> None:
    """Links are looked at often; to be asked for before the site, whose server begins at once."""
    monkeypatch.setattr(review_server, "_LINK_CHECK_SECONDS", 0.05)


@pytest.fixture
async def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Site]:
    monkeypatch.setattr(connections, "SHUTDOWN_SECONDS", 2.0)
    database = Database.open(str(tmp_path / "store.db"))
    a_study(database, cases=8, raters=RATERS)
    environment = {"PATH": os.environ["PATH"], "REVIEWER_STORE": str(tmp_path / "store.db")}

    def command(link: Link) -> tuple[list[str], dict[str, str]]:
        return [*quick_start(), *window_command(link)[1:]], environment

    app = ReviewServer(database, "pilot", command).application()
    runner, server = await listen(app, "127.0.0.1", 0, review_server.MOST_SESSIONS)
    port = server.sockets[0].getsockname()[1]
    async with aiohttp.ClientSession() as session:
        yield Site(app, f"http://127.0.0.1:{port}", session, database, tmp_path)
    server.close()
    await runner.cleanup()
    database.close()
