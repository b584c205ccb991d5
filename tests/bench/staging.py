"""Staging: how fast a run plays many scripts, compared with a plain client and the order of turns alone.

Usage: python tests/bench/staging.py [REPEATS]   (3 without any)

64 calls are under way at a time against a server that takes 0.5 s for an answer. The ideal is 64 calls in
each latency. "the order alone" is the rate that the turns of scripts allow, each after the one before it, if
nothing but the latency takes time. The run keeps all it does; the plain client knows all requests beforehand,
and keeps nothing. They take turns. The load of the machine is printed with each, since both share its cores.
"""

import asyncio
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from reviewer.core.table import Table  # noqa: E402
from reviewer.llm.client import HttpModelClient  # noqa: E402
from reviewer.llm.model_settings import CallLimits, Endpoint, ModelSettings  # noqa: E402
from reviewer.llm.transport import load_client  # noqa: E402
from reviewer.protocols.staged_dialogues.staging import STAGE  # noqa: E402
from reviewer.report.text_table import text_table  # noqa: E402
from reviewer.runs.case_values import PreparedCaseRun, prepared_case_run  # noqa: E402
from reviewer.runs.engine.run_loop import carry_to_end  # noqa: E402
from reviewer.runs.engine.shared_run import LEAST_AT_ONCE  # noqa: E402
from reviewer.runs.engine.work_runner import RunTools  # noqa: E402
from reviewer.runs.run_setup import RunRequest  # noqa: E402
from store.calls import StoredCalls  # noqa: E402
from store.database import Database  # noqa: E402
from tests.bench.support import quick_models  # noqa: E402
from tests.bench.support.virtual_time import virtual_seconds  # noqa: E402
from tests.runs.killing import answers  # noqa: E402
from tests.staged_cases import RULES, a_script, fill  # noqa: E402

LATENCY, CONCURRENCY = 0.5, 64
SCRIPTS, ROUNDS = 640, 3
REPLY = "I would go on, since we have put so much into it already, and the oven will work in the end."
PLAIN, KEPT = "openai client, nothing kept", "reviewer run … stage, all kept"


class Took(NamedTuple):
    """The seconds of a way of asking, those for which this process was busy, and the load at its end."""

    seconds: float
    busy: float
    load: float


def main(repeats: int) -> None:
    """Print a row for each way and round."""
    rows, calls = [order_alone()], 0
    with tempfile.TemporaryDirectory() as name:
        for number in range(1, repeats + 1):
            store = Path(name) / f"{number}.db"
            ours = through_run(store)
            bodies = [call.request for call in answers(store)]
            with slow_server() as url:
                plain = asyncio.run(plain_client(url, bodies))
            calls = len(bodies)
            rows += [row_of(number, way, took, calls) for way, took in ((PLAIN, plain), (KEPT, ours))]
    ideal = calls * LATENCY / CONCURRENCY
    print(f"{calls:,} calls of {SCRIPTS} scripts, {CONCURRENCY} at once, {LATENCY:g} s each: {ideal:.1f} s")
    print(text_table(Table.of(("round", "way", "seconds", "of the ideal", "CPU ms a call", "load"), rows)))


def order_alone() -> tuple[str, ...]:
    """What the order of turns keeps of the ideal, if as many scripts are under way as in a run."""
    calls = 0
    slots = asyncio.Semaphore(CONCURRENCY)

    async def script() -> None:
        nonlocal calls
        for _ in range(ROUNDS * sum(rule["mode"] != "self-receiving" for rule in RULES)):
            async with slots:
                await asyncio.sleep(LATENCY)
            calls += 1

    async def scripts() -> None:
        waiting = iter(range(SCRIPTS))

        async def one_after_another() -> None:
            for _ in waiting:
                await script()

        await asyncio.gather(*(one_after_another() for _ in range(max(LEAST_AT_ONCE, CONCURRENCY))))

    seconds = virtual_seconds(scripts())
    return (
        "-",
        "the order alone",
        f"{seconds:.1f}",
        f"{calls * LATENCY / CONCURRENCY / seconds:.1%}",
        "-",
        "-",
    )


def row_of(number: int, way: str, took: Took, calls: int) -> tuple[str, ...]:
    """One way in figures."""
    share = calls * LATENCY / CONCURRENCY / took.seconds
    busy = 1000 * took.busy / calls
    return str(number), way, f"{took.seconds:.1f}", f"{share:.1%}", f"{busy:.2f}", f"{took.load:.1f}"


@contextmanager
def timed(took: list[Took]) -> Iterator[None]:
    """Take the time of the block."""
    begun, busy = time.perf_counter(), time.process_time()
    yield
    took.append(Took(time.perf_counter() - begun, time.process_time() - busy, os.getloadavg()[0]))


def through_run(store: Path) -> Took:
    """A run from its first row to its last; the rules of each script are played several times."""
    load_client()
    with closing(Database.open(str(store))) as database, slow_server() as url:
        fill(database, "scripts", [a_script(number, rules=RULES * ROUNDS) for number in range(SCRIPTS)])
        request = RunRequest("staged", {"dataset": "scripts"}, {"subject": "tested-7b"}, "dialogue-scripts")
        took: list[Took] = []
        prepared = prepared_case_run(database, STAGE, request)
        with timed(took):
            asyncio.run(carried_on(database, prepared, url))
    return took[0]


async def carried_on(database: Database, prepared: PreparedCaseRun, url: str) -> None:
    settings = ModelSettings(Endpoint(url), CallLimits(concurrency=CONCURRENCY))
    with prepared.share(url, settings.limits) as share:
        async with HttpModelClient(settings, StoredCalls(database)) as client:
            await carry_to_end(prepared.carried(share, RunTools(client, url)))


async def plain_client(url: str, bodies: Sequence[dict[str, Any]]) -> Took:
    """What the client takes for these requests, with a semaphore before it."""
    import openai

    slots, took = asyncio.Semaphore(CONCURRENCY), list[Took]()
    async with openai.AsyncOpenAI(base_url=url, api_key="none", max_retries=0, timeout=120) as client:

        async def one(body: dict[str, Any]) -> None:
            async with slots:
                await client.chat.completions.create(**body)

        await one(bodies[0])  # connects, and loads what loads late
        with timed(took):
            await asyncio.gather(*map(one, bodies))
    return took[0]


@contextmanager
def slow_server() -> Iterator[str]:
    """The URL of a server in a process of its own."""
    command = [sys.executable, __file__, "--serve"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.kill()


def serve() -> None:
    """Answer until killed; say the URL when ready."""
    asyncio.run(quick_models.serve(lambda _: REPLY, LATENCY, lambda url: print(url, flush=True)))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--serve"]:
        serve()
    else:
        main(int(sys.argv[1]) if sys.argv[1:] else 3)
