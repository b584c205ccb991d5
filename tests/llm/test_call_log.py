"""Rows of calls and look-ups share batches."""

import asyncio
import time
from collections.abc import Sequence

import pytest

from reviewer.llm.call_log import CallLog
from store.records import Call
from tests.store.test_calls import call as a_call


class Calls:
    """Keeps rows in memory, with the sizes of its batches."""

    def __init__(self, seconds: float = 0.0) -> None:
        self.kept: list[Call] = []
        self.looks: list[int] = []
        self._seconds = seconds

    def keep(self, calls: Sequence[Call]) -> None:
        self.kept += calls

    def answers_to(self, digests: Sequence[str], endpoint: str) -> dict[str, Call]:
        self.looks.append(len(digests))
        time.sleep(self._seconds)
        return {call.ask: call for call in self.kept}


async def test_rows_and_look_ups_that_arrive_together_are_one_batch() -> None:
    calls, call = Calls(), a_call(1)
    log = CallLog(calls, call.endpoint)
    asked = [log.answer_to(call.ask), log.answer_to("b" * 64)]
    assert await asyncio.gather(*asked, log.keep(call)) == [call, None, None]
    await log.close()
    assert (calls.kept, calls.looks) == ([call], [2])


async def test_items_gather_for_as_long_as_the_last_batch_took(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("reviewer.llm.call_log._LONGEST_REST", 1.0)
    calls = Calls(seconds=0.3)
    log = CallLog(calls, "http://here/v1")
    await log.answer_to("a" * 64)
    first = asyncio.create_task(log.answer_to("b" * 64))
    await asyncio.sleep(0.01)  # the batch of the first one would have begun
    await asyncio.gather(first, log.answer_to("c" * 64))
    await log.close()
    assert calls.looks == [1, 2]
