"""Limits on waiting connections: how many at once, in all and from one address, and for how long.

A connection waits until it has a window. A window needs a valid link, and the server limits the number of
windows.
"""

import asyncio
import ipaddress
import logging
from collections import Counter
from contextlib import suppress
from typing import Any

from aiohttp import web

HEAD_SECONDS = 10.0
"""The time in which a browser must send its request line and headers."""
REQUEST_SECONDS = 60.0
"""The time in which it must read the response or open its window."""
IDLE_SECONDS = 10.0
"""How long a connection stays open after a response, for the next request."""
SHUTDOWN_SECONDS = 20.0
"""How long windows have at the end to save their last keys and close."""
MOST_WAITING = 512
"""Half of these may come from one address, since behind a proxy all browsers share one."""
_ACCEPTED_AT_ONCE = 8
"""Accepted connections are counted a moment later, so a few times this many may exceed the limit."""
_FILES_PER_WINDOW = 8
"""A window needs its socket, and the pipes of its app, also while the app starts."""
_OTHER_FILES = 64
_IPV6_NETWORK_BITS = 64
"""One customer usually has all addresses of such a network, so they count as one."""

_log = logging.getLogger(__name__)


class Waiting:
    """Counts the connections without a window, by address."""

    def __init__(self, most: int = MOST_WAITING) -> None:
        self._most = most
        self._by_address: Counter[str] = Counter()

    def let_in(self, address: str) -> bool:
        """Count one more connection from an address; False, without counting it, where there are too many."""
        if self._by_address[address] >= self._most // 2 or self._by_address.total() >= self._most:
            return False
        self._by_address[address] += 1
        return True

    def let_out(self, address: str) -> None:
        """Count one fewer."""
        self._by_address -= Counter({address: 1})


class Connection(web.RequestHandler):
    """A connection that ends when it waits too long, and that gives no details to senders of bad HTTP."""

    __slots__ = ("_answering", "_counted", "_deadline", "_waiting")

    def __init__(self, server: web.Server, waiting: Waiting, **options: Any) -> None:
        super().__init__(server, **options)
        self._waiting = waiting
        self._counted: str | None = None
        self._deadline: asyncio.TimerHandle | None = None
        self._answering: asyncio.Task[Any] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Count the connection and wait for its first request, or end it at once."""
        assert isinstance(transport, asyncio.Transport)
        address = _address(transport)
        if not self._waiting.let_in(address):
            transport.abort()
            return
        self._counted = address
        super().connection_made(transport)
        self._end_in(HEAD_SECONDS)

    def connection_lost(self, exc: BaseException | None) -> None:
        """Count one connection fewer."""
        self._release()
        if self.transport is not None:
            super().connection_lost(exc)

    def head_arrived(self) -> None:
        """A request line and its headers have arrived; the current task answers them."""
        if self._counted is not None:
            self._answering = asyncio.current_task()
            self._end_in(REQUEST_SECONDS)

    def holds_window(self) -> None:
        """The connection has a window: it may stay for as long as its link is valid."""
        self._release()

    def handle_error(
        self,
        request: web.BaseRequest,
        status: int = 500,
        exc: BaseException | None = None,
        message: str | None = None,
    ) -> web.StreamResponse:
        """Answer an unreadable request with its status only; a defect of this program is logged."""
        if status >= web.HTTPInternalServerError.status_code:
            _log.error("A request ended in a defect of the program.", exc_info=exc)
        response = web.Response(status=status, headers={"Server": "reviewer"})
        response.force_close()
        return response

    def _end_in(self, seconds: float) -> None:
        self._cancel_deadline()
        self._deadline = asyncio.get_running_loop().call_later(seconds, self._end)

    def _end(self) -> None:
        if self._answering is not None:
            # A file that is being sent does not notice that its connection has ended.
            self._answering.cancel()
        if isinstance(self.transport, asyncio.Transport):
            self.transport.abort()

    def _release(self) -> None:
        self._cancel_deadline()
        if self._counted is not None:
            self._waiting.let_out(self._counted)
            self._counted = None

    def _cancel_deadline(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()


async def listen(
    application: web.Application, host: str, port: int, windows: int
) -> tuple[web.AppRunner, asyncio.Server]:
    """Serve an application with limits that leave room for these windows; raises OSError."""
    runner = web.AppRunner(application, access_log=None, shutdown_timeout=SHUTDOWN_SECONDS)
    await runner.setup()
    waiting, loop, server = Waiting(most_waiting(windows)), asyncio.get_running_loop(), runner.server
    assert server is not None

    def connection() -> Connection:
        return Connection(
            server,
            waiting,
            loop=loop,
            access_log=None,
            keepalive_timeout=IDLE_SECONDS,
            auto_decompress=False,  # nobody reads a body, and one that is not what it says raises
        )

    try:
        listening = await loop.create_server(connection, host, port, backlog=_ACCEPTED_AT_ONCE)
    except OSError:
        await runner.cleanup()
        raise
    for listener in listening.sockets:
        with listener.dup() as same:
            same.listen(MOST_WAITING)  # the system's own queue may be longer
    return runner, listening


def most_waiting(windows: int) -> int:
    """How many connections may wait, so that enough files are left for these windows.

    It asks the system for more open files if needed.
    """
    wanted = MOST_WAITING + windows * _FILES_PER_WINDOW + _OTHER_FILES
    with suppress(ImportError, ValueError, OSError):
        import resource

        allowed, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        if resource.RLIM_INFINITY != allowed < wanted:
            allowed = wanted if most == resource.RLIM_INFINITY else min(wanted, most)
            resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, most))
            return min(MOST_WAITING, allowed // 4)
    return MOST_WAITING


def _address(transport: asyncio.Transport) -> str:
    peer = transport.get_extra_info("peername") or ("",)
    host = str(peer[0]).partition("%")[0]
    with suppress(ValueError):
        address = ipaddress.ip_address(host)
        if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is None:
            return str(ipaddress.ip_network((address, _IPV6_NETWORK_BITS), strict=False))
    return host
