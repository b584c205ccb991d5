"""A store that is away or slow, and browsers that do not listen, keep nobody else waiting."""

import asyncio
import threading
from collections.abc import Iterator

import aiohttp
import pytest
from aiohttp import web

from reviewer.core.errors import StoreError
from reviewer.web import link_lookup, review_server
from store.links import revoke_links
from tests.serve.conftest import Site
from tests.serve.test_links import answer_to


@pytest.fixture
def silent_store(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A store that answers no question about links until the test ends."""
    ended = threading.Event()

    def wait(*_: object) -> None:
        ended.wait()

    monkeypatch.setattr(link_lookup, "link_of", wait)
    monkeypatch.setattr(link_lookup, "ANSWER_SECONDS", 0.3)
    yield
    ended.set()


async def test_a_store_that_does_not_answer_is_one_sentence(site: Site, silent_store: None) -> None:
    status, body, headers = await answer_to(site, site.address(site.secret()))
    assert (status, body.count(b"\n")) == (503, 1)
    assert body.startswith(b"The answers cannot be reached just now")
    assert headers["Referrer-Policy"] == "no-referrer"


async def test_windows_go_on_while_a_store_does_not_answer(
    site: Site, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    window, secret = await site.window(site.secret("ben")), site.secret()
    request.getfixturevalue("silent_store")
    monkeypatch.setattr(link_lookup, "ANSWER_SECONDS", 30)
    waiting = [asyncio.create_task(answer_to(site, site.address(secret))) for _ in range(9)]
    await asyncio.sleep(0)
    await window.send_json(["ping", 1])
    while (message := await window.receive()).type is not aiohttp.WSMsgType.TEXT:
        pass
    assert message.json() == ["pong", 1]
    for each in waiting:
        each.cancel()
    await window.close()


async def test_a_store_that_cannot_be_read_is_one_sentence(
    site: Site, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def unreadable(*_: object) -> None:
        raise StoreError("store 'postgresql://db.example.org' cannot be reached.")

    monkeypatch.setattr(link_lookup, "link_of", unreadable)
    status, body, _ = await answer_to(site, site.address(site.secret()))
    assert (status, body.count(b"\n")) == (503, 1)
    assert b"db.example.org" not in body
    assert "db.example.org" in caplog.text


async def closed(window: aiohttp.ClientWebSocketResponse) -> bool:
    """Whether the server closes the window."""
    while (message := await window.receive()).type is aiohttp.WSMsgType.BINARY:
        pass
    return message.type is aiohttp.WSMsgType.CLOSE


@pytest.mark.slow
async def test_a_browser_that_does_not_listen_keeps_no_other_window_open(
    watchful: None, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    windows = [await site.window(site.secret(rater)) for rater in ("anna", "ben")]
    deaf, close = set[web.WebSocketResponse](), web.WebSocketResponse.close

    async def never_at_first(self: web.WebSocketResponse) -> bool:
        if not deaf or self in deaf:
            deaf.add(self)
            await asyncio.Event().wait()
        return await close(self)

    monkeypatch.setattr(web.WebSocketResponse, "close", never_at_first)
    monkeypatch.setattr(review_server, "_SECONDS_TO_CLOSE", 0.2)
    waiting = [asyncio.create_task(closed(window)) for window in windows]
    for rater in ("anna", "ben"):
        revoke_links(site.database, "pilot", rater)
    done, _ = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
    assert [task.result() for task in done] == [True]
    for task in waiting:
        task.cancel()


async def test_a_window_that_is_only_just_opening_does_not_end_the_watch(
    watchful: None, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    window, prepare = await site.window(site.secret("ben")), web.WebSocketResponse.prepare
    opening, going_on = asyncio.Event(), asyncio.Event()

    async def slowly(self: web.WebSocketResponse, request: web.BaseRequest) -> object:
        opening.set()
        await going_on.wait()
        return await prepare(self, request)

    monkeypatch.setattr(web.WebSocketResponse, "prepare", slowly)
    half_open = asyncio.create_task(site.session.ws_connect(site.address(site.secret("anna"), "ws")))
    await opening.wait()
    revoke_links(site.database, "pilot", "anna")
    await asyncio.sleep(0.2)
    revoke_links(site.database, "pilot", "ben")
    assert await closed(window)
    going_on.set()
    assert await closed(await half_open)


async def test_a_window_that_is_only_just_opening_does_not_keep_the_server_from_ending(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    opening, going_on = asyncio.Event(), asyncio.Event()

    async def never(self: web.WebSocketResponse, request: web.BaseRequest) -> None:
        opening.set()
        await going_on.wait()
        raise ConnectionResetError

    window = await site.window(site.secret("ben"))
    monkeypatch.setattr(web.WebSocketResponse, "prepare", never)
    half_open = asyncio.create_task(site.session.ws_connect(site.address(site.secret("anna"), "ws")))
    await opening.wait()
    closing = asyncio.create_task(closed(window))
    await site.app.shutdown()
    assert await closing
    going_on.set()
    with pytest.raises(aiohttp.WSServerHandshakeError):
        await half_open
