"""Model clients for tests: settings that lose no time, and rows kept in a list."""

from collections.abc import Sequence
from typing import Any

from reviewer.llm.model_settings import CallLimits, Endpoint, ModelSettings, Price, RetryLimits
from reviewer.llm.request import ChatMessage, ModelRequest
from store.records import Call

KEY = "sk-test-4242-not-a-real-key"
QUICK = RetryLimits(connect=2, stall=0.3, total=5, attempts=3, backoff=0.01, longest=2)


class Rows:
    """Rows of calls in memory."""

    def __init__(self, *rows: Call) -> None:
        self.rows = list(rows)

    def keep(self, calls: Sequence[Call]) -> None:
        self.rows += calls

    def answers_to(self, digests: Sequence[str], endpoint: str) -> dict[str, Call]:
        answered = [row for row in self.rows if row.endpoint == endpoint and row.error is None]
        return {row.ask: row for row in answered if row.ask in digests}


def question(text: str = "Which one?", **changed: Any) -> ModelRequest:
    """A request that is complete in one line."""
    parts: dict[str, Any] = {"model": "m1", "messages": (ChatMessage("user", text),), "purpose": "test"}
    return ModelRequest(**(parts | changed))


def settings(url: str, patience: RetryLimits = QUICK, key: str | None = KEY, **changed: Any) -> ModelSettings:
    """Settings for a server on loopback; ``changed`` are limits, or fresh and prices."""
    own = {name: changed.pop(name) for name in ("fresh", "prices") if name in changed}
    endpoint = Endpoint(url, "TEST_KEY" if key else None, key)
    return ModelSettings(endpoint, CallLimits(**changed), patience, **own)


PRICES = {"m1": Price(prompt=1_000_000, completion=2_000_000)}
"""One unit a prompt token, two a token of the answer."""
