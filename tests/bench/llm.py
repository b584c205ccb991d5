"""How close requests come to the limit of a server: one of 200 ms latency, in a process of its own.

Prints one row a way and concurrency: calls, seconds, calls a second, share of the ideal (concurrency by
latency), and the ratio to the bare client (the SDK with nothing kept) of the same run. The last way repeats
requests that the rows already answer.
"""

import asyncio
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from reviewer.core.table import Table  # noqa: E402
from reviewer.llm.client import HttpModelClient  # noqa: E402
from reviewer.llm.model_settings import CallLimits, Endpoint, ModelSettings  # noqa: E402
from reviewer.llm.request import ChatMessage, ModelRequest  # noqa: E402
from reviewer.report.text_table import text_table  # noqa: E402
from store.calls import StoredCalls  # noqa: E402
from store.database import Database  # noqa: E402

LATENCY = 0.2
CALLS = {1: 20, 8: 160, 64: 1280}
ASK = ModelRequest(
    (ChatMessage("user", "An engineer has to choose. " * 60),), "bench", temperature=0.0, model="m1"
)


@dataclass(frozen=True)
class Timed:
    """A number of calls and the seconds they took."""

    calls: int
    seconds: float

    def row(self, way: str, concurrency: int, baseline: "Timed", sent: bool = True) -> tuple[str | int, ...]:
        rate, ratio = self.calls / self.seconds, baseline.seconds / self.seconds
        share = f"{rate * LATENCY / concurrency:.1%}" if sent else ""
        return way, concurrency, self.calls, f"{self.seconds:.2f}", f"{rate:.0f}", share, f"{ratio:.2f}x"


def main() -> None:
    """Time both ways at each concurrency."""
    rows = []
    with slow_server() as url, tempfile.TemporaryDirectory() as folder:
        for concurrency, calls in CALLS.items():
            bare = asyncio.run(bare_client(url, calls, concurrency))
            with closing(Database.open(f"{folder}/{concurrency}.db")) as database:
                client = asyncio.run(through_client(url, calls, concurrency, database))
                again = asyncio.run(through_client(url, calls, concurrency, database))
            rows += [
                bare.row("bare client", concurrency, bare),
                client.row("client, each row durable", concurrency, bare),
                again.row("client, answered from rows", concurrency, bare, sent=False),
            ]
    columns = ("way", "concurrency", "calls", "seconds", "calls/s", "of the ideal", "ratio")
    print(text_table(Table.of(columns, rows)))


@contextmanager
def slow_server() -> Iterator[str]:
    """The URL of a server that echoes after the latency."""
    command = [sys.executable, "-m", "tests.llm.server", "0", str(LATENCY)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.kill()


def asks(calls: int) -> Sequence[ModelRequest]:
    return [replace(ASK, repeat=number) for number in range(calls)]


async def bare_client(url: str, calls: int, concurrency: int) -> Timed:
    """The SDK with a semaphore before it."""
    import openai

    slots = asyncio.Semaphore(concurrency)
    body = ASK.body()
    async with openai.AsyncOpenAI(base_url=url, api_key="none", max_retries=0, timeout=120) as client:

        async def one() -> None:
            async with slots:
                await client.chat.completions.create(**body)

        await one()  # connects, and loads what loads late
        started = time.perf_counter()
        await asyncio.gather(*(one() for _ in range(calls)))
        return Timed(calls, time.perf_counter() - started)


async def through_client(url: str, calls: int, concurrency: int, database: Database) -> Timed:
    """The client with its rows in a store on disk."""
    settings = ModelSettings(Endpoint(url), CallLimits(concurrency=concurrency))
    async with HttpModelClient(settings, StoredCalls(database)) as client:
        await client.ask(replace(ASK, repeat=-1))
        started = time.perf_counter()
        await asyncio.gather(*(client.ask(ask) for ask in asks(calls)))
        return Timed(calls, time.perf_counter() - started)


if __name__ == "__main__":
    main()
