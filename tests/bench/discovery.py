"""Discovery: how fast a run asks compared with a plain client, and a run that is killed twenty times.

Usage: python tests/bench/discovery.py [LATENCY ...]   (seconds; 0.2, 0.4 and 1 without any)

1. Calls a second at 64 at once against a server of each latency: a discovery run that keeps everything, and
   the openai client that sends the same requests, all known beforehand, and keeps nothing. The ideal is 64
   calls in each latency. Where the plain client does not come near it, the processor time a call decides.
   "the order alone" is the rate that the run's order of requests allows if nothing but the latency takes
   time: some requests wait for the answers to others.
2. A run killed twenty times at random moments: repeated requests, and whether it ends as one that was not.
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
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from reviewer.core.table import Table  # noqa: E402
from reviewer.llm.request import ModelReply, ModelRequest  # noqa: E402
from reviewer.llm.transport import load_client  # noqa: E402
from reviewer.llm.usage import Usage  # noqa: E402
from reviewer.report.text_table import text_table  # noqa: E402
from reviewer.runs.engine.work_runner import Requester, WorkRunner, role_models  # noqa: E402
from reviewer.similarity.encoder import Vectors  # noqa: E402
from store.database import Database  # noqa: E402
from tests.bench.support import quick_models  # noqa: E402
from tests.bench.support.virtual_time import virtual_seconds  # noqa: E402
from tests.protocols.judge_pairs.test_discovery import MODELS, a_discovery_of  # noqa: E402
from tests.runs.discovering import PLANTED, Habits, a_discovery, discover, with_material  # noqa: E402
from tests.runs.generating import WordVectors  # noqa: E402
from tests.runs.killing import answers  # noqa: E402
from tests.runs.test_discovery_killed import kill, undisturbed  # noqa: E402

LATENCIES, CONCURRENCY = (0.2, 0.4, 1.0), 64
PAIRS, VALIDATION, NAMES = 300, 250, 8
KILLS = 20
PLAIN, KEPT = "openai client", "discover"
COLUMNS = ("latency", "way", "seconds", "calls/s", "of the ideal", "of the client's", "CPU ms a call")


class Took(NamedTuple):
    """The seconds of a way of requester, and those for which this process was busy."""

    seconds: float
    busy: float


def main(latencies: Sequence[float]) -> None:
    """Print one table for each part."""
    with tempfile.TemporaryDirectory() as name:
        asking(Path(name), latencies)
        with_kills(Path(name))


def asking(folder: Path, latencies: Sequence[float]) -> None:
    """For each latency a run, and then a plain client with the same requests, each with its own server."""
    rows = [order_alone()]
    for latency in latencies:
        store = folder / f"asked-{latency:g}.db"
        ours, rounds = through_run(store, latency)
        bodies = [call.request for call in answers(store)]
        with slow_server(latency) as url:
            plain = asyncio.run(plain_client(url, bodies))
        rows += [row_of(latency, *timed, plain, len(bodies)) for timed in ((PLAIN, plain), (KEPT, ours))]
    print(f"{len(bodies):,} calls in {rounds} rounds, {CONCURRENCY} at once")
    print(text_table(Table.of(COLUMNS, rows)))


def order_alone() -> tuple[str, ...]:
    """What the order of requests keeps of the ideal, whatever the latency."""
    client = InstantModels(Habits(naming=many_names))
    seconds = virtual_seconds(all_rounds(client))
    share = client.calls / CONCURRENCY / seconds
    return ("any", "the order alone", "-", "-", f"{share:.1%}", "-", "-")


class InstantModels:
    """A client whose models answer after a second of virtual time."""

    def __init__(self, habits: Habits) -> None:
        self._habits, self._slots, self.calls = habits, asyncio.Semaphore(CONCURRENCY), 0

    async def ask(self, request: ModelRequest) -> ModelReply:
        """The reply, as many at once as there are slots."""
        async with self._slots:
            await asyncio.sleep(1.0)
        self.calls += 1
        text = self._habits.said([{"content": message.content} for message in request.messages])
        return ModelReply(text, "", "stop", 1, 1, None, 0.0, 1, "model", request.digest())

    @property
    def spent(self) -> Usage:
        """Nothing is counted."""
        raise NotImplementedError

    @property
    def stopped(self) -> bool:
        """Nobody stops it."""
        return False

    def stop(self) -> None:
        """Nobody stops it."""


class SameThread(WorkRunner):
    """Compares texts without a thread, since virtual time does not wait for threads."""

    async def vectors(self, texts: Sequence[str]) -> Vectors:
        """The vectors of the tests."""
        return WordVectors().of(texts)


async def all_rounds(client: InstantModels) -> None:
    """Run the rounds of the bench's run, without a store."""
    runner = SameThread()
    discovery, state = a_discovery_of(PAIRS, validation=VALIDATION), None
    for number in range(1, discovery.settings.rounds + 1):
        brought = await runner.run(
            discovery.round(number, state), Requester(role_models(client, MODELS, discovery.sampling))
        )
        state = brought.state
        if not brought.kept:
            return


def row_of(latency: float, way: str, took: Took, plain: Took, calls: int) -> tuple[str, ...]:
    """One way in figures: its rate, and the share of that in the ideal and in the plain client's."""
    ideal = calls * latency / CONCURRENCY
    return (
        f"{latency:g} s",
        way,
        f"{took.seconds:.1f}",
        f"{calls / took.seconds:.1f}",
        f"{ideal / took.seconds:.1%}",
        f"{plain.seconds / took.seconds:.0%}",
        f"{1000 * took.busy / calls:.2f}",
    )


def through_run(store: Path, latency: float) -> tuple[Took, int]:
    """What a run took from its first row to its last, and its rounds."""
    database = with_material(Database.open(str(store)), PAIRS, VALIDATION)
    load_client()  # the plain client has loaded it too before its time is taken
    with closing(database), slow_server(latency) as url:
        begun, busy = time.perf_counter(), time.process_time()
        run = discover(database, url, a_discovery(), concurrency=CONCURRENCY)
        return Took(time.perf_counter() - begun, time.process_time() - busy), run.rounds


async def plain_client(url: str, bodies: Sequence[dict[str, Any]]) -> Took:
    """What the client takes for these requests, with a semaphore before it."""
    import openai

    slots = asyncio.Semaphore(CONCURRENCY)
    async with openai.AsyncOpenAI(base_url=url, api_key="none", max_retries=0, timeout=120) as client:

        async def one(body: dict[str, Any]) -> None:
            async with slots:
                await client.chat.completions.create(**body)

        await one(bodies[0])  # connects, and loads what loads late
        begun, busy = time.perf_counter(), time.process_time()
        await asyncio.gather(*map(one, bodies))
        return Took(time.perf_counter() - begun, time.process_time() - busy)


@contextmanager
def slow_server(latency: float) -> Iterator[str]:
    """The URL of judge and teacher, who answer after the latency, in a process of their own."""
    command = [sys.executable, __file__, "serve", str(latency)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.kill()


def serve(latency: float) -> None:
    """Answer until killed; say the URL when ready."""
    said = Habits(naming=many_names).said
    asyncio.run(quick_models.serve(said, latency, lambda url: print(url, flush=True)))


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
    if sys.argv[1:2] == ["serve"]:
        serve(float(sys.argv[2]))
    else:
        main([float(latency) for latency in sys.argv[1:]] or LATENCIES)
