"""Rows of calls and look-ups share batches."""

import asyncio
from collections.abc import Sequence

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


async def test_rows_and_look_ups_that_arrive_together_are_one_batch() -> None:
    calls, call = Calls(), a_call(1)
    log = CallLog(calls, call.endpoint)
    asked = [log.answer_to(call.ask), log.answer_to("b" * 64)]
    assert await asyncio.gather(*asked, log.keep(call)) == [call, None, None]
    await log.close()
    assert (calls.kept, calls.looks) == ([call], [2])
