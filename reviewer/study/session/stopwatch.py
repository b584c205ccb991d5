"""Active working time: it counts while a rater presses keys, clicks or scrolls, and stops soon after."""

import time
from collections.abc import Callable, Iterable
from operator import attrgetter
from statistics import median

from store.records import Event

_PACE_OF = 20
_PACE_FROM = 5


class ActiveClock:
    """Counts active seconds: of a pause without input, only the first ``idle_seconds`` count.

    It can replace a clock: the difference of two readings is the active time between them.
    """

    def __init__(self, idle_seconds: float, now: Callable[[], float] = time.monotonic) -> None:
        self._idle, self._now = idle_seconds, now
        self._counted = 0.0
        self._touched = now()

    def touch(self) -> None:
        """Record input: a key, a click or a scroll."""
        self._counted, self._touched = self(), self._now()

    def __call__(self) -> float:
        """Active seconds since this clock was made."""
        return self._counted + min(self._now() - self._touched, self._idle)


def minutes_left(events: Iterable[Event], left: int) -> int | None:
    """Minutes for ``left`` more labels at the median time of the newest 20; None with fewer than 5 labels."""
    labels = [event for event in events if event.kind == "label" and event.active_ms is not None]
    # They are almost in order, which makes sorting fast: a rater may have given thousands.
    times = [event.active_ms or 0 for event in sorted(labels, key=attrgetter("id"))[-_PACE_OF:]]
    if len(times) < _PACE_FROM or not left:
        return None
    return max(1, round(left * median(times) / 60_000))
