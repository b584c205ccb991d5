"""Rows of calls kept and looked up off the event loop: in order, many in one transaction."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

from reviewer.llm.calls import Calls
from store.records import Call


class Desk:
    """One thread that works for a store of calls.

    What is handed in while a transaction is under way goes into the next one together, so that a hundred
    calls at a time cost a few waits for the disk, not a hundred.
    """

    def __init__(self, calls: Calls) -> None:
        self._calls = calls
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="calls")
        self._waiting: list[tuple[Call, asyncio.Future[None]]] = []
        self._writing: asyncio.Task[None] | None = None

    async def answer_to(self, ask: str, endpoint: str) -> Call | None:
        """The newest answered row of a request."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._thread, self._calls.answer_to, ask, endpoint)

    async def keep(self, call: Call) -> None:
        """Add a row; it is durable when this returns. Raises what the store raises."""
        kept: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((call, kept))
        if self._writing is None:
            self._writing = asyncio.create_task(self._write())
        await kept

    async def _write(self) -> None:
        loop = asyncio.get_running_loop()
        while self._waiting:
            portion, self._waiting = self._waiting, []
            try:
                await loop.run_in_executor(self._thread, self._calls.keep, [call for call, _ in portion])
            except Exception as error:
                _settle(portion, error)
            else:
                _settle(portion, None)
        self._writing = None

    async def close(self) -> None:
        """Finish what was handed in."""
        if self._writing is not None:
            await self._writing
        self._thread.shutdown()


def _settle(portion: list[tuple[Call, asyncio.Future[None]]], error: Exception | None) -> None:
    for _, kept in portion:
        if kept.done():
            continue
        if error is None:
            kept.set_result(None)
        else:
            kept.set_exception(error)
