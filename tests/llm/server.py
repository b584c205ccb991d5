"""An OpenAI-shaped server on 127.0.0.1 that does what it is told: answers, and everything that goes wrong.

``with serving(respond) as server`` starts it in a thread of its own; ``respond`` gets each request (Asked)
and says what to do (Answer). ``python -m tests.llm.server PORT SECONDS`` serves echoes from a process of its
own, for benches.
"""

import asyncio
import json
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

_PHRASES = {200: "OK"}


@dataclass(frozen=True)
class Asked:
    """One request as it came; ``number`` counts from 0."""

    number: int
    path: str
    headers: Mapping[str, str]
    body: dict[str, Any]

    @property
    def last(self) -> str:
        """The last message's content."""
        return str(self.body["messages"][-1]["content"])


@dataclass(frozen=True)
class Answer:
    """What to send. ``payload`` is sent instead of a chat completion: bytes as they are, else as JSON.

    ``delay`` seconds before anything; ``cut_after`` that many bytes of the body the connection is closed,
    ``stall_after`` that many nothing more comes; ``no_response`` closes it before anything.
    """

    text: str | None = "ok"
    finish_reason: str = "stop"
    message: Mapping[str, Any] = field(default_factory=dict)
    usage: Mapping[str, Any] | None = field(
        default_factory=lambda: {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
    )
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    payload: Any = None
    delay: float = 0.0
    cut_after: int | None = None
    stall_after: int | None = None
    no_response: bool = False

    def content(self, asked: Asked) -> bytes:
        """The whole body."""
        if isinstance(self.payload, bytes):
            return self.payload
        return json.dumps(self._completion(asked) if self.payload is None else self.payload).encode()

    def _completion(self, asked: Asked) -> dict[str, Any]:
        message = {"role": "assistant", "content": self.text, **self.message}
        return {
            "id": f"chatcmpl-{asked.number}",
            "object": "chat.completion",
            "created": 1_700_000_000,
            "model": asked.body["model"],
            "choices": [{"index": 0, "message": message, "finish_reason": self.finish_reason}],
            **({} if self.usage is None else {"usage": self.usage}),
        }


def error(status: int, message: str, headers: Mapping[str, str] | None = None, **more: Any) -> Answer:
    """An error in OpenAI's shape."""
    said = {"message": message, "type": "invalid_request_error", "param": None, "code": None, **more}
    return Answer(status=status, payload={"error": said}, headers=headers or {})


Respond = Callable[[Asked], Answer]


def in_turn(*answers: Answer) -> Respond:
    """Each answer once, in this order; the last one from then on."""
    return lambda asked: answers[min(asked.number, len(answers) - 1)]


class LoopbackModels:
    """The server. ``asked`` has every request that came, ``most_at_once`` how many were open at a time."""

    def __init__(self, respond: Respond) -> None:
        self.respond = respond
        self.asked: list[Asked] = []
        self.most_at_once = 0
        self.port = 0
        self._open = 0
        self._over = asyncio.Event()

    @property
    def url(self) -> str:
        """The base URL for clients."""
        return f"http://127.0.0.1:{self.port}/v1"

    async def run(self, started: Callable[[], None], port: int = 0) -> None:
        """Serve until ``finish``."""
        server = await asyncio.start_server(self._connected, "127.0.0.1", port, backlog=512)
        self.port = server.sockets[0].getsockname()[1]
        started()
        await self._over.wait()
        server.close()

    def finish(self) -> None:
        """End ``run``, from its own thread."""
        self._over.set()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while await self._exchange(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError):
            return
        finally:
            writer.close()

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """One request and its answer; whether the connection stays open."""
        head = await reader.readuntil(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        body = await reader.readexactly(int(headers.get("content-length") or 0))
        asked = Asked(len(self.asked), first.split()[1], headers, json.loads(body or b"{}"))
        self.asked.append(asked)
        self._open += 1
        self.most_at_once = max(self.most_at_once, self._open)
        try:
            return await self._answer(writer, asked, self.respond(asked))
        finally:
            self._open -= 1

    async def _answer(self, writer: asyncio.StreamWriter, asked: Asked, answer: Answer) -> bool:
        await asyncio.sleep(answer.delay)
        if answer.no_response:
            return False
        content = answer.content(asked)
        headers = {"content-type": "application/json", **answer.headers, "content-length": str(len(content))}
        lines = [f"HTTP/1.1 {answer.status} {_PHRASES.get(answer.status, 'Other')}"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        writer.write("\r\n".join([*lines, "", ""]).encode("latin-1"))
        stop = answer.cut_after if answer.stall_after is None else answer.stall_after
        writer.write(content[:stop])
        await writer.drain()
        if answer.stall_after is not None:
            await self._over.wait()
        return stop is None


@contextmanager
def serving(respond: Respond) -> Iterator[LoopbackModels]:
    """A server in a thread of its own, for as long as the block lasts."""
    ready = threading.Event()
    loops: list[asyncio.AbstractEventLoop] = []

    async def run() -> None:
        loops.append(asyncio.get_running_loop())
        await server.run(ready.set)

    server = LoopbackModels(respond)
    thread = threading.Thread(target=lambda: asyncio.run(run()), name="loopback models", daemon=True)
    thread.start()
    if not ready.wait(10):
        raise AssertionError("the loopback server did not start")
    try:
        yield server
    finally:
        loops[0].call_soon_threadsafe(server.finish)
        thread.join(10)


def main(arguments: Sequence[str]) -> None:
    """Echo the last message after so many seconds, on this port, until killed; say the URL when ready."""
    port, seconds = int(arguments[0]), float(arguments[1])
    server = LoopbackModels(lambda asked: Answer(asked.last, delay=seconds))
    asyncio.run(server.run(lambda: print(server.url, flush=True), port))


if __name__ == "__main__":
    main(sys.argv[1:])
