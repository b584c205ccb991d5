"""Asking through the real client and a real server: what is sent, kept, counted, and asked again."""

import asyncio
from contextlib import suppress
from dataclasses import replace
from typing import Any

import openai
import pytest

from reviewer.core.errors import RequestError, StoreError
from reviewer.llm.client import HttpModelClient
from reviewer.llm.request import ChatMessage
from reviewer.llm.request_errors import AnswerEmpty, BudgetSpent, ModelError, Stopped
from tests.llm.clients import KEY, PRICES, QUICK, Rows, question, settings
from tests.llm.server import Answer, error, in_turn, serving


async def test_the_request_is_sent_as_it_is_kept() -> None:
    ask = question(
        messages=(ChatMessage("system", "Be brief."), ChatMessage("user", "Tabs?\0")),
        temperature=0.0,
        top_p=1.0,
        max_tokens=9,
        seed=4,
    )
    rows = Rows()
    with serving(in_turn(Answer("Tabs."))) as server:
        async with HttpModelClient(settings(server.url, prices=PRICES), rows) as client:
            reply = await client.ask(ask)
    sent = server.asked[0]
    assert sent.body == rows.rows[0].request == ask.body()
    assert (sent.path, sent.headers["authorization"]) == ("/v1/chat/completions", f"Bearer {KEY}")
    assert (reply.text, reply.finish_reason, reply.origin, reply.attempts) == ("Tabs.", "stop", "model", 1)
    assert (reply.prompt_tokens, reply.completion_tokens, reply.cost) == (10, 5, 20.0)
    assert reply.call == rows.rows[0].id


async def test_a_request_has_the_headers_and_the_body_of_the_client_of_openai() -> None:
    ask = question("Tabs, \u00fcber \u2028?", temperature=0.0)
    with serving(in_turn(Answer("Tabs."))) as server:
        async with HttpModelClient(settings(server.url), Rows()) as client:
            await client.ask(ask)
        async with openai.AsyncOpenAI(base_url=server.url, api_key=KEY) as plain:
            body: Any = ask.body()
            await plain.chat.completions.create(**body)
    ours, theirs = server.asked
    of_retries = {"x-stainless-retry-count", "x-stainless-read-timeout"}
    assert ours.headers == {name: text for name, text in theirs.headers.items() if name not in of_retries}
    assert ours.body == theirs.body


async def test_parameters_that_are_not_given_are_not_sent() -> None:
    with serving(in_turn(Answer())) as server:
        async with HttpModelClient(settings(server.url), Rows()) as client:
            await client.ask(question())
    assert server.asked[0].body == {
        "model": "m1",
        "messages": [{"role": "user", "content": "Which one?"}],
    }


def test_the_digest_covers_what_is_sent_and_the_repeat_but_not_the_purpose() -> None:
    one = question()
    others = [
        question("Which two?"),
        replace(one, repeat=1),
        replace(one, temperature=0.0),
        replace(one, seed=1),
        replace(one, model="m2"),
    ]
    assert len({ask.digest() for ask in (one, *others)}) == 6
    assert replace(one, purpose="another").digest() == one.digest()


async def test_an_answer_that_is_kept_is_never_asked_for_again() -> None:
    rows = Rows()
    with serving(lambda asked: Answer(f"answer {asked.number}")) as server:
        async with HttpModelClient(settings(server.url), rows) as client:
            first = await client.ask(question())
        async with HttpModelClient(settings(server.url), rows) as client:
            again = await client.ask(question())
            repeated = await client.ask(question(repeat=1))
            spent = client.spent
    assert [first.text, again.text, repeated.text] == ["answer 0", "answer 0", "answer 1"]
    assert (again.origin, again.call, again.cost) == ("store", first.call, first.cost)
    assert (spent.sent, spent.answered, spent.from_rows, spent.in_flight) == (1, 1, 1, 0)


async def test_another_endpoint_is_asked_itself() -> None:
    rows = Rows()
    with serving(in_turn(Answer("one"))) as first, serving(in_turn(Answer("other"))) as second:
        for server in (first, second):
            async with HttpModelClient(settings(server.url), rows) as client:
                reply = await client.ask(question())
    assert reply.text == "other"


async def test_fresh_asks_again_but_once() -> None:
    rows = Rows()
    with serving(lambda asked: Answer(f"answer {asked.number}")) as server:
        async with HttpModelClient(settings(server.url), rows) as client:
            await client.ask(question())
        async with HttpModelClient(settings(server.url, fresh=True), rows) as client:
            texts = [(await client.ask(question())).text for _ in range(2)]
        async with HttpModelClient(settings(server.url), rows) as client:
            newest = await client.ask(question())
    assert texts == ["answer 1", "answer 1"]
    assert newest.text == "answer 1"
    assert len(server.asked) == 2


async def test_the_same_request_twice_at_a_time_is_sent_once() -> None:
    with serving(in_turn(Answer(delay=0.1))) as server:
        async with HttpModelClient(settings(server.url), Rows()) as client:
            first, second = await asyncio.gather(client.ask(question()), client.ask(question()))
    assert first == second
    assert len(server.asked) == 1


async def test_who_stops_waiting_loses_neither_the_answer_nor_its_row() -> None:
    rows = Rows()
    with serving(in_turn(Answer(delay=0.2))) as server:
        async with HttpModelClient(settings(server.url), rows) as client:
            impatient = asyncio.create_task(client.ask(question()))
            patient = asyncio.create_task(client.ask(question()))
            while not server.asked:
                await asyncio.sleep(0.01)
            impatient.cancel()
            assert (await patient).text == "ok"
            alone = asyncio.create_task(client.ask(question(repeat=1)))
            while len(server.asked) < 2:
                await asyncio.sleep(0.01)
            alone.cancel()
    assert [row.error for row in rows.rows] == [None, None]


async def test_stopping_finishes_what_is_under_way_and_begins_nothing() -> None:
    rows = Rows()
    with serving(in_turn(Answer(delay=0.2))) as server:
        async with HttpModelClient(settings(server.url, concurrency=2), rows) as client:
            asks = [asyncio.create_task(client.ask(question(repeat=n))) for n in range(6)]
            while len(server.asked) < 2:
                await asyncio.sleep(0.01)
            client.stop()
            ends = await asyncio.gather(*asks, return_exceptions=True)
            with pytest.raises(Stopped, match="the run was stopped"):
                await client.ask(question("more"))
    assert [type(end).__name__ for end in ends] == ["ModelReply"] * 2 + ["Stopped"] * 4
    assert len(rows.rows) == len(server.asked) == 2


async def test_stopping_ends_a_wait_at_once() -> None:
    busy = error(429, "slow down", {"retry-after": "50"})
    patient = QUICK.model_copy(update={"longest": 100})
    with serving(in_turn(busy)) as server:
        async with HttpModelClient(settings(server.url, patient), Rows()) as client:
            waiting = asyncio.create_task(client.ask(question()))
            while not client.spent.failed:
                await asyncio.sleep(0.01)
            client.stop()
            with pytest.raises(Stopped):
                await asyncio.wait_for(waiting, 5)


async def test_no_more_calls_at_a_time_than_allowed() -> None:
    with serving(in_turn(Answer(delay=0.02))) as server:
        async with HttpModelClient(settings(server.url, concurrency=3), Rows()) as client:
            await asyncio.gather(*(client.ask(question(repeat=n)) for n in range(12)))
    assert server.most_at_once == 3


async def test_a_spent_budget_sends_nothing_more_but_still_answers_from_rows() -> None:
    rows = Rows()
    with serving(in_turn(Answer())) as server:
        async with HttpModelClient(settings(server.url, prices=PRICES, budget=30), rows) as client:
            await client.ask(question(repeat=0))
            await client.ask(question(repeat=1))
            with pytest.raises(BudgetSpent, match=r"the budget of 30 is spent \(40\)"):
                await client.ask(question(repeat=2))
            assert (await client.ask(question(repeat=0))).origin == "store"
            assert client.spent.cost == 40
    assert len(server.asked) == 2


async def test_a_limit_of_calls_counts_attempts() -> None:
    with serving(in_turn(error(500, "broken"))) as server:
        async with HttpModelClient(settings(server.url, calls=2), Rows()) as client:
            with pytest.raises(BudgetSpent, match="the limit of 2 calls"):
                await client.ask(question())
    assert len(server.asked) == 2


async def test_a_budget_without_a_price_is_an_error_before_anything_is_sent() -> None:
    with serving(in_turn(Answer())) as server:
        async with HttpModelClient(settings(server.url, budget=1), Rows()) as client:
            with pytest.raises(RequestError, match="'m1' has none"):
                await client.ask(question())
    assert server.asked == []


async def test_calls_without_a_price_have_no_cost() -> None:
    with serving(in_turn(Answer())) as server:
        async with HttpModelClient(settings(server.url), Rows()) as client:
            reply = await client.ask(question())
            assert (reply.cost, client.spent.unpriced, client.spent.estimated) == (None, 1, 0)


def _usage(prompt: object, completion: object) -> dict[str, object]:
    return {"prompt_tokens": prompt, "completion_tokens": completion}


@pytest.mark.parametrize(
    "usage",
    [
        None,
        {},
        _usage(0, 0),
        _usage(-10, -5),
        _usage(-(10**30), 10**30),
        _usage(10**12, 10**12),
        _usage(True, "5"),
        _usage(None, [7]),
        {"total_tokens": 4},
    ],
)
async def test_a_budget_holds_where_the_server_counts_no_tokens(usage: dict[str, object] | None) -> None:
    rows = Rows()
    with serving(in_turn(Answer("x" * 300, usage=usage))) as server:
        async with HttpModelClient(
            settings(server.url, prices=PRICES, budget=500, concurrency=1), rows
        ) as client:
            for number in range(3):
                reply = await client.ask(question("y" * 30, repeat=number))
            with pytest.raises(BudgetSpent, match=r"the budget of 500 is spent \(642\)"):
                await client.ask(question("y" * 30, repeat=3))
            spent = client.spent
    # 30 characters are 10 tokens, 4 stand around them; the answer's 300 are 100, at twice the price.
    assert (reply.prompt_tokens, reply.completion_tokens, reply.cost, reply.estimated) == (14, 100, 214, True)
    assert (len(server.asked), spent.cost, spent.estimated, spent.unpriced) == (3, 642, 3, 0)
    assert (spent.prompt_tokens, spent.completion_tokens) == (42, 300)
    assert all(row.prompt_tokens in (None, 0) for row in rows.rows)  # what the server said, no guess
    assert rows.rows[0].ask == question("y" * 30, repeat=0).digest()


async def test_an_answer_that_cannot_be_read_is_paid_for_too() -> None:
    with serving(in_turn(Answer(payload=b"not JSON"))) as server:
        async with HttpModelClient(settings(server.url, prices=PRICES, budget=30), Rows()) as client:
            for number in range(3):
                with pytest.raises((ModelError, BudgetSpent)):
                    await client.ask(question("y" * 30, repeat=number))
            assert client.spent.cost == 2 * (14 + 2 * 3)
    assert len(server.asked) == 2


_LONG = "z" * 3000
_COUNTED = {"prompt_tokens": 9, "completion_tokens": 999}
_SSE = b'data: {"choices":[{"delta":{"content":"zzzzzz"}}]}\n\n' * 60
UNREAD = {
    "a stream": Answer(payload=_SSE),
    "no choices": Answer(payload={"choices": None, "output": _LONG}),
    "no choices, counted": Answer(payload={"choices": [], "usage": _COUNTED}),
    "an error, counted": Answer(status=400, payload={"error": {"message": "no"}, "usage": _COUNTED}),
    "cut off": Answer(_LONG, cut_after=3000),
    "stalled": Answer(_LONG, stall_after=3000),
    "dripping": Answer(_LONG, stall_after=3000),
    "calls of tools": Answer(None, message={"tool_calls": [{"function": {"arguments": _LONG}}]}, usage=None),
    "a refusal": Answer(None, message={"refusal": _LONG}, usage=None),
    "reasoning elsewhere": Answer("ok", message={"reasoning_details": [{"text": _LONG}]}, usage=None),
    "more choices": Answer(payload={"choices": [{"message": {"content": text}} for text in ("ok", _LONG)]}),
}


@pytest.mark.parametrize("what", UNREAD)
async def test_a_budget_holds_for_what_nobody_can_read(what: str) -> None:
    patience = QUICK.model_copy(update={"total": 1.0, "stall": 5} if what == "dripping" else {})
    with serving(in_turn(UNREAD[what])) as server:
        limits = settings(server.url, prices=PRICES, budget=1500, concurrency=1, patience=patience)
        async with HttpModelClient(limits, Rows()) as client:
            for number in range(2):
                with suppress(ModelError):
                    await client.ask(question("y" * 30, repeat=number))
            spent = client.spent
    assert len(server.asked) == 1
    assert 1500 <= spent.cost <= 4000
    assert spent.estimated == (0 if "counted" in what else 1)


async def test_what_the_server_counts_is_not_estimated() -> None:
    with serving(in_turn(Answer("x" * 300))) as server:
        async with HttpModelClient(settings(server.url, prices=PRICES), Rows()) as client:
            reply = await client.ask(question())
            again = await client.ask(question())
    assert (reply.prompt_tokens, reply.completion_tokens, reply.cost, reply.estimated) == (10, 5, 20, False)
    assert (again.cost, again.estimated) == (20, False)


async def test_every_attempt_is_a_row() -> None:
    rows = Rows()
    with serving(in_turn(error(500, "broken"), Answer(""), Answer("at last"))) as server:
        async with HttpModelClient(settings(server.url), rows) as client:
            reply = await client.ask(question())
            spent = client.spent
    host = server.url.removeprefix("http://").removesuffix("/v1")
    assert [(row.attempt, row.status, row.error) for row in rows.rows] == [
        (1, 500, f"{host} answered 500 (broken)"),
        (2, 200, "the answer is empty"),
        (3, 200, None),
    ]
    assert (reply.text, reply.attempts) == ("at last", 3)
    assert (spent.sent, spent.answered, spent.failed) == (3, 1, 2)
    assert spent.completion_tokens == 10  # the empty answer was paid for, too


async def test_a_row_that_cannot_be_kept_hands_no_answer_on() -> None:
    class Full(Rows):
        def keep(self, calls: object) -> None:
            raise StoreError("the disk is full.")

    with serving(in_turn(Answer())) as server:
        async with HttpModelClient(settings(server.url), Full()) as client:
            with pytest.raises(StoreError, match="the disk is full"):
                await client.ask(question())


async def test_failed_rows_are_not_answers() -> None:
    rows = Rows()
    with serving(in_turn(*[Answer("")] * 3, Answer("better"))) as server:
        async with HttpModelClient(settings(server.url), rows) as client:
            with pytest.raises(AnswerEmpty):
                await client.ask(question())
        async with HttpModelClient(settings(server.url), rows) as client:
            assert (await client.ask(question())).text == "better"
    assert [row.error is None for row in rows.rows] == [False, False, False, True]
