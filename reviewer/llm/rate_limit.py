"""The rate limit: requests and tokens in any minute, and pauses that a server asks for."""

import asyncio
import math
import time
from collections import Counter, deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Protocol

from reviewer.llm.request_errors import Stopped

_MINUTE = 60.0
_SHARE_OF_GAP, _LEAST_GAP = 0.5, 0.003
"""Requests keep this share of their usual distance, if it takes longer than the work on a request here."""
_FORGETS = 1.02
"""The shortest time grows by this factor with each answer, so that it follows a server that gets slower."""


class RateSlot:
    """One request of the last minute; its tokens are a guess until the server has counted them."""

    def __init__(self, at: float, tokens: int) -> None:
        self.at = at
        self.tokens = tokens

    def count(self, tokens: int) -> None:
        """The request has taken this number of tokens."""
        self.tokens = tokens

    def give_back(self) -> None:
        """The request was not sent."""
        self.tokens = 0


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


class Spacing:
    """Keeps requests from going out in bursts (all times in seconds).

    A server that takes equally long for each request answers a whole burst at once. Every answer then waits
    for the work on all others, and the next requests go out as a burst again. What counts is the shortest
    time of late, which holds the least of this work.
    """

    def __init__(self, at_once: int) -> None:
        """``at_once`` requests are under way at a time."""
        self._at_once = at_once
        self._shortest, self._next = math.inf, 0.0

    def answered(self, seconds: float) -> None:
        """A request took this long."""
        self._shortest = min(self._shortest * _FORGETS, seconds)

    def wait(self, now: float) -> float:
        """Seconds until the next request should go out; its place in the order is taken."""
        gap = _SHARE_OF_GAP * self._shortest / self._at_once
        if not _LEAST_GAP <= gap < math.inf:
            return 0.0
        at = max(self._next, now)
        self._next = at + gap
        return at - now


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
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):  # wait_for has a task of its own
                await self._stopped.wait()
        self.check()

    @property
    def stopped(self) -> bool:
        """Whether nothing more is admitted."""
        return self._stopped.is_set()

    def stop(self) -> None:
        """Admit nothing more."""
        self._stopped.set()

    def check(self) -> None:
        """Raise Stopped if the run was stopped."""
        if self._stopped.is_set():
            raise Stopped("the run was stopped; requests in flight were finished and stored.")


class Portion(Protocol):
    """What a process may send soon; or nothing, and in how many seconds to ask again."""

    @property
    def requests(self) -> int:
        """Requests that may be sent."""
        ...

    @property
    def tokens(self) -> int:
        """Their tokens in all."""
        ...

    @property
    def second(self) -> int:
        """What identifies the portion when it is corrected."""
        ...

    @property
    def wait(self) -> float:
        """Seconds until more may be sent, if nothing may be."""
        ...


class SharedLimits(Protocol):
    """Limits that several processes keep together."""

    seconds: float
    """How long a portion may be used."""

    def check(self) -> None:
        """Raise NotSent if this process may send nothing now."""
        ...

    def draw(
        self, requests: int, tokens: int, least: int, corrections: Mapping[int, tuple[int, int]]
    ) -> Portion:
        """A portion; ``least`` are the tokens of the next request. It is called in a thread.

        ``corrections`` change the requests and tokens that were counted for earlier portions.
        """
        ...


class SharedRateLimit(RateLimit):
    """Admits requests from portions of limits that several processes keep together."""

    _FIRST_PORTION = 8
    _LONGEST_PAUSE = 1.0
    _MORE = 1.25
    """A portion has this multiple of the requests that the last one suggests."""

    def __init__(self, shared: SharedLimits, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(Window(None, None), clock)
        self._shared = shared
        self._requests = self._tokens = self._second = self._used = 0
        self._drawn_at = -math.inf
        self._corrections = Counter[tuple[int, str]]()

    def check(self) -> None:
        """Raise NotSent if the run was stopped, or if this process may send nothing now."""
        super().check()
        self._shared.check()

    async def take_slot(self, tokens: int) -> RateSlot:
        """Wait until a request with this number of tokens may be sent, and count it; raises NotSent."""
        async with self._queue:
            while True:
                self.check()
                wait = self._wait(tokens)
                if wait <= 0 and self._fits(tokens):
                    return self._taken(tokens)
                if wait <= 0:
                    wait = await self._draw(tokens)
                await self.pause(min(wait, self._LONGEST_PAUSE))

    def _fits(self, tokens: int) -> bool:
        fresh = self._clock() < self._drawn_at + self._shared.seconds
        return fresh and self._requests > 0 and self._tokens >= tokens

    def _taken(self, tokens: int) -> RateSlot:
        self._requests, self._tokens, self._used = self._requests - 1, self._tokens - tokens, self._used + 1
        return _PortionSlot(self._clock(), tokens, self._second, self._corrections)

    async def _draw(self, tokens: int) -> float:
        """Ask for the next portion; returns the seconds to wait if there is none."""
        now = self._clock()
        elapsed = min(max(now - self._drawn_at, 0.1), self._shared.seconds)
        usual = self._used / elapsed * self._shared.seconds * self._MORE
        wanted = max(math.ceil(usual), 1) if self._used else self._FIRST_PORTION
        self._corrections[self._second, "requests"] -= self._requests
        self._corrections[self._second, "tokens"] -= self._tokens
        news = Counter(self._corrections)
        self._corrections.clear()  # every slot adds to this very counter
        said = {at: (news[at, "requests"], news[at, "tokens"]) for at, _ in list(news)}
        self._requests = self._tokens = 0
        portion = await asyncio.to_thread(self._shared.draw, wanted, wanted * tokens, tokens, said)
        self._requests, self._tokens, self._second = portion.requests, portion.tokens, portion.second
        if portion.requests:
            self._drawn_at, self._used = now, 0
        return portion.wait


class _PortionSlot(RateSlot):
    """One request of a portion; what the portion counted too much or too little is told at the next one."""

    def __init__(self, at: float, tokens: int, second: int, corrections: Counter[tuple[int, str]]) -> None:
        super().__init__(at, tokens)
        self._second, self._corrections = second, corrections

    def count(self, tokens: int) -> None:
        self._corrections[self._second, "tokens"] += tokens - self.tokens
        super().count(tokens)

    def give_back(self) -> None:
        self._corrections[self._second, "requests"] -= 1
        self.count(0)
