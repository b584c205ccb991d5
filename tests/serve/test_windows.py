"""Windows: keys that arrive are saved, whatever becomes of the browser."""

import json
import sys

import aiohttp
import pytest
from aiohttp import web

from reviewer.web import review_server
from tests.rounds import some_always
from tests.serve.conftest import Site


class GoneSocket(web.WebSocketResponse):
    """A socket whose browser is gone."""

    async def send_bytes(self, data: bytes, compress: int | None = None) -> None:
        raise ConnectionResetError

    async def close(self, **_: object) -> bool:
        return True


async def closed(socket: aiohttp.ClientWebSocketResponse) -> int | None:
    while (await socket.receive()).type is aiohttp.WSMsgType.BINARY:
        pass
    return socket.close_code


async def test_a_key_saves_under_the_links_rater(site: Site) -> None:
    window = await site.window(site.secret("ben"))
    await site.press(window, "tf")
    await site.answered("ben", 2)
    assert [event.value for event in site.events("ben")] == ["True", "False"]
    assert [event.given for event in site.events("ben")] == ["browser", "browser"]
    assert site.events("anna") == []
    await window.close()


@pytest.mark.parametrize("keys", some_always(["tuftt", "t", "tftftf"], 3))
async def test_a_socket_that_is_cut_after_a_key_loses_nothing(site: Site, keys: str) -> None:
    window = await site.window(site.secret())
    await site.press(window, keys)
    assert window._response.connection is not None
    assert window._response.connection.transport is not None
    window._response.connection.transport.abort()
    await site.answered("anna", len(keys))
    assert len(site.events("anna")) == len(keys)


async def test_two_windows_of_one_rater_agree(site: Site) -> None:
    secret = site.secret()
    first, second = await site.window(secret), await site.window(secret)
    for window in (first, second, first, second):
        before, shown = len(site.events("anna")), site.seen[window].text
        await site.press(window, "t")
        await site.answered("anna", before + 1)
        await site.seen[window].shows_other_than(shown)
    await first.close()
    await second.close()
    reloaded = await site.window(secret, begins=False)
    await site.press(reloaded, "f")
    await site.answered("anna", 5)
    assert [event.kind for event in site.events("anna")] == ["label"] * 5
    await reloaded.close()


@pytest.mark.parametrize(
    "message",
    some_always(
        [
            "no json",
            "{}",
            '["stdin"]',
            '["stdin", 7]',
            '["resize", {"width": 1}]',
            '["unheard of", 1]',
            "[" * 5_000,
            json.dumps(["stdin", "x" * 100_000]),
        ],
        3,
    ),
)
async def test_what_the_page_would_not_send_ends_the_connection(site: Site, message: str) -> None:
    window = await site.window(site.secret())
    await window.send_str(message)
    assert await closed(window) in (1000, 1009)
    assert site.events("anna") == []


async def test_sizes_are_held_within_bounds(site: Site) -> None:
    window = await site.window(site.secret())
    for size in ({"width": 10**9, "height": -5}, {"width": "x", "height": None}, {"width": 90, "height": 30}):
        await window.send_json(["resize", size])
    await site.press(window, "t")
    await site.answered("anna", 1)
    await window.close()


async def test_more_windows_than_allowed_are_refused(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(review_server, "MOST_SESSIONS_OF_A_RATER", 1)
    window = await site.window(site.secret("anna"))
    with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
        await site.session.ws_connect(site.address(site.secret("anna"), "ws"))
    assert refused.value.status == 503
    other = await site.window(site.secret("ben"))
    monkeypatch.setattr(review_server, "MOST_SESSIONS", 2)
    with pytest.raises(aiohttp.WSServerHandshakeError):
        await site.session.ws_connect(site.address(site.secret("ben"), "ws"))
    await window.close()
    await other.close()


async def test_an_app_that_goes_on_painting_ends_with_its_browser() -> None:
    paint = (
        "import sys; out = sys.stdout.buffer; out.write(b'__GANGLION__\\n'); out.flush(); "
        "sys.stdin.buffer.read(6); [out.write(b'D\\0\\0\\x04\\0' + b' ' * 1024) for _ in range(2_000)]"
    )
    window = review_server.RaterWindow([sys.executable, "-c", paint], {}, GoneSocket())
    await window.start(80, 24)
    await window.stop()
    assert window._process is not None
    assert window._process.returncode == 0
