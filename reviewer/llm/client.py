"""The client for language models: ``ask`` applies limits, retries, writes rows and reuses stored answers."""

import asyncio
import secrets
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Protocol, Self

from reviewer.core.number_text import significant, whole
from reviewer.core.sanitize import counted, one_line
from reviewer.llm.call_log import CallLog
from reviewer.llm.chat_completion import Answer, split_thought
from reviewer.llm.failure import FailedAttempt, fault
from reviewer.llm.model_settings import ModelSettings
from reviewer.llm.rate_limit import RateLimit, RateSlot, SharedLimits, SharedRateLimit, Spacing, Window
from reviewer.llm.request import ModelReply, ModelRequest, Origin, request_digest
from reviewer.llm.request_errors import BudgetSpent, ModelError, Unanswered
from reviewer.llm.token_counts import Tokens, tokens_of
from reviewer.llm.transport import Transport, load_client
from reviewer.llm.usage import Calls, Usage, UsageCounter
from store.clock import instant, now_ms
from store.records import Call, JsonValue

_Body = dict[str, JsonValue]
_SECONDS_KNOWN = 0.25
"""A request that waited longer is looked up again before it is sent, where other processes ask too."""
_CHARACTERS_A_TOKEN = 4  # a rough guess for the rate limit only; the server's count replaces it


class ModelClient(Protocol):
    """The interface of every client for language models."""

    async def ask(self, request: ModelRequest) -> ModelReply:
        """The reply to a request; raises ModelError if there is none."""
        ...

    @property
    def spent(self) -> Usage:
        """The calls so far and their cost."""
        ...

    @property
    def stopped(self) -> bool:
        """Whether ``stop`` was called."""
        ...

    def stop(self) -> None:
        """Send nothing more. Requests in flight are finished and stored; later ones raise Stopped."""
        ...


class _AnsweredMeanwhile(Exception):  # noqa: N818  # an answer, not a fault
    def __init__(self, call: Call) -> None:
        self.call = call


class HttpModelClient:
    """A client of one server. Use as ``async with HttpModelClient(settings, calls) as client``.

    If the store holds an answer to the same request, repeat number and endpoint, the client returns that
    answer. Equal requests at the same time are sent once. A row is durable before its answer is returned.
    A caller who stops waiting loses neither the answer nor its row.
    """

    def __init__(self, settings: ModelSettings, calls: Calls, shared: SharedLimits | None = None) -> None:
        """With ``shared``, other processes ask too, and requests and tokens a minute are theirs together."""
        limits = settings.limits
        self._settings = settings
        self._call_log = CallLog(calls, settings.endpoint.url)
        self._slots = asyncio.Semaphore(limits.concurrency)
        window = Window(limits.requests_per_minute, limits.tokens_per_minute)
        self._rate_limit = RateLimit(window) if shared is None else SharedRateLimit(shared)
        self._spacing = Spacing(limits.concurrency)
        self._shared = shared
        self._usage = UsageCounter()
        self._in_flight: dict[str, asyncio.Task[ModelReply]] = {}
        self._answered_here: set[str] = set()

    async def __aenter__(self) -> Self:
        settings = self._settings
        await asyncio.to_thread(load_client)  # takes a second, which would block a screen
        may_send = self._shared.check if self._shared else None
        self._transport = Transport(settings.endpoint, settings.patience, may_send)
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

    @property
    def stopped(self) -> bool:
        """Whether ``stop`` was called."""
        return self._rate_limit.stopped

    def stop(self) -> None:
        """Send nothing more. Requests in flight are finished and stored; later ones raise Stopped."""
        self._rate_limit.stop()

    async def ask(self, request: ModelRequest) -> ModelReply:
        """The reply to a request; raises ModelError if there is none, StoreError if it cannot be stored."""
        body = request.body()
        digest = request_digest(body, request.repeat)
        task = self._in_flight.get(digest)
        if task is None:
            task = self._in_flight[digest] = asyncio.create_task(self._answer(request, body, digest))
            task.add_done_callback(lambda done: self._forget_request(digest, done))
        return await asyncio.shield(task)

    def _forget_request(self, digest: str, task: asyncio.Task[ModelReply]) -> None:
        del self._in_flight[digest]
        if not task.cancelled():
            task.exception()  # mark it as seen, since nobody may be waiting for the task any more

    async def _answer(self, request: ModelRequest, body: _Body, digest: str) -> ModelReply:
        self._rate_limit.check()
        if not self._settings.fresh or digest in self._answered_here:
            known = await self._call_log.answer_to(digest)
            if known is not None:
                self._usage.add_stored()
                return reply_of(known, "store")
        try:
            call, tokens = await self._sent(request, body, digest)
        except _AnsweredMeanwhile as known:
            self._usage.add_stored()
            return reply_of(known.call, "store")
        self._answered_here.add(digest)
        return _reply(call, tokens, "model")

    async def _sent(self, request: ModelRequest, body: _Body, digest: str) -> tuple[Call, Tokens | None]:
        """The row of the attempt that got an answer, and its tokens."""
        patience = self._settings.patience
        attempt = 0
        while True:
            attempt += 1
            call, tokens, failed = await self._attempt(request, body, digest, attempt)
            if failed is None:
                return call, tokens
            wait = failed.wait if failed.wait is not None else self._backoff(digest, attempt)
            if not failed.may_succeed_later or attempt >= patience.attempts or wait > patience.longest:
                raise _error(request, failed, call, wait > patience.longest)
            if failed.status == 429:
                self._rate_limit.hold(wait)
            await self._rate_limit.pause(wait)

    async def _attempt(
        self, request: ModelRequest, body: _Body, digest: str, attempt: int
    ) -> tuple[Call, Tokens | None, FailedAttempt | None]:
        answer: Answer | None = None
        failed: FailedAttempt | None = None
        ready = time.monotonic()
        # The row is written before the slot is free again, so a crash loses at most the answers in flight.
        async with self._slots:
            if (wait := self._spacing.wait(asyncio.get_running_loop().time())) > 0:
                await self._rate_limit.pause(wait)
            slot = await self._rate_limit.take_slot(self._guess(request))
            if self._shared and (attempt > 1 or time.monotonic() > ready + _SECONDS_KNOWN):
                await self._look_again(digest, slot)
            self._check_budget(request)
            started = time.perf_counter()
            with self._usage.under_way():
                try:
                    answer = await self._transport.send(body)
                    failed = fault(answer)
                except FailedAttempt as raised:
                    failed, answer = raised, raised.answer
            seconds = time.perf_counter() - started
            self._spacing.answered(seconds)
            call = self._row(request, digest, attempt, body, answer, failed, seconds)
            if tokens := tokens_of(call):
                slot.count(tokens.prompt + tokens.completion)
                call = self._priced(call, tokens)
            self._usage.add_call(call, tokens)
            await self._call_log.keep(call)
        return call, tokens, failed

    async def _look_again(self, digest: str, slot: RateSlot) -> None:
        """Raise _AnsweredMeanwhile if another process has stored an answer, and NotSent as ever."""
        known = None if self._settings.fresh else await self._call_log.answer_to(digest)
        if known is not None:
            slot.give_back()
            raise _AnsweredMeanwhile(known)
        self._rate_limit.check()

    def _row(
        self,
        request: ModelRequest,
        digest: str,
        attempt: int,
        body: _Body,
        answer: Answer | None,
        failed: FailedAttempt | None,
        seconds: float,
    ) -> Call:
        now = now_ms()
        return Call(
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

    def _priced(self, call: Call, tokens: Tokens) -> Call:
        """The row with its cost, if the model has a price."""
        price = self._settings.prices.get(call.model)
        if price is None:
            return call
        return call.model_copy(update={"cost": price.of(tokens.prompt, tokens.completion)})

    def _check_budget(self, request: ModelRequest) -> None:
        limits = self._settings.limits
        if limits.calls is None and limits.budget is None:
            return
        spent = self._usage.spent()
        if limits.calls is not None and spent.sent >= limits.calls:
            raise BudgetSpent(f"the limit of {counted(limits.calls, 'call')} is reached; raise it to go on.")
        if limits.budget is None:
            return
        self._settings.check_prices((request.model,))
        if spent.cost >= limits.budget:
            raise BudgetSpent(
                f"the budget of {limits.budget:g} is spent ({significant(spent.cost, 4)}); raise it to go on."
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
    return _reply(call, tokens_of(call), origin)


def _reply(call: Call, tokens: Tokens | None, origin: Origin) -> ModelReply:
    response = call.response or {}
    text, reasoning = split_thought(response["content"], response["thought"])
    tokens = tokens or Tokens(0, 0, estimated=True)
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
        answered_by=response["answered_by"],
    )


def _error(request: ModelRequest, failed: FailedAttempt, last: Call, too_long: bool) -> ModelError:
    times = "" if last.attempt == 1 else f" after {last.attempt} attempts"
    waiting = f", which asks to wait {whole(failed.wait)} seconds" if too_long and failed.wait else ""
    about = f"no answer from {one_line(request.model)!r} for {one_line(request.purpose)!r}{times}"
    error = failed.kind(f"{about}: {failed.reason}{waiting}.")
    if isinstance(error, Unanswered) and last.response:
        said, _ = split_thought(last.response["content"], last.response["thought"])
        error.reply = said or last.response.get("refusal") or last.response.get("tools") or ""
    return error


@asynccontextmanager
async def open_client(
    settings: ModelSettings,
    calls: Calls,
    *,
    replay: Path | None = None,
    record: Path | None = None,
    shared: SharedLimits | None = None,
) -> AsyncIterator[ModelClient]:
    """A client for a ``with`` block.

    With ``replay`` it answers from that recording alone; otherwise from stored rows and from models. With
    ``record`` it also writes its answers to that file. ``shared`` limits are kept with other processes. At
    the end nothing more is sent; requests in flight
    are finished and stored.
    """
    from reviewer.llm.recording import RecordingClient, ReplayClient  # that module imports this one

    if replay is not None:
        yield ReplayClient(replay)
        return
    async with HttpModelClient(settings, calls, shared) as client:
        if record is None:
            yield client
            return
        with closing(RecordingClient(client, record)) as recording:
            yield recording
