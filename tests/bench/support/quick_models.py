"""A server for models that costs little: it reads a request, waits, and sends bytes that are nearly ready.

``tests/llm/server.py`` can do everything that goes wrong. It takes as long for an answer as the client that
asks, so where both share two cores it is measured too.
"""

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

Said = Callable[[Sequence[Mapping[str, Any]]], str]

_BEFORE = (
    b'{"id":"chatcmpl-0","object":"chat.completion","created":1700000000,"model":"m","choices":[{"index":0,'
    b'"message":{"role":"assistant","content":'
)
_AFTER = b'},"finish_reason":"stop"}],"usage":{"prompt_tokens":10,"completion_tokens":5,"total_tokens":15}}'
_HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n"


class _Connection(asyncio.Protocol):
    """One connection; its requests come one after the other, each with its length."""

    def __init__(self, said: Said, latency: float) -> None:
        self._said, self._latency = said, latency
        self._came = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._came += data
        head, blank, body = self._came.partition(b"\r\n\r\n")
        length = head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0]
        if not blank or len(body) < int(length):
            return
        self._came = b""
        text = json.dumps(self._said(json.loads(body)["messages"])).encode()
        content = b"".join((_BEFORE, text, _AFTER))
        asyncio.get_running_loop().call_later(
            self._latency, self._transport.write, _HEAD % len(content) + content
        )


async def serve(said: Said, latency: float, ready: Callable[[str], None]) -> None:
    """Answer every request with the text that ``said`` makes of it, until killed; ``ready`` gets the URL."""
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: _Connection(said, latency), "127.0.0.1", 0, backlog=512)
    ready(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1")
    await server.serve_forever()
