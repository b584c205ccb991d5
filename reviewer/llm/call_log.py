"""Writing and looking up rows of calls off the event loop, in order, many in one transaction."""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from typing import Generic, TypeVar

from reviewer.llm.usage import Calls
from store.records import Call

_MOST_AT_ONCE = 500  # databases limit the number of values in a statement
_SECONDS_A_BATCH = 0.01
"""The least time between the starts of two batches: each has a fixed cost, which few items do not earn."""

Batched = TypeVar("Batched")
Logged = TypeVar("Logged")


class Batcher(Generic[Batched, Logged]):
    """Does work in batches: items that arrive while a batch is being worked on, or soon after it began, form
    the next batch.

    So a hundred concurrent calls wait for the disk a few times, not a hundred times. ``work`` returns one
    result for each item, in the same order.
    """

    def __init__(self, work: Callable[[Sequence[Batched]], Sequence[Logged]], thread: Executor) -> None:
        self._work = work
        self._thread = thread
        self._waiting: list[tuple[Batched, asyncio.Future[Logged]]] = []
        self._working: asyncio.Task[None] | None = None
        self._next_start = 0.0

    async def result(self, item: Batched) -> Logged:
        """The result for an item; raises what the work for its batch raised."""
        future: asyncio.Future[Logged] = asyncio.get_running_loop().create_future()
        self._waiting.append((item, future))
        if self._working is None:
            self._working = asyncio.create_task(self._work_off())
        return await future

    async def finish(self) -> None:
        """Wait until all items are done."""
        if self._working is not None:
            await self._working

    async def _work_off(self) -> None:
        loop = asyncio.get_running_loop()
        while self._waiting:
            await asyncio.sleep(self._next_start - loop.time())
            self._next_start = loop.time() + _SECONDS_A_BATCH
            batch, self._waiting = self._waiting[:_MOST_AT_ONCE], self._waiting[_MOST_AT_ONCE:]
            futures = [future for _, future in batch]
            try:
                items = [item for item, _ in batch]
                results = await loop.run_in_executor(self._thread, self._work, items)
            except Exception as error:
                for future in futures:
                    if not future.done():
                        future.set_exception(error)
            else:
                for future, result in zip(futures, results, strict=True):
                    if not future.done():
                        future.set_result(result)
        self._working = None


class CallLog:
    """Writes calls and looks them up in one thread."""

    def __init__(self, calls: Calls, endpoint: str) -> None:
        self._calls = calls
        self._endpoint = endpoint
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="calls")
        self._answers = Batcher(self._look_up, self._thread)
        self._rows = Batcher(self._keep, self._thread)

    async def answer_to(self, digest: str) -> Call | None:
        """The newest row with an answer to the request with this digest."""
        return await self._answers.result(digest)

    async def keep(self, call: Call) -> None:
        """Add a row, which is durable when this returns; raises what the store raises."""
        await self._rows.result(call)

    async def close(self) -> None:
        """Finish all pending work and end the thread."""
        await self._answers.finish()
        await self._rows.finish()
        self._thread.shutdown()

    def _look_up(self, digests: Sequence[str]) -> list[Call | None]:
        answers = self._calls.answers_to(digests, self._endpoint)
        return [answers.get(digest) for digest in digests]

    def _keep(self, calls: Sequence[Call]) -> list[None]:
        self._calls.keep(calls)
        return [None] * len(calls)
