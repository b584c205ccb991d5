"""Active working time: it counts while a rater presses keys, clicks or scrolls, and stops soon after."""

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import attrgetter
from statistics import median

from store.records import Event

_PACE_OF = 20
_PACE_FROM = 5
_USUAL_SECONDS = 28
"""What experts took for one answer in trials (median), before a rater's own pace is known."""
_STEPS = ((10, 1), (60, 5))
"""Below so many minutes, estimates are rounded to this step; above the last one to ``_COARSEST``."""
_COARSEST = 10


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


def minutes_left(events: Iterable[Event], left: Mapping[str, int]) -> int | None:
    """Rounded minutes for the verdicts that are left of each question; None with fewer than 5 verdicts.

    Each question counts at the median time of its newest 20 verdicts. While it has fewer than 5, the median
    of all questions stands in for the missing ones, so that the estimate does not jump at a new question.
    """
    times = _times(events)
    known = [spent for of_question in times.values() for spent in of_question]
    if len(known) < _PACE_FROM or not any(left.values()):
        return None
    usual = median(known)
    paces = {key: _pace(times.get(key, ()), usual) for key in left}
    return _rounded(sum(count * paces[key] for key, count in left.items()) / 60_000)


def usual_minutes(verdicts: int) -> int:
    """Rounded minutes that a rater usually needs for this number of verdicts."""
    return _rounded(verdicts * _USUAL_SECONDS / 60)


def _pace(times: Sequence[int], usual: float) -> float:
    own: list[float] = [*times]
    return median(own + [usual] * (_PACE_FROM - len(own)))


def _times(events: Iterable[Event]) -> Mapping[str, Sequence[int]]:
    """Question → active milliseconds of its newest 20 verdicts; all labels of one verdict are added up."""
    spent: dict[tuple[str, str, int], int] = {}
    # They are almost in order, which makes sorting fast: a rater may have given thousands.
    for event in sorted(events, key=attrgetter("id")):
        if event.kind == "label" and event.active_ms is not None:
            about = (event.question, event.case, event.showing)
            spent[about] = spent.get(about, 0) + event.active_ms
    times: dict[str, list[int]] = defaultdict(list)
    for (question, _, _), milliseconds in spent.items():
        times[question].append(milliseconds)
    return {question: of_question[-_PACE_OF:] for question, of_question in times.items()}


def _rounded(minutes: float) -> int:
    step = next((step for below, step in _STEPS if minutes < below), _COARSEST)
    return max(1, round(minutes / step) * step)
