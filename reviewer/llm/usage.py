"""Rows of calls, and the usage that they add up to."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from typing import Protocol

from reviewer.llm.token_counts import Tokens
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


_COUNTED = tuple(field.name for field in fields(Usage) if field.type is int)


class UsageCounter:
    """Counts calls as they are sent and answered."""

    def __init__(self) -> None:
        self._counts = dict.fromkeys(_COUNTED, 0)
        self._cost = 0.0
        self._since: float | None = None

    def spent(self) -> Usage:
        """The usage so far."""
        seconds = 0.0 if self._since is None else time.monotonic() - self._since
        return Usage(**self._counts, cost=self._cost, seconds=seconds)

    @property
    def usual_tokens(self) -> int:
        """The mean number of tokens of an answer."""
        return self._counts["completion_tokens"] // max(1, self._counts["answered"])

    @contextmanager
    def under_way(self) -> Iterator[None]:
        """Count one attempt as in flight while the block runs."""
        self._since = self._since or time.monotonic()
        self._counts["sent"] += 1
        self._counts["in_flight"] += 1
        try:
            yield
        finally:
            self._counts["in_flight"] -= 1

    def add_call(self, call: Call, tokens: Tokens | None) -> None:
        """Count the result of an attempt; ``tokens`` are those of the call."""
        counts = self._counts
        counts["answered" if call.error is None else "failed"] += 1
        self._cost += call.cost or 0.0
        if tokens is not None:
            counts["prompt_tokens"] += tokens.prompt
            counts["completion_tokens"] += tokens.completion
            counts["unpriced"] += call.cost is None
            counts["estimated"] += tokens.estimated

    def add_stored(self) -> None:
        """Count an answer from the store."""
        self._since = self._since or time.monotonic()
        self._counts["from_rows"] += 1
