"""Rows of calls kept and looked up off the event loop: in order, many in one transaction."""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from typing import Generic, TypeVar

from reviewer.llm.usage import Calls
from store.records import Call

_MOST_AT_ONCE = 500  # databases bound how many values a statement may carry

Batched = TypeVar("Batched")
Logged = TypeVar("Logged")


class Batcher(Generic[Batched, Logged]):
    """Work done for many at once: what is handed in while a portion is under way is the next portion.

    So a hundred calls at a time cost a few waits for the disk, not a hundred. ``work`` gives one result for
    each item, in their order.
    """

    def __init__(self, work: Callable[[Sequence[Batched]], Sequence[Logged]], thread: Executor) -> None:
        self._work = work
        self._thread = thread
        self._waiting: list[tuple[Batched, asyncio.Future[Logged]]] = []
        self._working: asyncio.Task[None] | None = None

    async def result(self, item: Batched) -> Logged:
        """The result for an item; raises what the work for its portion raised."""
        settled: asyncio.Future[Logged] = asyncio.get_running_loop().create_future()
        self._waiting.append((item, settled))
        if self._working is None:
            self._working = asyncio.create_task(self._work_off())
        return await settled

    async def finish(self) -> None:
        """Wait for what was handed in."""
        if self._working is not None:
            await self._working

    async def _work_off(self) -> None:
        loop = asyncio.get_running_loop()
        while self._waiting:
            portion, self._waiting = self._waiting[:_MOST_AT_ONCE], self._waiting[_MOST_AT_ONCE:]
            asked = [settled for _, settled in portion]
            try:
                items = [item for item, _ in portion]
                results = await loop.run_in_executor(self._thread, self._work, items)
            except Exception as error:
                for settled in asked:
                    if not settled.done():
                        settled.set_exception(error)
            else:
                for settled, result in zip(asked, results, strict=True):
                    if not settled.done():
                        settled.set_result(result)
        self._working = None


class CallLog:
    """One thread that keeps calls and looks them up."""

    def __init__(self, calls: Calls, endpoint: str) -> None:
        self._calls = calls
        self._endpoint = endpoint
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="calls")
        self._answers = Batcher(self._look_up, self._thread)
        self._rows = Batcher(self._keep, self._thread)

    async def answer_to(self, ask: str) -> Call | None:
        """The newest answered row of a request (its digest)."""
        return await self._answers.result(ask)

    async def keep(self, call: Call) -> None:
        """Add a row; it is durable when this returns. Raises what the store raises."""
        await self._rows.result(call)

    async def close(self) -> None:
        """Finish what was handed in."""
        await self._answers.finish()
        await self._rows.finish()
        self._thread.shutdown()

    def _look_up(self, asks: Sequence[str]) -> list[Call | None]:
        found = self._calls.answers_to(asks, self._endpoint)
        return [found.get(ask) for ask in asks]

    def _keep(self, calls: Sequence[Call]) -> list[None]:
        self._calls.keep(calls)
        return [None] * len(calls)
