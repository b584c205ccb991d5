"""Active working time: it counts while a rater presses keys, clicks or scrolls, and stops soon after."""

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import attrgetter
from statistics import median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from store.records import Event

MOST_READINGS = 5
"""How often the texts on the screen can be read in a pause that counts."""
_PACE_OF = 40
_PACE_FROM = 5
USUAL_SECONDS = 28
"""What experts took for one answer in trials (median), before a rater's own pace is known."""
_STEPS = ((8, 1), (30, 5), (90, 10))
"""Minutes, and the step to which estimates below them are rounded; above the last one: ``_COARSEST``."""
_COARSEST = 15


class ActiveClock:
    """Counts active seconds: of a pause without input, only the first ``idle_seconds`` count.

    Reading for long is not idling: where the texts on the screen take long to read, more of a pause counts.
    It can replace a clock: the difference of two readings is the active time between them. A person sets the
    seconds (``core/personal_settings.py``).
    """

    def __init__(self, idle_seconds: float, now: Callable[[], float] = time.monotonic) -> None:
        self._idle = self._limit = idle_seconds
        self._now = now
        self._counted = 0.0
        self._touched = now()

    def touch(self) -> None:
        """Record input: a key, a click or a scroll."""
        self._counted, self._touched = self(), self._now()

    def allow(self, reading_seconds: float) -> None:
        """Count a pause up to five times as long as a fast reader needs for the text on the screen.

        No pause counts for less than usual. Call it when something new is shown, which input brought about.
        """
        self._limit = max(self._idle, MOST_READINGS * reading_seconds)

    def __call__(self) -> float:
        """Active seconds since this clock was made."""
        return self._counted + min(self._now() - self._touched, self._limit)


def minutes_left(events: "Iterable[Event]", left: Mapping[str, int]) -> int | None:
    """Rounded minutes for the verdicts that are left of each question; None with fewer than 5 verdicts.

    Each question counts at the median time of its verdicts. While they are few, the median of all verdicts
    weighs in as if it were 5 more, so that the estimate does not jump when a question begins.
    """
    times = _times(events)
    known = [spent for of_question in times.values() for spent in of_question]
    if len(known) < _PACE_FROM or not any(left.values()):
        return None
    usual = _steadied(known, USUAL_SECONDS * 1000)
    paces = {key: _steadied(times.get(key, ()), usual) for key in left}
    return _rounded(sum(count * paces[key] for key, count in left.items()) / 60_000)


def usual_minutes(verdicts: int, seconds_each: float = USUAL_SECONDS) -> int:
    """Minutes that a rater usually needs for this number of verdicts, from 10 on in steps of 5."""
    minutes = verdicts * seconds_each / 60
    return max(1, round(minutes)) if minutes < 10 else 5 * round(minutes / 5)


def _steadied(times: Sequence[int], usual: float) -> float:
    """The median, drawn towards the usual time as if this had been measured 5 times."""
    if not times:
        return usual
    return (median(times) * len(times) + usual * _PACE_FROM) / (len(times) + _PACE_FROM)


def _times(events: "Iterable[Event]") -> Mapping[str, Sequence[int]]:
    """Question → active milliseconds of its newest verdicts; all labels of one verdict are added up."""
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
