"""Generation from the published pairs, the cost of carrying on, and a run that is killed at random moments.

1. A server here answers with the published pairs: texts, programs, rebuilt texts, votes. How many of them are
   approved, why the others are not, and how long that takes (skipped where the published file is not there).
2. What it costs to call a finished run again, and to do all of it again from the answers in the store, as
   shares of the first time.
3. A run killed twenty times at random moments: how much was asked again, and whether it ends as one that was
   not interrupted.
"""

import asyncio
import json
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from reviewer.core.table import Table  # noqa: E402
from reviewer.exchange.rows.shipped import ensure_seeds  # noqa: E402
from reviewer.llm.client import HttpModelClient  # noqa: E402
from reviewer.llm.model_settings import CallLimits, Endpoint, ModelSettings  # noqa: E402
from reviewer.llm.request_errors import KeyRefused  # noqa: E402
from reviewer.oracle import pool  # noqa: E402
from reviewer.report.text_table import text_table  # noqa: E402
from reviewer.runs.engine.run_loop import RunShare, carry_to_end  # noqa: E402
from reviewer.runs.engine.work_runner import RunTools  # noqa: E402
from reviewer.runs.generation.generation_setup import prepared_generation  # noqa: E402
from reviewer.runs.run_setup import RunRequest  # noqa: E402
from reviewer.similarity.encoder import open_encoder  # noqa: E402
from reviewer.similarity.text_vectors import Embeddings  # noqa: E402
from store.calls import StoredCalls  # noqa: E402
from store.candidates import candidates_of  # noqa: E402
from store.database import Database  # noqa: E402
from store.embeddings import StoredVectors  # noqa: E402
from tests.llm.server import Answer, Asked, LoopbackModels, error, serving  # noqa: E402
from tests.runs.answering import KnownPairs  # noqa: E402
from tests.runs.generating import a_request, generate, some_pairs  # noqa: E402
from tests.runs.killing import GROUPS, alike, answers, killed, made, made_anew  # noqa: E402
from tests.shared_data import FOLDER  # noqa: E402

PUBLISHED = FOLDER / "probe-swe" / "gpt-4o-mini.json"
KILLS = 20


def from_published_pairs(folder: Path) -> None:
    """Every published pair that was generated, put through the filters in the order of cost."""
    whole = json.loads(PUBLISHED.read_text(encoding="utf-8"))
    pairs = {bias: [pair for pair in found if pair["AI_generated"]] for bias, found in whole.items()}
    known = KnownPairs(pairs)

    told_no_more: list[Asked] = []

    def respond(asked: Asked) -> Answer:
        """Ends the run, but only after a round in which every bias was told that there is no more."""
        if known.exhausted and str(asked.body["messages"][0]["content"]).startswith("Please write"):
            told_no_more.append(asked)
        return error(401, "no more pairs") if len(told_no_more) > 2 * len(pairs) else known(asked)

    database = seeded(folder / "published.db")
    with serving(respond) as server:
        seconds = timed(lambda: carry_on(database, server, "run", target=1000, patience=0))
        asked = len(server.asked)
        again = timed(lambda: carry_on(database, server, "again", target=1000, patience=0))
        repeated = len(server.asked) - asked
    with database.read() as session:
        tried = [each for each in candidates_of(session, "run") if each.step != "expansion"]
    approved = sum(candidate.approved for candidate in tried)
    print(f"{approved} of {len(tried)} published pairs approved ({approved / len(tried):.1%})\n")
    rows = [(c.key, c.check, c.value, c.why) for c in tried if not c.approved]
    print(text_table(Table.of(("not approved", "check", "value", "why"), rows)))
    rows = [
        ("first time", asked, seconds, 1.0),
        ("all of it from the answers in the store", repeated, again, again / seconds),
    ]
    print("\n" + text_table(Table.of(("run", "requests sent", "seconds", "share of the first"), rows)))


def of_a_finished_run(folder: Path) -> None:
    """What calling a finished run again costs."""
    database = seeded(folder / "finished.db")
    request = a_request(GROUPS, target=20)
    with serving(KnownPairs(some_pairs(GROUPS, 60), batch=2)) as server, pool.open_executor() as executor:
        first = timed(lambda: generate(database, server.url, executor, request))
        asked = len(server.asked)
        again = timed(lambda: generate(database, server.url, executor, request))
        rows = [
            ("60 made-up pairs", asked, first, 1.0),
            ("the finished run again", len(server.asked) - asked, again, again / first),
        ]
    print("\n" + text_table(Table.of(("run", "requests sent", "seconds", "share of the first"), rows)))


def with_kills(folder: Path) -> None:
    """A run that is killed so often, and the requests that it repeated."""
    store = folder / "killed.db"
    database = seeded(store)
    with serving(KnownPairs(some_pairs(GROUPS, 400), batch=2)) as server:
        kills = killed(store, server, target=60, moments=KILLS, seed=int(time.time()))
        asked = len(server.asked)
    kept = answers(store)
    before = [0, *(kill.lost for kill in kills)]
    rows = [
        (number, kill.asked, kill.kept, kill.lost - earlier)
        for number, (kill, earlier) in enumerate(zip(kills, before, strict=False), start=1)
    ]
    print("\n" + text_table(Table.of(("kill", "asked so far", "answers kept", "lost in flight"), rows)))
    (folder / "anew").mkdir()
    same = alike(made_anew(store, folder / "anew", target=60), made(database))
    twice = len(kept) - len({call.ask for call in kept})
    rows = [
        ("kills", len(kills)),
        ("requests", asked),
        ("requests answered and asked again", twice),
        ("requests lost in flight, over all kills", asked - len(kept)),
        ("ends as a run that was not interrupted", "yes" if same else "NO"),
    ]
    print("\n" + text_table(Table.of(("of the killed run", "value"), rows)))


def carry_on(database: Database, server: LoopbackModels, name: str, **settings: int) -> None:
    """Carry a run on until it ends or the server has no more."""

    request = RunRequest(name, {"seeds": "seeds"}, {"": "gpt-4o-mini"}, settings=settings)
    prepared = prepared_generation(database, request)

    async def go(share: RunShare) -> None:
        reached = ModelSettings(Endpoint(server.url, "BENCH_KEY", "sk-bench"), CallLimits(concurrency=16))
        vectors = Embeddings(open_encoder(), StoredVectors(database))
        with pool.open_executor() as executor:
            async with HttpModelClient(reached, StoredCalls(database)) as client:
                tools = RunTools(client, server.url, vectors, executor)
                await carry_to_end(prepared.carried(share, tools))

    try:
        with prepared.share(server.url, CallLimits()) as share:
            asyncio.run(go(share))
    except KeyRefused:
        return


def seeded(path: Path) -> Database:
    """A new store with the shipped seeds."""
    database = Database.open(str(path))
    ensure_seeds(database)
    return database


def timed(work: Callable[[], object]) -> float:
    """The seconds that it takes."""
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def main() -> None:
    """All three parts."""
    with tempfile.TemporaryDirectory() as folder:
        if PUBLISHED.exists():
            from_published_pairs(Path(folder))
        else:
            print("the published pairs are not here: that part is left out")
        of_a_finished_run(Path(folder))
        with_kills(Path(folder))


if __name__ == "__main__":
    main()
