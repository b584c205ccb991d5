"""The client for language models: one ``ask``; behind it limits, retries, rows, and answers kept before."""

import asyncio
import secrets
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Protocol, Self

from reviewer.core.errors import RequestError
from reviewer.core.sanitize import counted, one_line
from reviewer.llm.answer import Answer, split_thought
from reviewer.llm.call_log import CallLog
from reviewer.llm.errors import BudgetSpent, ModelError
from reviewer.llm.failure import FailedAttempt, fault
from reviewer.llm.rate_limit import RateLimit, Window
from reviewer.llm.request import ModelReply, ModelRequest, Origin
from reviewer.llm.settings import ModelSettings
from reviewer.llm.tokens import Tokens, tokens_of
from reviewer.llm.transport import Transport, load_client
from reviewer.llm.usage import Calls, Usage, UsageCounter
from store.clock import instant, now_ms
from store.records import Call, JsonValue

_CHARACTERS_A_TOKEN = 4  # a rough guess, for the pace only; what counts comes from the server


class ModelClient(Protocol):
    """Where models are asked."""

    async def ask(self, ask: ModelRequest) -> ModelReply:
        """The answer to a request; raises ModelError where none can be had."""
        ...

    @property
    def spent(self) -> Usage:
        """What has been asked so far, and what it cost."""
        ...

    def stop(self) -> None:
        """Send nothing more; what is under way is finished and kept. Later asks raise Stopped."""
        ...


class HttpModelClient:
    """A client of one server. Use as ``async with HttpModelClient(settings, calls) as client``.

    An answer that the rows have for the same request, repeat number and endpoint is given from there. The
    same request asked twice at a time is sent once. A row is durable before its answer is handed on; who
    stops waiting for an answer loses neither the answer nor its row.
    """

    def __init__(self, settings: ModelSettings, calls: Calls) -> None:
        limits = settings.limits
        self._settings = settings
        self._call_log = CallLog(calls, settings.endpoint.url)
        self._slots = asyncio.Semaphore(limits.concurrency)
        self._pace = RateLimit(Window(limits.requests_per_minute, limits.tokens_per_minute))
        self._tally = UsageCounter()
        self._flying: dict[str, asyncio.Task[ModelReply]] = {}
        self._answered_here: set[str] = set()

    async def __aenter__(self) -> Self:
        settings = self._settings
        await asyncio.to_thread(load_client)  # takes a second, which a screen would feel
        self._wire = Transport(settings.endpoint, settings.patience, settings.limits.concurrency)
        return self

    async def __aexit__(self, *_: object) -> None:
        self.stop()
        await asyncio.gather(*self._flying.values(), return_exceptions=True)
        await self._call_log.close()
        await self._wire.close()

    @property
    def spent(self) -> Usage:
        """What has been asked so far, and what it cost."""
        return self._tally.spent()

    def stop(self) -> None:
        """Send nothing more; what is under way is finished and kept. Later asks raise Stopped."""
        self._pace.stop()

    async def ask(self, ask: ModelRequest) -> ModelReply:
        """The answer to a request; raises ModelError where none can be had, StoreError where none is kept."""
        digest = ask.digest()
        task = self._flying.get(digest)
        if task is None:
            task = self._flying[digest] = asyncio.create_task(self._answer(ask, digest))
            task.add_done_callback(lambda done: self._landed(digest, done))
        return await asyncio.shield(task)

    def _landed(self, digest: str, task: asyncio.Task[ModelReply]) -> None:
        del self._flying[digest]
        if not task.cancelled():
            task.exception()  # it may be that nobody waits for it any more

    async def _answer(self, ask: ModelRequest, digest: str) -> ModelReply:
        self._pace.check()
        if not self._settings.fresh or digest in self._answered_here:
            known = await self._call_log.answer_to(digest)
            if known is not None:
                self._tally.found()
                return reply_of(known, "store")
        call = await self._sent(ask, digest)
        self._answered_here.add(digest)
        return reply_of(call, "model")

    async def _sent(self, ask: ModelRequest, digest: str) -> Call:
        """The row of the attempt that brought an answer."""
        patience = self._settings.patience
        attempt = 0
        while True:
            attempt += 1
            call, failed = await self._attempt(ask, digest, attempt)
            if failed is None:
                return call
            wait = failed.wait if failed.wait is not None else self._backoff(digest, attempt)
            if not failed.passing or attempt >= patience.attempts or wait > patience.longest:
                raise _error(ask, failed, attempt, wait > patience.longest)
            if failed.status == 429:
                self._pace.hold(wait)
            await self._pace.pause(wait)

    async def _attempt(
        self, ask: ModelRequest, digest: str, attempt: int
    ) -> tuple[Call, FailedAttempt | None]:
        answer: Answer | None = None
        failed: FailedAttempt | None = None
        body = ask.body()
        # The row is written while the slot is held: so no more answers can be lost than may be under way.
        async with self._slots:
            turn = await self._pace.turn(self._guess(ask))
            self._check_budget(ask)
            started = time.perf_counter()
            with self._tally.under_way():
                try:
                    answer = await self._wire.send(body)
                    failed = fault(answer)
                except FailedAttempt as raised:
                    failed = raised
            seconds = time.perf_counter() - started
            call = self._row(ask, digest, attempt, body, answer, failed, seconds)
            if tokens := tokens_of(call):
                turn.tokens = tokens.prompt + tokens.completion
            self._tally.came(call)
            await self._call_log.keep(call)
        return call, failed

    def _row(
        self,
        ask: ModelRequest,
        digest: str,
        attempt: int,
        body: dict[str, JsonValue],
        answer: Answer | None,
        failed: FailedAttempt | None,
        seconds: float,
    ) -> Call:
        now = now_ms()
        call = Call(
            id=f"{now:012x}{secrets.token_hex(10)}",
            ask=digest,
            endpoint=self._settings.endpoint.url,
            model=ask.model,
            purpose=ask.purpose,
            repeat=ask.repeat,
            attempt=attempt,
            request=body,
            response=answer.kept() if answer else None,
            status=failed.status if failed else 200,
            prompt_tokens=answer.prompt_tokens if answer else None,
            completion_tokens=answer.completion_tokens if answer else None,
            seconds=seconds,
            error=failed.reason if failed else None,
            at=instant(now),
        )
        return call.model_copy(update={"cost": self._cost(call)})

    def _cost(self, call: Call) -> float | None:
        price, tokens = self._settings.prices.get(call.model), tokens_of(call)
        return None if price is None or tokens is None else price.of(tokens.prompt, tokens.completion)

    def _check_budget(self, ask: ModelRequest) -> None:
        limits, spent = self._settings.limits, self._tally.spent()
        if limits.calls is not None and spent.sent >= limits.calls:
            raise BudgetSpent(f"the limit of {counted(limits.calls, 'call')} is reached; raise it to go on.")
        if limits.budget is None:
            return
        if ask.model not in self._settings.prices:
            raise RequestError(
                f"a budget needs prices, and {one_line(ask.model)!r} has none; add it to the models file."
            )
        if spent.cost >= limits.budget:
            raise BudgetSpent(
                f"the budget of {limits.budget:g} is spent ({spent.cost:.4g}); raise it to go on."
            )

    def _guess(self, ask: ModelRequest) -> int:
        said = sum(len(message.content) for message in ask.messages)
        return said // _CHARACTERS_A_TOKEN + (ask.max_tokens or self._tally.usual_tokens)

    def _backoff(self, digest: str, attempt: int) -> float:
        """Seconds before the next attempt, doubled each time; requests spread over the half of it."""
        patience = self._settings.patience
        spread = int(digest[:8], 16) / (1 << 33)
        return min(patience.longest, patience.backoff * 2.0 ** (attempt - 1)) * (1 - spread)


def reply_of(call: Call, origin: Origin) -> ModelReply:
    """The reply that an answered row gives."""
    response = call.response or {}
    text, reasoning = split_thought(response["content"], response["thought"])
    tokens = tokens_of(call) or Tokens(0, 0, estimated=True)
    return ModelReply(
        text=text,
        reasoning=reasoning,
        finish_reason=response["finish_reason"],
        prompt_tokens=tokens.prompt,
        completion_tokens=tokens.completion,
        cost=call.cost,
        seconds=call.seconds,
        attempts=call.attempt,
        origin=origin,
        call=call.id,
        estimated=tokens.estimated,
    )


def _error(ask: ModelRequest, failed: FailedAttempt, attempts: int, too_long: bool) -> ModelError:
    times = "" if attempts == 1 else f" after {attempts} attempts"
    waiting = f", which asks to wait {failed.wait:,.0f} seconds" if too_long and failed.wait else ""
    about = f"no answer from {one_line(ask.model)!r} for {one_line(ask.purpose)!r}{times}"
    return failed.kind(f"{about}: {failed.reason}{waiting}.")


@asynccontextmanager
async def open_client(
    settings: ModelSettings, calls: Calls, *, replay: Path | None = None, record: Path | None = None
) -> AsyncIterator[ModelClient]:
    """A client that answers from ``replay`` alone if given, else from rows and models; noted in ``record``.

    At the end nothing more is sent; what is under way is waited for and kept.
    """
    from reviewer.llm.recording import RecordingClient, ReplayClient  # they are clients themselves

    if replay is not None:
        yield ReplayClient(replay)
        return
    async with HttpModelClient(settings, calls) as client:
        if record is None:
            yield client
            return
        with closing(RecordingClient(client, record)) as recording:
            yield recording
