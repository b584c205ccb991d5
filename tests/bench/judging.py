"""Judging a study: calls a second at 64 at once against a server of 200 ms, beside the bare client.

The bare client keeps every answer in its store, as a run does, and nothing else. Both take turns, three
rounds long, with a server and a store each.
"""

import asyncio
import sys
import tempfile
from contextlib import closing
from dataclasses import replace
from itertools import count
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from reviewer.core.table import Table  # noqa: E402
from reviewer.exchange.evaluations.judged_sample import study_sample  # noqa: E402
from reviewer.llm.client import HttpModelClient  # noqa: E402
from reviewer.llm.model_settings import CallLimits, Endpoint, ModelSettings  # noqa: E402
from reviewer.report.text_table import text_table  # noqa: E402
from reviewer.runs.evaluation.evaluation_setup import EvaluationRequest, PreparedEvaluation  # noqa: E402
from reviewer.runs.judging.judging_setup import JudgingRequest, new_judging  # noqa: E402
from reviewer.study.design.study_bundle import load_study  # noqa: E402
from reviewer.study.design.study_creation import Design, create_study  # noqa: E402
from store.calls import StoredCalls  # noqa: E402
from store.database import Database  # noqa: E402
from tests.bench.evaluation import (  # noqa: E402
    CONCURRENCY,
    REPEATS,
    ROUNDS,
    Took,
    in_rounds,
    seconds_of,
    sent_requests,
    slow_server,
    store_of,
    through_run,
)

CASES = 64
REPLY = "The second text adds nothing that would change the choice.\nAnswer: 1"
BARE, JUDGED = "bare client, answers kept", "reviewer judges ask"


def main() -> None:
    """Print one table, and the ratio of both ways round by round."""
    timed: dict[str, list[Took]] = {BARE: [], JUDGED: []}
    calls = 0
    with tempfile.TemporaryDirectory() as name:
        numbers = count()
        for _ in range(ROUNDS):
            for way, asked in ((BARE, through_client), (JUDGED, through_run)):
                with closing(store_of(Path(name) / f"{next(numbers)}.db", CASES)) as database:
                    prepared = judging(database)
                    calls = prepared.planned
                    with slow_server(REPLY) as url:
                        timed[way].append(asyncio.run(asked(url, database, prepared)))
    seconds = {way: median(took.seconds for took in rounds) for way, rounds in timed.items()}
    rows = [(way, f"{took:.2f}", f"{calls / took:.0f}") for way, took in seconds.items()]
    print(f"{calls:,} calls, {CONCURRENCY} at once; medians of {ROUNDS} rounds")
    print(text_table(Table.of(("way", "seconds", "calls/s"), rows)))
    print(f"{JUDGED} makes {in_rounds(timed[BARE], timed[JUDGED])} of the calls a second of: {BARE}")


def judging(database: Database) -> PreparedEvaluation:
    """All questions of a study over the cases, which a judge answers so often."""
    create_study(database, "judged", Design(("cases",), None, 7))
    bundle = load_study(database, "judged")
    request = JudgingRequest("judged", EvaluationRequest("judged-judges", ("m1",), repeats=REPEATS))
    return new_judging(database, request, bundle.study, study_sample(bundle), "bench")


async def through_client(url: str, database: Database, prepared: PreparedEvaluation) -> Took:
    """Seconds of the client alone for the same requests."""
    settings = ModelSettings(Endpoint(url), CallLimits(concurrency=CONCURRENCY))
    async with HttpModelClient(settings, StoredCalls(database)) as client:
        requests = list(sent_requests(prepared))
        await client.ask(replace(requests[0], repeat=-1))
        return await seconds_of(asyncio.gather(*map(client.ask, requests)))


if __name__ == "__main__":
    main()
