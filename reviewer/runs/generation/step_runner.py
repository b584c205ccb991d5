"""Where the needs of a protocol's steps are met: models, vectors and logic, off the event loop."""

import asyncio
import threading
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import Executor
from typing import Any, Protocol, TypeVar

from reviewer.llm.client import ModelClient
from reviewer.oracle import pool
from reviewer.oracle.examination import examine
from reviewer.protocols.generation import (
    Embedded,
    Examined,
    Nearest,
    ProgramsRun,
    Replies,
    StepNeed,
    Work,
)
from reviewer.runs.generation.nearest import ApprovedTexts
from reviewer.similarity.encoder import Vectors

T = TypeVar("T")


async def all_of(asked: Sequence[Coroutine[Any, Any, T]]) -> list[T]:
    """What all return. Where one raises, the others are waited for first, for they may be paid for."""
    found = await asyncio.gather(*asked, return_exceptions=True)
    for each in found:
        if isinstance(each, BaseException):
            raise each
    return [each for each in found if not isinstance(each, BaseException)]


class Embedder(Protocol):
    """Turns texts into vectors of length 1, one row each."""

    def of(self, texts: Sequence[str]) -> Vectors:
        """An array of shape (texts, dimensions)."""
        ...


class StepRunner:
    """Does the work of steps; many may be under way at once."""

    def __init__(
        self,
        client: ModelClient,
        embedder: Embedder | None,
        executor: Executor | None,
        approved: ApprovedTexts,
    ) -> None:
        """Without ``embedder`` no texts are compared, and without ``executor`` no programs are run."""
        self._client = client
        self._embedder = embedder
        self._executor = executor
        self._approved = approved
        self._one_at_a_time = threading.Lock()  # the model has one set of threads of its own

    async def run(self, work: Work[T], calls: list[str]) -> T:
        """What the work returns; the ids of the calls that it took are added to ``calls``."""
        try:
            need = next(work)
            while True:
                need = work.send(await self._fulfil(need, calls))
        except StopIteration as done:
            result: T = done.value
            return result

    async def vectors(self, texts: Sequence[str]) -> Vectors:
        """The vectors of texts."""
        return await asyncio.to_thread(self._embed, tuple(texts))

    async def _fulfil(self, need: StepNeed, calls: list[str]) -> object:
        match need:
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

    async def _in_worker(self, work: Callable[[T], object], job: T) -> object:
        if self._executor is None:
            raise RuntimeError("a step runs programs, and its protocol's plan does not say runs_programs")
        return await asyncio.get_running_loop().run_in_executor(self._executor, work, job)

    def _embed(self, texts: Sequence[str]) -> Vectors:
        if self._embedder is None:
            raise RuntimeError("a step compares texts, and its protocol's plan does not say compares_texts")
        with self._one_at_a_time:
            return self._embedder.of(texts)
