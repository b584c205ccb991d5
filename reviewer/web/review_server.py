"""The review screen of one study in a browser: textual-serve, behind one secret link for each rater.

All requests without a valid link of the study get the same response, 404 without a body. A request whose Host
or Origin is not that of our own page gets 400, whether or not its link is valid. Each window has its own
process of the app, started without a shell and with the few environment variables that it needs.
"""

import asyncio
import errno
import json
import logging
import re
from asyncio.subprocess import PIPE, Process
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import suppress
from functools import partial
from html import escape
from importlib.resources import files
from pathlib import Path

from aiohttp import HttpVersion10, HttpVersion11, WSMsgType, web
from textual_serve.app_service import AppService
from textual_serve.download_manager import DownloadManager
from yarl import URL

from reviewer.core.errors import StoreError
from reviewer.core.page_templates import Templates
from reviewer.web.connections import Connection
from reviewer.web.link_lookup import SiteLinks
from store.database import Database
from store.records import Link

MOST_SESSIONS = 40
MOST_SESSIONS_OF_A_RATER = 4
_MOST_MESSAGE_BYTES = 64 * 1024
_HEARTBEAT_SECONDS = 15.0
_LINK_CHECK_SECONDS = 5.0
_SECONDS_TO_FINISH = 5.0
_SECONDS_TO_CLOSE = 5.0
_ORIGIN = re.compile(r"https?://(?:[\w.-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?", re.ASCII)
_CELLS = range(20, 501)
_QUIT_KEY = b"\x11"
_UNREACHABLE = "The answers cannot be reached just now; nothing that was saved is lost. Reload in a minute.\n"
_HEADERS = {
    "Server": "reviewer",
    "Cache-Control": "no-store",
    # The address holds the secret.
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:; font-src 'self'; connect-src 'self' ws: wss:; base-uri 'none'; form-action 'none'",
}

_log = logging.getLogger(__name__)

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
WindowCommand = Callable[[Link], tuple[list[str], dict[str, str]]]
"""The command that shows a link's study to its rater, and its environment."""


class RaterWindow(AppService):
    """One browser window and its process of the app."""

    def __init__(
        self, arguments: list[str], environment: dict[str, str], socket: web.WebSocketResponse
    ) -> None:
        super().__init__(
            " ".join(arguments),
            write_bytes=socket.send_bytes,
            write_str=socket.send_str,
            close=partial(_closed, socket),
            download_manager=DownloadManager(),
        )
        self._arguments = arguments
        self._own_environment = environment

    def _build_environment(self, width: int = 80, height: int = 24) -> dict[str, str]:
        return self._own_environment | {
            "TEXTUAL_DRIVER": "textual.drivers.web_driver:WebDriver",
            "TEXTUAL_COLOR_SYSTEM": "truecolor",
            "COLUMNS": str(width),
            "ROWS": str(height),
        }

    async def _open_app_process(self, width: int = 80, height: int = 24) -> Process:
        self._process = await asyncio.create_subprocess_exec(
            *self._arguments, stdin=PIPE, stdout=PIPE, stderr=PIPE, env=self._build_environment(width, height)
        )
        self._stdin = self._process.stdin
        return self._process

    async def on_data(self, payload: bytes) -> None:
        """Pass the app's output to the browser; without a browser, read on so that the app can end."""
        with suppress(ConnectionError, RuntimeError):
            await super().on_data(payload)

    async def stop(self) -> None:
        """Let the app handle every key that has arrived, then end it; kill it if it does not end."""
        if self._task is None or self._process is None:
            return
        # The quit key queues behind the keys before it; textual-serve's own message would overtake them.
        await self.send_bytes(_QUIT_KEY)
        if not await self._ended(_SECONDS_TO_FINISH):
            await self.send_meta({"type": "quit"})
            if not await self._ended(_SECONDS_TO_FINISH):
                with suppress(ProcessLookupError):  # it has ended, but its last output has not arrived yet
                    self._process.kill()
        await self._task
        await self._process.wait()
        self._task = None

    async def _ended(self, seconds: float) -> bool:
        assert self._task is not None
        await asyncio.wait([self._task], timeout=seconds)
        return self._task.done()


class ReviewServer:
    """Serves one study: a page and a socket for each valid link, and nothing else."""

    def __init__(self, database: Database, study: str, command: WindowCommand, public_url: str = "") -> None:
        self._links = SiteLinks(database, study)
        self._command = command
        self._public_url = public_url.rstrip("/")
        self._public_host = _host_and_port("/".join(self._public_url.split("/")[:3]))
        self._templates = Templates("reviewer.web", escape)
        self._open: dict[web.WebSocketResponse, Link] = {}
        self._ending: set[asyncio.Task[None]] = set()

    def application(self) -> web.Application:
        """The web application, ready to run."""
        application = web.Application(middlewares=[_uniform_responses, self._check_sender])
        static = Path(str(files("textual_serve"))) / "static"
        application.add_routes(
            [
                web.get("/r/{secret}/", self._page),
                web.get("/r/{secret}/ws", self._socket, allow_head=False),
                web.get("/page.js", _script),
                web.static("/static", static),
            ]
        )
        application.cleanup_ctx.append(self._watch_links)
        application.on_shutdown.append(self._close_all)
        return application

    # -- pages and sockets -------------------------------------------------------------------------

    async def _page(self, request: web.Request) -> web.Response:
        link = await self._link(request)
        here = URL(self._public_url or f"{request.scheme}://{request.host}")
        socket = (
            here.with_scheme("wss" if here.scheme == "https" else "ws")
            / "r"
            / request.match_info["secret"]
            / "ws"
        )
        page = self._templates.render(
            "page.html",
            title=f"{link.study} · {link.rater}",
            here=str(here).rstrip("/"),
            static=str(here / "static"),
            socket=str(socket),
        )
        return web.Response(text=page, content_type="text/html")

    async def _socket(self, request: web.Request) -> web.WebSocketResponse:
        link = await self._link(request)
        self._check_room(link)
        socket = web.WebSocketResponse(heartbeat=_HEARTBEAT_SECONDS, max_msg_size=_MOST_MESSAGE_BYTES)
        socket.headers.update(_HEADERS)
        self._open[socket] = link
        try:
            await _upgrade(socket, request)
            if isinstance(request.protocol, Connection):
                request.protocol.holds_window()
            window = RaterWindow(*self._command(link), socket)
            await window.start(
                _cells(request.query.get("width"), 80), _cells(request.query.get("height"), 24)
            )
            try:
                await _pass_on(socket, window)
            finally:
                # Shielded: a browser that disconnects must not interrupt the saving of its last keys.
                await asyncio.shield(self._end(window))
        finally:
            del self._open[socket]
        return socket

    def _end(self, window: RaterWindow) -> asyncio.Task[None]:
        ending = asyncio.create_task(window.stop())
        self._ending.add(ending)
        ending.add_done_callback(self._ending.discard)
        return ending

    async def _link(self, request: web.Request) -> Link:
        link = await self._links.of(request.match_info["secret"])
        if link is None:
            raise web.HTTPNotFound
        return link

    @web.middleware
    async def _check_sender(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Refuse pages of other sites, and requests that no browser sends, before any link is looked up."""
        if request.version not in (HttpVersion10, HttpVersion11):
            raise web.HTTPBadRequest
        hosts, origins = request.headers.getall("Host", []), request.headers.getall("Origin", [])
        here = _host_and_port(f"http://{hosts[0]}") if len(hosts) == 1 else None
        # A proxy may have decrypted what arrives in plain, so the scheme is not compared.
        theirs = [_host_and_port(origin) for origin in origins]
        if here is None or len(theirs) > 1 or not {*theirs} <= {here, self._public_host} - {None}:
            raise web.HTTPBadRequest
        return await handler(request)

    def _check_room(self, link: Link) -> None:
        by_rater = Counter(other.rater for other in self._open.values())
        if len(self._open) >= MOST_SESSIONS or by_rater[link.rater] >= MOST_SESSIONS_OF_A_RATER:
            raise web.HTTPServiceUnavailable

    # -- links that end while they are in use --------------------------------------------------------

    async def _watch_links(self, _application: web.Application) -> AsyncIterator[None]:
        watch = asyncio.create_task(self._close_invalid())
        yield
        watch.cancel()
        with suppress(asyncio.CancelledError):
            await watch
        self._links.close()
        await asyncio.gather(*self._ending)

    async def _close_all(self, _application: web.Application) -> None:
        await self._close(list(self._open))

    async def _close_invalid(self) -> None:
        while True:
            await asyncio.sleep(_LINK_CHECK_SECONDS)
            # A store that cannot be read just now says nothing about links; it is asked again later.
            with suppress(StoreError):
                ended = await self._links.ended(self._open.values())
                await self._close(
                    socket for socket, link in self._open.items() if link.secret_digest in ended
                )

    async def _close(self, sockets: Iterable[web.WebSocketResponse]) -> None:
        """Close these sockets, except those that are still opening."""
        await asyncio.gather(*(_closed(socket) for socket in sockets if socket.prepared))


async def _upgrade(socket: web.WebSocketResponse, request: web.Request) -> None:
    try:
        await socket.prepare(request)
    except ValueError as error:
        raise web.HTTPBadRequest from error  # a key that is not ASCII


async def _closed(socket: web.WebSocketResponse) -> None:
    """Close a socket; wait for its browser only for a short time, so that others need not wait."""
    with suppress(TimeoutError, ConnectionError):
        await asyncio.wait_for(socket.close(), _SECONDS_TO_CLOSE)


async def _script(_request: web.Request) -> web.Response:
    script = (files("reviewer.web") / "page.js").read_text(encoding="utf-8")
    return web.Response(text=script, content_type="text/javascript")


async def _pass_on(socket: web.WebSocketResponse, window: RaterWindow) -> None:
    """Pass the browser's messages to the app; a message that our page does not send ends the connection."""
    async for message in socket:
        if message.type is not WSMsgType.TEXT:
            break
        match _parsed(message.data):
            case ["stdin", str(keys)]:
                await window.send_bytes(keys.encode("utf-8", "replace"))
            case ["resize", {"width": width, "height": height}]:
                await window.set_terminal_size(_cells(width, 80), _cells(height, 24))
            case ["ping", (int() | float() | str()) as mark]:
                await socket.send_json(["pong", mark])
            case ["focus", *_]:
                await window.focus()
            case ["blur", *_]:
                await window.blur()
            case _:
                break
    await _closed(socket)


def _parsed(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _host_and_port(origin: str) -> tuple[str, int | None] | None:
    """Host and port of a web page's origin; None for any other text."""
    if not _ORIGIN.fullmatch(origin):
        return None
    try:
        url = URL(origin)
        port = None if url.is_default_port() else url.port
        return (url.host.lower(), port) if url.host else None
    except ValueError:
        return None


def _cells(value: object, default: int) -> int:
    """A width or height in cells, within the bounds in which the app can draw."""
    try:
        wanted = int(str(value))
    except ValueError:
        return default
    return min(max(wanted, _CELLS.start), _CELLS.stop - 1)


@web.middleware
async def _uniform_responses(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Make all refusals look alike, and give every response the same protective headers."""
    if isinstance(request.protocol, Connection):
        request.protocol.head_arrived()
    try:
        response = await handler(request)
    except web.HTTPBadRequest:
        response = web.Response(status=400)
    except web.HTTPServiceUnavailable:
        response = web.Response(status=503, text="Too many windows are open; close one, then reload.\n")
    except StoreError as error:
        _log.warning("%s", error)
        response = web.Response(status=503, text=_UNREACHABLE)
    except web.HTTPException:
        response = web.Response(status=404)
    except OSError as error:
        if error.errno != errno.ENAMETOOLONG:
            raise
        response = web.Response(status=404)
    if not response.prepared:
        response.headers.update(_HEADERS)
        if response.status >= web.HTTPBadRequest.status_code:
            response.force_close()
    return response
