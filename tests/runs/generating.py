"""Runs of generation for tests: made-up pairs, vectors that need no model, and a client to a server here."""

import asyncio
import zlib
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reviewer.exchange.rows.dataset_import import import_path
from reviewer.llm.client import HttpModelClient, ModelClient
from reviewer.llm.model_settings import CallLimits, RetryLimits
from reviewer.runs.engine.run_loop import RunShare, carry_to_end
from reviewer.runs.engine.run_progress import ProgressCallback, not_shown
from reviewer.runs.engine.work_runner import RunTools
from reviewer.runs.generation.generation_setup import SEEDS as SEEDS_OF_RUN
from reviewer.runs.generation.generation_setup import PreparedGeneration, prepared_generation
from reviewer.runs.run_setup import RunRequest
from store.calls import StoredCalls
from store.database import Database
from store.records import Run
from tests.llm.clients import settings

SEEDS = Path(__file__).parents[2] / "seeds" / "probe_swe"
QUICK_RETRIES = RetryLimits(connect=5, stall=5, total=20, attempts=3, backoff=0.01, longest=2)
CONCURRENCY = 8
_DIMENSIONS = 512
_CUE = "All others whom I asked about it ship at once and were glad that they had done so."


class WordVectors:
    """Vectors that count words: like texts have like vectors, the same text has the same one anywhere."""

    def of(self, texts: Sequence[str], progress: object = None) -> NDArray[np.float32]:
        rows = np.zeros((len(texts), _DIMENSIONS), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in text.casefold().split():
                row[zlib.crc32(word.encode()) % _DIMENSIONS] += 1
            row /= np.linalg.norm(row) or 1
        return rows


def a_pair(number: int, bias: str = "anchoring bias", **changed: Any) -> dict[str, Any]:
    """A pair that passes every filter and collides with no other."""
    own = " ".join(f"{bias[:4]}{number}word{place}" for place in range(12))
    unbiased = (
        f"I plan {own} and have two options.\n- Option A: wait {own}.\n- Option B: ship {own}.\n\n"
        "Which option do I take, Option A or Option B?"
    )
    facts = f":- consult('axioms').\nplans(user, {bias[:4]}{number}).\ntested(option_A).\nhurried(option_B)."
    decides = "decide_option(user, Option) :- best(Option)."
    return {
        "unbiased": unbiased,
        "biased": unbiased.replace("two options.", f"two options. {_CUE}"),
        "axioms": "best(Option) :- tested(Option), \\+ hurried(Option).",
        "axioms_description": "The best practice is: release what was tested.",
        "unbiased_prolog": f"{facts}\n{decides}",
        "biased_prolog": f"{facts}\nship(all_others).\n{decides}",
        "reconstructed_unbiased_prompt": unbiased.replace("I plan", "My plan is"),
        "correct_option": "option_A",
        "decisions_towards_validity": 3,
        "bias_is_towards_incorrect_only_in_biased_version": "All others ship.",
        "agreement_rate": 1.0,
    } | changed


def some_pairs(groups: Sequence[str], number: int) -> dict[str, list[dict[str, Any]]]:
    """So many pairs of each bias."""
    return {group: [a_pair(each, group) for each in range(number)] for group in groups}


def with_seeds(database: Database) -> Database:
    """The store with the shipped seeds in it."""
    import_path(database, SEEDS, "seeds")
    return database


def a_request(groups: Sequence[str], name: str = "run", seed: int | None = None, **given: Any) -> RunRequest:
    """A run of two valid pairs a group, two pairs an expansion, unless other settings are given."""
    wanted: Mapping[str, Any] = {"target": 2, "batch_size": 2, **given}
    return RunRequest(
        name, {SEEDS_OF_RUN: "seeds"}, {"": "model-1"}, groups=tuple(groups), seed=seed, settings=wanted
    )


def generate(
    database: Database,
    url: str,
    executor: Executor,
    request: RunRequest,
    progress: ProgressCallback = not_shown,
    open_client: Callable[[ModelClient], ModelClient] = lambda client: client,
) -> Run:
    """Carry the run on against a server; raises what the client raises."""
    return carried(prepared_generation(database, request), url, executor, progress, open_client)


def carried(
    prepared: PreparedGeneration,
    url: str,
    executor: Executor,
    progress: ProgressCallback = not_shown,
    open_client: Callable[[ModelClient], ModelClient] = lambda client: client,
) -> Run:
    """Carry a run on that was prepared; raises what the client raises."""
    database = prepared.database

    async def go(share: RunShare) -> Run:
        async with HttpModelClient(
            settings(url, QUICK_RETRIES, concurrency=CONCURRENCY), StoredCalls(database)
        ) as client:
            tools = RunTools(open_client(client), url, WordVectors(), executor, progress)
            generator = prepared.carried(share, tools)
            await carry_to_end(generator)
            return generator.run

    with prepared.share(url, CallLimits()) as share:
        return asyncio.run(go(share))
