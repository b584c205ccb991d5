"""Discovery: how fast a run asks beside a plain client, and a run that is killed twenty times.

1. Calls a second at 64 at once against a server of 200 ms latency: a discovery run that keeps everything, and
   the openai client that sends the same requests, all known beforehand, and keeps nothing. The ideal is 64
   calls in each 200 ms.
2. A run killed twenty times at random moments: what was asked again, and whether it ends as one that was not.
"""

import asyncio
import json
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from reviewer.core.table import Table  # noqa: E402
from reviewer.report.text_table import text_table  # noqa: E402
from store.database import Database  # noqa: E402
from tests.llm.server import Answer, LoopbackModels  # noqa: E402
from tests.runs.discovering import PLANTED, Habits, a_discovery, discover, with_material  # noqa: E402
from tests.runs.killing import answers  # noqa: E402
from tests.runs.test_discovery_killed import kill, undisturbed  # noqa: E402

LATENCY, CONCURRENCY = 0.2, 64
PAIRS, VALIDATION, NAMES = 300, 250, 8
KILLS = 20


def main() -> None:
    """Print one table for each part."""
    with tempfile.TemporaryDirectory() as name:
        asking(Path(name))
        with_kills(Path(name))


def asking(folder: Path) -> None:
    """A run, and then a plain client with the same requests, each with a server of its own."""
    store = folder / "asked.db"
    with (
        closing(with_material(Database.open(str(store)), PAIRS, VALIDATION)) as database,
        slow_server() as url,
    ):
        begun = time.perf_counter()
        run = discover(database, url, a_discovery(), concurrency=CONCURRENCY)
        ours = time.perf_counter() - begun
    bodies = [call.request for call in answers(store)]
    with slow_server() as url:
        plain = asyncio.run(plain_client(url, bodies))
    ideal = len(bodies) * LATENCY / CONCURRENCY
    rows = [
        (way, seconds, len(bodies) / seconds, f"{ideal / seconds:.1%}")
        for way, seconds in (("openai client, nothing kept", plain), ("reviewer discover, all kept", ours))
    ]
    print(f"{len(bodies):,} calls in {run.rounds} rounds, {CONCURRENCY} at once, latency {LATENCY:g} s")
    print(text_table(Table.of(("way", "seconds", "calls/s", "of the ideal"), rows)))


async def plain_client(url: str, bodies: Sequence[dict[str, Any]]) -> float:
    """The seconds that the client takes for these requests, with a semaphore before it."""
    import openai

    slots = asyncio.Semaphore(CONCURRENCY)
    async with openai.AsyncOpenAI(base_url=url, api_key="none", max_retries=0) as client:

        async def one(body: dict[str, Any]) -> None:
            async with slots:
                await client.chat.completions.create(**body)

        await one(bodies[0])  # connects, and loads what loads late
        begun = time.perf_counter()
        await asyncio.gather(*map(one, bodies))
        return time.perf_counter() - begun


@contextmanager
def slow_server() -> Iterator[str]:
    """The URL of judge and teacher, who answer after the latency, in a process of their own."""
    command = [sys.executable, __file__, "serve"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.kill()


def serve() -> None:
    """Answer until killed; say the URL when ready."""
    habits = Habits(naming=many_names)
    server = LoopbackModels(lambda asked: Answer(habits(asked).text, delay=LATENCY))
    asyncio.run(server.run(lambda: print(server.url, flush=True), 0))


def many_names(text: str) -> str:
    """The planted bias where a heading misled the judge, else one of several that do nothing."""
    number = zlib.crc32(text.encode()) % NAMES
    name = PLANTED if "It has a heading." in text else f"{'abcdefgh'[number] * 5} bias"
    return json.dumps({"bias": True, "name": name, "definition": f"Prefers {name}."})


def with_kills(folder: Path) -> None:
    """A run that is killed so often, and one that is not."""
    for name in ("killed", "whole"):
        (folder / name).mkdir()
    ended, kept, sent = kill(folder / "killed", KILLS, 40, 30, seed=int(time.time()))
    same = ended == undisturbed(folder / "whole", 40, 30)
    rows = [
        ("kills", KILLS),
        ("requests", sent),
        ("requests answered and asked again", len(kept) - len(set(kept))),
        ("requests lost in flight, over all kills", sent - len(kept)),
        ("ends as a run that was not interrupted", "yes" if same else "NO"),
    ]
    print("\n" + text_table(Table.of(("of the killed run", "value"), rows)))


if __name__ == "__main__":
    serve() if sys.argv[1:] == ["serve"] else main()
