"""Fulfils what the steps of a protocol need (replies, vectors, programs) without blocking the event loop."""

import asyncio
import threading
from collections import deque
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import Executor
from typing import Any, Protocol, TypeVar

from reviewer.llm.client import ModelClient
from reviewer.llm.errors import ModelError
from reviewer.oracle import pool
from reviewer.oracle.examination import examine
from reviewer.protocols.generation import (
    Embedded,
    Examined,
    Nearest,
    ProgramsRun,
    Replies,
    StepNeed,
    Together,
    Work,
)
from reviewer.runs.generation.nearest import ApprovedTexts
from reviewer.similarity.encoder import Vectors

T = TypeVar("T")
_WORKS_AT_ONCE = 512
"""Works that run together at a time: more than the calls that are usual at once."""


async def all_of(work: Sequence[Coroutine[Any, Any, T]]) -> list[T]:
    """The results of all. If one raises, the others are awaited first, since their calls may cost money."""
    results = await asyncio.gather(*work, return_exceptions=True)
    for result in results:
        if isinstance(result, BaseException):
            raise result
    return [result for result in results if not isinstance(result, BaseException)]


class Embedder(Protocol):
    """Turns texts into vectors of length 1, one row each."""

    def of(self, texts: Sequence[str]) -> Vectors:
        """An array of shape (texts, dimensions)."""
        ...


class StepRunner:
    """Runs the work of steps; many steps may run at the same time."""

    def __init__(
        self,
        client: ModelClient,
        embedder: Embedder | None,
        executor: Executor | None,
        approved: ApprovedTexts,
        on_done: Callable[[str, int, int], None] = lambda title, done, total: None,
    ) -> None:
        """Without ``embedder`` no texts can be compared; without ``executor`` no programs can be run.

        ``on_done`` is called for each of several works that run together: their title, how many are done, and
        how many there are.
        """
        self._on_done = on_done
        self._client = client
        self._embedder = embedder
        self._executor = executor
        self._approved = approved
        self._one_at_a_time = threading.Lock()  # the sentence model uses several threads by itself

    async def run(self, work: Work[T], calls: list[str]) -> T:
        """The result of the work. The ids of its calls are added to ``calls``."""
        try:
            need = next(work)
            while True:
                try:
                    fulfilled = await self._fulfil(need, calls)
                except ModelError as error:  # the work may go on without this answer
                    need = work.throw(error)
                else:
                    need = work.send(fulfilled)
        except StopIteration as done:
            result: T = done.value
            return result

    async def vectors(self, texts: Sequence[str]) -> Vectors:
        """The vectors of texts."""
        return await asyncio.to_thread(self._embed, tuple(texts))

    async def _fulfil(self, need: StepNeed, calls: list[str]) -> object:
        match need:
            case Replies((request,)):  # the usual one, without a task of its own
                reply = await self._client.ask(request)
                calls.append(reply.call)
                return [reply]
            case Replies(requests):
                replies = await all_of([self._client.ask(request) for request in requests])
                calls += [reply.call for reply in replies]
                return replies
            case Embedded(texts):
                return await self.vectors(texts)
            case ProgramsRun(programs):
                return await self._in_worker(pool.run_case, programs)
            case Examined(examination):
                return await self._in_worker(examine, examination)
            case Nearest(text):
                return self._approved.nearest((await self.vectors([text]))[0])
            case Together(title, works):
                return await self._together(title, works, calls)

    async def _together(self, title: str, works: Sequence[Work[Any]], calls: list[str]) -> list[Any]:
        """The results of works in their order. If one raises, those under way are finished first."""
        results: list[Any] = [None] * len(works)
        calls_of: list[list[str]] = [[] for _ in works]
        left, done = iter(enumerate(works)), 0

        async def work_off() -> None:
            nonlocal done
            for place, work in left:
                try:
                    results[place] = await self.run(work, calls_of[place])
                except BaseException:  # also a cancelled task must not begin other work
                    deque(left, maxlen=0)  # no other work begins
                    raise
                done += 1
                if title:
                    self._on_done(title, done, len(works))

        if title:
            self._on_done(title, 0, len(works))
        await all_of([work_off() for _ in works[:_WORKS_AT_ONCE]])
        calls += [call for own in calls_of for call in own]
        return results

    async def _in_worker(self, work: Callable[[T], object], job: T) -> object:
        if self._executor is None:
            raise RuntimeError("a step runs programs, and its protocol's plan does not say runs_programs")
        return await asyncio.get_running_loop().run_in_executor(self._executor, work, job)

    def _embed(self, texts: Sequence[str]) -> Vectors:
        if self._embedder is None:
            raise RuntimeError("a step compares texts, and its protocol's plan does not say compares_texts")
        with self._one_at_a_time:
            return self._embedder.of(texts)
