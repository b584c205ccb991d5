"""The rate limit: requests and tokens in any minute, and pauses that a server asks for."""

import asyncio
import time
from collections import deque
from collections.abc import Callable

from reviewer.llm.errors import Stopped

_MINUTE = 60.0


class RateSlot:
    """One request of the last minute; its tokens are a guess until the server has counted them."""

    def __init__(self, at: float, tokens: int) -> None:
        self.at = at
        self.tokens = tokens


class Window:
    """The requests of the last minute, and when the next one fits (all times in seconds)."""

    def __init__(self, requests: int | None, tokens: int | None) -> None:
        self._most_requests = requests
        self._most_tokens = tokens
        self._slots: deque[RateSlot] = deque()

    def wait(self, now: float, tokens: int) -> float:
        """Seconds until a request with this number of tokens fits; 0 if it fits now.

        A request larger than the tokens of a whole minute fits once the minute holds no other request.
        """
        while self._slots and self._slots[0].at <= now - _MINUTE:
            self._slots.popleft()
        requests, used = len(self._slots), sum(slot.tokens for slot in self._slots)
        if self._fits(requests, used, tokens):
            return 0.0
        for slot in self._slots:
            requests, used = requests - 1, used - slot.tokens
            if self._fits(requests, used, tokens):
                break
        return slot.at + _MINUTE - now

    def _fits(self, requests: int, used: int, tokens: int) -> bool:
        """Whether another request fits with those of the minute; if there are none, any request fits."""
        if requests == 0:
            return True
        few = self._most_requests is None or requests < self._most_requests
        return few and (self._most_tokens is None or used + tokens <= self._most_tokens)

    def take(self, now: float, tokens: int) -> RateSlot:
        """Count a request in the minute that begins now."""
        slot = RateSlot(now, tokens)
        if self._most_requests is not None or self._most_tokens is not None:
            self._slots.append(slot)
        return slot


class RateLimit:
    """Admits requests one after another as the limits allow; a stop ends every wait."""

    def __init__(self, window: Window, clock: Callable[[], float] = time.monotonic) -> None:
        self._window = window
        self._clock = clock
        self._held_until = 0.0
        self._queue = asyncio.Lock()
        self._stopped = asyncio.Event()

    async def take_slot(self, tokens: int) -> RateSlot:
        """Wait until a request with this number of tokens may be sent, and count it; raises Stopped."""
        async with self._queue:
            while (seconds := self._wait(tokens)) > 0:
                await self.pause(seconds)
            self.check()
            return self._window.take(self._clock(), tokens)

    def _wait(self, tokens: int) -> float:
        now = self._clock()
        return max(self._held_until - now, self._window.wait(now, tokens))

    def hold(self, seconds: float) -> None:
        """Admit nothing for this time, as an overloaded server asked."""
        self._held_until = max(self._held_until, self._clock() + seconds)

    async def pause(self, seconds: float) -> None:
        """Sleep; raises Stopped as soon as the run is stopped."""
        try:
            await asyncio.wait_for(self._stopped.wait(), seconds)
        except TimeoutError:
            return
        self.check()

    def stop(self) -> None:
        """Admit nothing more."""
        self._stopped.set()

    def check(self) -> None:
        """Raise Stopped if the run was stopped."""
        if self._stopped.is_set():
            raise Stopped("the run was stopped; requests in flight were finished and stored.")
