"""Writing and looking up rows of calls off the event loop, in order, many in one transaction."""

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from reviewer.llm.usage import Calls
from store.records import Call

_MOST_AT_ONCE = 500  # databases limit the number of values in a statement
_LONGEST_REST = 0.005
"""Seconds. The thread rests for as long as the last batch took, but no longer than this: each batch has a
fixed cost, which few items do not earn, and items gather meanwhile.
"""


class CallLog:
    """Writes calls and looks them up in one thread, in batches: what arrives while a batch is being worked
    on, or soon after it, forms the next batch.

    So a hundred concurrent calls wait for the disk a few times, not a hundred times.
    """

    def __init__(self, calls: Calls, endpoint: str) -> None:
        self._calls = calls
        self._endpoint = endpoint
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="calls")
        self._waiting: list[tuple[Call | str, asyncio.Future[Call | None]]] = []
        """Rows to keep and digests to look up."""
        self._working: asyncio.Task[None] | None = None
        self._next_start = 0.0

    async def answer_to(self, digest: str) -> Call | None:
        """The newest row with an answer to the request with this digest."""
        return await self._result(digest)

    async def keep(self, call: Call) -> None:
        """Add a row, which is durable when this returns; raises what the store raises."""
        await self._result(call)

    async def close(self) -> None:
        """Finish all pending work and end the thread."""
        if self._working is not None:
            await self._working
        self._thread.shutdown()

    async def _result(self, item: Call | str) -> Call | None:
        future: asyncio.Future[Call | None] = asyncio.get_running_loop().create_future()
        self._waiting.append((item, future))
        if self._working is None:
            self._working = asyncio.create_task(self._work_off())
        return await future

    async def _work_off(self) -> None:
        loop = asyncio.get_running_loop()
        while self._waiting:
            await asyncio.sleep(self._next_start - loop.time())
            begun = loop.time()
            batch, self._waiting = self._waiting[:_MOST_AT_ONCE], self._waiting[_MOST_AT_ONCE:]
            items, futures = zip(*batch, strict=True)
            try:
                results = await loop.run_in_executor(self._thread, self._work, items)
            except Exception as error:
                for future in futures:
                    if not future.done():
                        future.set_exception(error)
            else:
                for future, result in zip(futures, results, strict=True):
                    if not future.done():
                        future.set_result(result)
            ended = loop.time()
            self._next_start = ended + min(ended - begun, _LONGEST_REST)
        self._working = None

    def _work(self, items: Sequence[Call | str]) -> list[Call | None]:
        """The answers that were looked up, each in its place, after the rows are durable."""
        self._calls.keep([item for item in items if isinstance(item, Call)])
        digests = [item for item in items if isinstance(item, str)]
        answers = self._calls.answers_to(digests, self._endpoint) if digests else {}
        return [answers.get(item) if isinstance(item, str) else None for item in items]
