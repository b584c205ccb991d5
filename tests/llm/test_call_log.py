"""Rows of calls are kept at once, and look-ups wait for them or for their time."""

import asyncio
from collections.abc import Sequence

import pytest

from reviewer.llm.call_log import CallLog
from store.records import Call
from tests.store.test_calls import call as a_call


class Calls:
    """Keeps rows in memory, with the sizes of its batches."""

    def __init__(self) -> None:
        self.kept: list[Call] = []
        self.looks: list[int] = []

    def keep(self, calls: Sequence[Call]) -> None:
        self.kept += calls

    def answers_to(self, digests: Sequence[str], endpoint: str) -> dict[str, Call]:
        self.looks.append(len(digests))
        return {call.ask: call for call in self.kept}


async def test_row_waits_for_no_look_up_and_takes_those_that_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("reviewer.llm.call_log._SECONDS_A_BATCH", 600.0)
    calls, call = Calls(), a_call(1)
    log = CallLog(calls, call.endpoint)
    async with asyncio.timeout(30):
        assert await log.answer_to(call.ask) is None
        waiting = [asyncio.create_task(log.answer_to(ask)) for ask in (call.ask, "b" * 64)]
        await asyncio.sleep(0)
        await log.keep(call)
        assert await asyncio.gather(*waiting) == [call, None]
        await log.close()
    assert (calls.kept, calls.looks) == ([call], [1, 2])
