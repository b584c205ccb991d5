"""The client for language models: ``ask`` applies limits, retries, writes rows and reuses stored answers."""

import asyncio
import secrets
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Protocol, Self

from reviewer.core.sanitize import counted, one_line
from reviewer.llm.answer import Answer, split_thought
from reviewer.llm.call_log import CallLog
from reviewer.llm.errors import BudgetSpent, ModelError, Unanswered
from reviewer.llm.failure import FailedAttempt, fault
from reviewer.llm.rate_limit import RateLimit, Window
from reviewer.llm.request import ModelReply, ModelRequest, Origin
from reviewer.llm.settings import ModelSettings
from reviewer.llm.tokens import Tokens, tokens_of
from reviewer.llm.transport import Transport, load_client
from reviewer.llm.usage import Calls, Usage, UsageCounter
from store.clock import instant, now_ms
from store.records import Call, JsonValue

_CHARACTERS_A_TOKEN = 4  # a rough guess for the rate limit only; the server's count replaces it


class ModelClient(Protocol):
    """What every client for language models offers."""

    async def ask(self, request: ModelRequest) -> ModelReply:
        """The reply to a request; raises ModelError if there is none."""
        ...

    @property
    def spent(self) -> Usage:
        """The calls so far and their cost."""
        ...

    def stop(self) -> None:
        """Send nothing more. Requests in flight are finished and stored; later ones raise Stopped."""
        ...


class HttpModelClient:
    """A client of one server. Use as ``async with HttpModelClient(settings, calls) as client``.

    If the store holds an answer to the same request, repeat number and endpoint, the client returns that
    answer. Equal requests at the same time are sent once. A row is durable before its answer is returned.
    A caller who stops waiting loses neither the answer nor its row.
    """

    def __init__(self, settings: ModelSettings, calls: Calls) -> None:
        limits = settings.limits
        self._settings = settings
        self._call_log = CallLog(calls, settings.endpoint.url)
        self._slots = asyncio.Semaphore(limits.concurrency)
        self._rate_limit = RateLimit(Window(limits.requests_per_minute, limits.tokens_per_minute))
        self._usage = UsageCounter()
        self._in_flight: dict[str, asyncio.Task[ModelReply]] = {}
        self._answered_here: set[str] = set()

    async def __aenter__(self) -> Self:
        settings = self._settings
        await asyncio.to_thread(load_client)  # takes a second, which would block a screen
        self._transport = Transport(settings.endpoint, settings.patience, settings.limits.concurrency)
        return self

    async def __aexit__(self, *_: object) -> None:
        self.stop()
        await asyncio.gather(*self._in_flight.values(), return_exceptions=True)
        await self._call_log.close()
        await self._transport.close()

    @property
    def spent(self) -> Usage:
        """The calls so far and their cost."""
        return self._usage.spent()

    def stop(self) -> None:
        """Send nothing more. Requests in flight are finished and stored; later ones raise Stopped."""
        self._rate_limit.stop()

    async def ask(self, request: ModelRequest) -> ModelReply:
        """The reply to a request; raises ModelError if there is none, StoreError if it cannot be stored."""
        digest = request.digest()
        task = self._in_flight.get(digest)
        if task is None:
            task = self._in_flight[digest] = asyncio.create_task(self._answer(request, digest))
            task.add_done_callback(lambda done: self._forget_request(digest, done))
        return await asyncio.shield(task)

    def _forget_request(self, digest: str, task: asyncio.Task[ModelReply]) -> None:
        del self._in_flight[digest]
        if not task.cancelled():
            task.exception()  # mark it as seen, since nobody may be waiting for the task any more

    async def _answer(self, request: ModelRequest, digest: str) -> ModelReply:
        self._rate_limit.check()
        if not self._settings.fresh or digest in self._answered_here:
            known = await self._call_log.answer_to(digest)
            if known is not None:
                self._usage.add_stored()
                return reply_of(known, "store")
        call = await self._sent(request, digest)
        self._answered_here.add(digest)
        return reply_of(call, "model")

    async def _sent(self, request: ModelRequest, digest: str) -> Call:
        """The row of the attempt that got an answer."""
        patience = self._settings.patience
        attempt = 0
        while True:
            attempt += 1
            call, failed = await self._attempt(request, digest, attempt)
            if failed is None:
                return call
            wait = failed.wait if failed.wait is not None else self._backoff(digest, attempt)
            if not failed.may_succeed_later or attempt >= patience.attempts or wait > patience.longest:
                raise _error(request, failed, call, wait > patience.longest)
            if failed.status == 429:
                self._rate_limit.hold(wait)
            await self._rate_limit.pause(wait)

    async def _attempt(
        self, request: ModelRequest, digest: str, attempt: int
    ) -> tuple[Call, FailedAttempt | None]:
        answer: Answer | None = None
        failed: FailedAttempt | None = None
        body = request.body()
        # The row is written before the slot is free again, so a crash loses at most the answers in flight.
        async with self._slots:
            slot = await self._rate_limit.take_slot(self._guess(request))
            self._check_budget(request)
            started = time.perf_counter()
            with self._usage.under_way():
                try:
                    answer = await self._transport.send(body)
                    failed = fault(answer)
                except FailedAttempt as raised:
                    failed, answer = raised, raised.answer
            seconds = time.perf_counter() - started
            call = self._row(request, digest, attempt, body, answer, failed, seconds)
            if tokens := tokens_of(call):
                slot.tokens = tokens.prompt + tokens.completion
            self._usage.add_call(call)
            await self._call_log.keep(call)
        return call, failed

    def _row(
        self,
        request: ModelRequest,
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
            model=request.model,
            purpose=request.purpose,
            repeat=request.repeat,
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
        cost = self._cost(call)
        return call if cost is None else call.model_copy(update={"cost": cost})

    def _cost(self, call: Call) -> float | None:
        price, tokens = self._settings.prices.get(call.model), tokens_of(call)
        return None if price is None or tokens is None else price.of(tokens.prompt, tokens.completion)

    def _check_budget(self, request: ModelRequest) -> None:
        limits, spent = self._settings.limits, self._usage.spent()
        if limits.calls is not None and spent.sent >= limits.calls:
            raise BudgetSpent(f"the limit of {counted(limits.calls, 'call')} is reached; raise it to go on.")
        if limits.budget is None:
            return
        self._settings.check_prices((request.model,))
        if spent.cost >= limits.budget:
            raise BudgetSpent(
                f"the budget of {limits.budget:g} is spent ({spent.cost:.4g}); raise it to go on."
            )

    def _guess(self, request: ModelRequest) -> int:
        characters = sum(len(message.content) for message in request.messages)
        return characters // _CHARACTERS_A_TOKEN + (request.max_tokens or self._usage.usual_tokens)

    def _backoff(self, digest: str, attempt: int) -> float:
        """Seconds before the next attempt: twice as long each time, and spread by up to a half of it."""
        patience = self._settings.patience
        spread = int(digest[:8], 16) / (1 << 33)
        return min(patience.longest, patience.backoff * 2.0 ** (attempt - 1)) * (1 - spread)


def reply_of(call: Call, origin: Origin) -> ModelReply:
    """The reply that a row with an answer holds."""
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


def _error(request: ModelRequest, failed: FailedAttempt, last: Call, too_long: bool) -> ModelError:
    times = "" if last.attempt == 1 else f" after {last.attempt} attempts"
    waiting = f", which asks to wait {failed.wait:,.0f} seconds" if too_long and failed.wait else ""
    about = f"no answer from {one_line(request.model)!r} for {one_line(request.purpose)!r}{times}"
    error = failed.kind(f"{about}: {failed.reason}{waiting}.")
    if isinstance(error, Unanswered) and last.response:
        error.reply, _ = split_thought(last.response["content"], last.response["thought"])
    return error


@asynccontextmanager
async def open_client(
    settings: ModelSettings, calls: Calls, *, replay: Path | None = None, record: Path | None = None
) -> AsyncIterator[ModelClient]:
    """A client for a ``with`` block.

    With ``replay`` it answers from that recording alone; otherwise from stored rows and from models. With
    ``record`` it also writes its answers to that file. At the end nothing more is sent; requests in flight
    are finished and stored.
    """
    from reviewer.llm.recording import RecordingClient, ReplayClient  # that module imports this one

    if replay is not None:
        yield ReplayClient(replay)
        return
    async with HttpModelClient(settings, calls) as client:
        if record is None:
            yield client
            return
        with closing(RecordingClient(client, record)) as recording:
            yield recording
