"""Replies of a model server on loopback: odd JSON, headers, stalls and cuts.

Asking ends within its patience in a reply that can be stored, or in one sentence; a budget and the counts
stay numbers.
"""

import asyncio
import json
import math
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager, suppress
from copy import deepcopy
from pathlib import Path
from random import Random
from typing import Any

from reviewer.core.errors import ReviewerError
from reviewer.core.sanitize import strange_character
from reviewer.llm.client import HttpModelClient
from reviewer.llm.model_settings import RetryLimits
from reviewer.llm.request import ModelReply
from reviewer.protocols.probe_swe import generation_replies
from store.calls import StoredCalls
from store.database import Database
from tests.fuzz.child_replies import ODD
from tests.fuzz.harness import Attempt, Case, Wrong
from tests.fuzz.mutations import mutated_bytes, mutated_text
from tests.llm.clients import KEY, PRICES, question, settings
from tests.llm.server import Answer, Asked, serving

RETRIES = RetryLimits(connect=2, stall=0.2, total=1, attempts=2, backoff=0.01, longest=0.05)
MOST_SECONDS = 12.0
_SECONDS_TO_END = 2.0
HEADERS = (
    *(
        {"retry-after": value}
        for value in ("0", "-1", "nan", "inf", "1e400", "9" * 400, "Thu, 01 Jan 1970", "x")
    ),
    *({"content-encoding": value} for value in ("gzip", "br", "identity", "deflate", "zstd", "x")),
    *(
        {"content-type": value}
        for value in ("text/html", "application/json; charset=utf-16", "x", "text/event-stream")
    ),
    *(
        {"location": value}
        for value in ("http://127.0.0.1:9/", "/v1", "file:///etc/passwd", f"http://x/{KEY}")
    ),
    {"x": "y" * 100_000},
    {"set-cookie": "a=b"},
)
TEXTS = (
    "## Pair 1\nUnbiased: a\nBiased: b\n\n## Pair 2\n",
    "Option A. Therefore: option_A",
    "<think>no</think>yes",
    "```prolog\ndecide_option(user, X) :- a.\n```",
    "### Axioms\n```\na.\n```\n### Unbiased program\n```\nb.\n```",
    "true",
)
PIECES = (
    "\0",
    "\ud800",
    "\u202e",
    "\x1b[31m",
    "<think>",
    "</think>",
    "```",
    "##",
    "\n",
    "Option",
    "A",
    "yes",
    "no",
    " ",
    "{",
    "}",
)
STATUS = (
    200,
    200,
    200,
    201,
    204,
    301,
    307,
    400,
    401,
    402,
    403,
    404,
    408,
    413,
    422,
    429,
    429,
    500,
    502,
    503,
    529,
    999,
)


@contextmanager
def opened(folder: Path) -> Iterator[Attempt]:
    """One store that keeps every call, and one server that answers as the case says."""
    database = Database.open(str(folder / "calls.db"))
    answers: list[Answer] = []
    with serving(lambda asked: _next(asked, answers)) as server:

        def attempt(case: Case) -> None:
            _texts(case)
            answers[:] = [_answer(case.random) for _ in range(4)]
            case.keep("answers.txt", "\n".join(repr(answer)[:5_000] for answer in answers))
            asyncio.run(_in_time(_asked(case, server.url, database)))

        yield attempt
    database.close()


async def _in_time(asking: Coroutine[Any, Any, None]) -> None:
    """A stall that nothing ends is a failure, and not the end of fuzzing.

    Whoever cancels asking alone waits on: the client shields what is under way. So everything is cancelled.
    """
    task = asyncio.ensure_future(asking)
    done, _ = await asyncio.wait({task}, timeout=MOST_SECONDS)
    if done:
        return await task
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for each in others:
        each.cancel()
    await asyncio.wait(others, timeout=_SECONDS_TO_END)
    raise Wrong("asking took longer than any patience")


def _next(_asked: Asked, answers: list[Answer]) -> Answer:
    return answers.pop() if answers else Answer()


def _answer(random: Random) -> Answer:
    given: dict[str, Any] = {}
    match random.randrange(8):
        case 0:
            given["payload"] = mutated_bytes(random, json.dumps(_completion(random)).encode())
        case 1:
            given["payload"] = random.choice(
                (b"", b"null", b"[]", b"[" * 100_000, b"\xff\xfe", b'{"error": 3}')
            )
        case 2:
            given["payload"] = {"error": random.choice(ODD[:20])}
        case _:
            given["payload"] = _completion(random)
    given["status"] = random.choice(STATUS)
    if random.random() < 0.3:
        given["headers"] = random.choice(HEADERS)
    if random.random() < 0.1:
        given[random.choice(("cut_after", "stall_after"))] = random.choice((0, 1, 20))
    if random.random() < 0.05:
        given["no_response"] = True
    # Not a number is no JSON, but servers send it.
    with suppress(ValueError):
        return Answer(**given)
    return Answer()


def _completion(random: Random) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": _text(random)}
    completion: dict[str, Any] = {
        "model": "m1",
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 10, "completion_tokens": 5},
        "system_fingerprint": "f",
    }
    for _ in range(random.randrange(4)):
        holder = random.choice((completion, completion["choices"], message, completion["usage"]))
        if isinstance(holder, dict) and holder:
            holder[random.choice([*holder, "reasoning_content", "reasoning"])] = deepcopy(random.choice(ODD))
        elif isinstance(holder, list) and holder:
            holder[0] = random.choice((*ODD[:12], holder[0]))
        if not isinstance(completion.get("choices"), list) or not isinstance(completion.get("usage"), dict):
            break
    return completion


def _text(random: Random) -> str:
    return mutated_text(random, random.choice(TEXTS), TEXTS, PIECES)


def _texts(case: Case) -> None:
    """What the protocol reads in a reply's text is there or is said to be unusable."""
    text = _text(case.random)
    case.keep("text.txt", text)
    for read in (
        generation_replies.pairs_in,
        generation_replies.programs_in,
        generation_replies.text_in,
        generation_replies.yes_in,
    ):
        with suppress(generation_replies.UnusableReply):
            read(text)


async def _asked(case: Case, url: str, database: Database) -> None:
    number = case.random.randrange(1 << 30)
    own = settings(url, RETRIES, prices=PRICES, budget=10_000.0, concurrency=2)
    async with HttpModelClient(own, StoredCalls(database)) as client:
        for repeat in (number, number + 1):
            try:
                _check_reply(await client.ask(question(repeat=repeat)))
            except ReviewerError as error:
                if KEY in str(error) or "\n" in str(error) or len(str(error)) > 2_000:
                    raise Wrong(f"the sentence is none: {error!r}"[:2_000]) from error
        spent = client.spent
    if (
        not math.isfinite(spent.cost)
        or spent.cost < 0
        or min(spent.prompt_tokens, spent.completion_tokens) < 0
    ):
        raise Wrong(f"what was spent is no amount: {spent}")


def _check_reply(reply: ModelReply) -> None:
    for text in (reply.text, reply.reasoning, reply.finish_reason):
        half_pair = (strange_character(text) or "").startswith("a lone")
        if half_pair or KEY in text:
            raise Wrong(f"the reply holds what it must not: {text[:200]!r}")
    if reply.cost is None or not math.isfinite(reply.cost) or reply.cost <= 0:
        raise Wrong(f"the cost is {reply.cost}")
