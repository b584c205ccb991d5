"""What is kept of calls, and what they come to."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Protocol

from reviewer.llm.tokens import tokens_of
from store.records import Call


class Calls(Protocol):
    """Where the rows of calls are kept. Its methods are called from a thread, one at a time."""

    def keep(self, calls: Sequence[Call]) -> None:
        """Add rows; they are durable when this returns."""
        ...

    def answers_to(self, digests: Sequence[str], endpoint: str) -> dict[str, Call]:
        """The newest answered row of each request (by its digest) to an endpoint, where there is one."""
        ...


@dataclass(frozen=True, slots=True)
class Usage:
    """What has been asked so far, and what it cost.

    ``sent`` counts attempts, so an answer may have taken several; ``from_rows`` are answers that were there.
    ``cost`` is in the currency of the price table; ``unpriced`` calls have no known cost and are not in it.
    Tokens (and so the cost) of ``estimated`` calls are guessed from the text, for the server counted none.
    ``seconds`` is the time since the first ask.
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
        """Attempts a minute since the first ask; None before a second is over."""
        return None if self.seconds < 1 else 60 * self.sent / self.seconds


class UsageCounter:
    """Counts as calls go out and come back."""

    def __init__(self) -> None:
        self._spent = Usage()
        self._since: float | None = None

    def spent(self) -> Usage:
        """How things stand."""
        seconds = 0.0 if self._since is None else time.monotonic() - self._since
        return replace(self._spent, seconds=seconds)

    @property
    def usual_tokens(self) -> int:
        """How many tokens an answer had on average."""
        return self._spent.completion_tokens // max(1, self._spent.answered)

    @contextmanager
    def under_way(self) -> Iterator[None]:
        """Around one attempt."""
        self._since = self._since or time.monotonic()
        self._spent = replace(self._spent, sent=self._spent.sent + 1, in_flight=self._spent.in_flight + 1)
        try:
            yield
        finally:
            self._spent = replace(self._spent, in_flight=self._spent.in_flight - 1)

    def add_call(self, call: Call) -> None:
        """Count what an attempt brought."""
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
        """Count an answer that was there."""
        self._since = self._since or time.monotonic()
        self._spent = replace(self._spent, from_rows=self._spent.from_rows + 1)
