"""Rows of calls, and the usage that they add up to."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Protocol

from reviewer.llm.tokens import tokens_of
from store.records import Call


class Calls(Protocol):
    """Stores the rows of calls. Its methods are called from one thread, one at a time."""

    def keep(self, calls: Sequence[Call]) -> None:
        """Add rows; they are durable when this returns."""
        ...

    def answers_to(self, digests: Sequence[str], endpoint: str) -> dict[str, Call]:
        """The newest row with an answer, by the digest of the request, for requests to an endpoint."""
        ...


@dataclass(frozen=True, slots=True)
class Usage:
    """The calls so far and their cost.

    ``sent`` counts attempts, so one answer may have taken several. ``from_rows`` counts answers from the
    store. ``cost`` is in the currency of the price table and leaves out ``unpriced`` calls, whose cost is not
    known. Tokens and cost of ``estimated`` calls are estimated from the text, because the server reported no
    usable counts. ``seconds`` is the time since the first request.
    """

    sent: int = 0
    answered: int = 0
    failed: int = 0
    from_rows: int = 0
    in_flight: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float = 0.0
    unpriced: int = 0
    estimated: int = 0
    seconds: float = 0.0

    @property
    def calls_a_minute(self) -> float | None:
        """Attempts a minute since the first request; None during the first second."""
        return None if self.seconds < 1 else 60 * self.sent / self.seconds


class UsageCounter:
    """Counts calls as they are sent and answered."""

    def __init__(self) -> None:
        self._spent = Usage()
        self._since: float | None = None

    def spent(self) -> Usage:
        """The usage so far."""
        seconds = 0.0 if self._since is None else time.monotonic() - self._since
        return replace(self._spent, seconds=seconds)

    @property
    def usual_tokens(self) -> int:
        """The mean number of tokens of an answer."""
        return self._spent.completion_tokens // max(1, self._spent.answered)

    @contextmanager
    def under_way(self) -> Iterator[None]:
        """Count one attempt as in flight while the block runs."""
        self._since = self._since or time.monotonic()
        self._spent = replace(self._spent, sent=self._spent.sent + 1, in_flight=self._spent.in_flight + 1)
        try:
            yield
        finally:
            self._spent = replace(self._spent, in_flight=self._spent.in_flight - 1)

    def add_call(self, call: Call) -> None:
        """Count the result of an attempt."""
        was, tokens = self._spent, tokens_of(call)
        self._spent = replace(
            was,
            answered=was.answered + (call.error is None),
            failed=was.failed + (call.error is not None),
            prompt_tokens=was.prompt_tokens + (tokens.prompt if tokens else 0),
            completion_tokens=was.completion_tokens + (tokens.completion if tokens else 0),
            cost=was.cost + (call.cost or 0.0),
            unpriced=was.unpriced + (call.cost is None and tokens is not None),
            estimated=was.estimated + (tokens is not None and tokens.estimated),
        )

    def add_stored(self) -> None:
        """Count an answer from the store."""
        self._since = self._since or time.monotonic()
        self._spent = replace(self._spent, from_rows=self._spent.from_rows + 1)
