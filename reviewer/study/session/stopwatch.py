"""How long somebody was at work: time counts while keys, clicks and scrolls come, and stops soon after."""

import time
from collections.abc import Callable, Iterable
from operator import attrgetter
from statistics import median

from store.records import Event

_PACE_OF = 20
_PACE_FROM = 5


class ActiveClock:
    """Active seconds so far: of a pause without any sign of life, only the first ``idle_seconds`` count.

    It stands in for a clock, so that the difference of two readings is the active time between them.
    """

    def __init__(self, idle_seconds: float, now: Callable[[], float] = time.monotonic) -> None:
        self._idle, self._now = idle_seconds, now
        self._counted = 0.0
        self._touched = now()

    def touch(self) -> None:
        """A key, a click, a scroll: whoever it is, is there."""
        self._counted, self._touched = self(), self._now()

    def __call__(self) -> float:
        """Active seconds since this clock was made."""
        return self._counted + min(self._now() - self._touched, self._idle)


def minutes_left(events: Iterable[Event], left: int) -> int | None:
    """Minutes that ``left`` labels take at the median pace of the newest 20; None for fewer than 5."""
    labels = [event for event in events if event.kind == "label" and event.active_ms is not None]
    # They come in order all but a few, which sorting makes use of: a rater may have given thousands.
    times = [event.active_ms or 0 for event in sorted(labels, key=attrgetter("id"))[-_PACE_OF:]]
    if len(times) < _PACE_FROM or not left:
        return None
    return max(1, round(left * median(times) / 60_000))
