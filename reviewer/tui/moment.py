"""What a rater sees at one moment, as one plain value that every widget of the review screen draws from."""

from dataclasses import dataclass
from heapq import nlargest
from operator import attrgetter
from statistics import median

from reviewer.core.pane import Pane, Sheet, Text
from reviewer.core.question import Question
from reviewer.study.session import Place, ReviewSession
from reviewer.study.verdicts import State, Verdict

GUIDELINE = "guideline"
_PACE_OF = 20
_PACE_FROM = 5
# Somebody who was away for longer was not reading.
_IDLE_MS = 300_000


@dataclass(frozen=True, slots=True)
class Moment:
    """One slot as it stands now; ``minutes_left`` is None while the rater's pace is not known."""

    study: str
    rater: str
    place: Place
    question: Question
    wording: str
    verdict: Verdict
    stale: bool
    sheet: Sheet
    done: int
    total: int
    minutes_left: int | None

    @property
    def guideline(self) -> Pane:
        """The guideline as a pane."""
        return Pane(GUIDELINE, GUIDELINE, Text(self.question.guideline))


def moment_of(session: ReviewSession) -> Moment:
    """The moment that the session is at."""
    return Moment(
        study=session.bundle.study.name,
        rater=session.rater,
        place=session.place,
        question=session.question,
        wording=session.wording,
        verdict=session.verdict,
        stale=session.stale,
        sheet=session.sheet(),
        done=session.done_count,
        total=len(session.slots),
        minutes_left=_minutes_left(session),
    )


def standing(verdict: Verdict, stale: bool) -> tuple[str, ...]:
    """Where the rater stands, each a glyph and a word."""
    first = {
        State.OPEN: "● open",
        State.SKIPPED: "↷ skipped",
        State.LABELLED: f"✓ {verdict.label}",
    }[verdict.state]
    more = {"⚑ flagged": verdict.flagged, "✎ comment": bool(verdict.comment), "⌛ stale": stale}
    return (first, *(words for words, holds in more.items() if holds))


def _minutes_left(session: ReviewSession) -> int | None:
    """What is open, at the median pace of the newest labels."""
    labels = (event for event in session.history.events.values() if event.kind == "label")
    times = [
        min(event.active_ms, _IDLE_MS)
        for event in nlargest(_PACE_OF, labels, key=attrgetter("id"))
        if event.active_ms is not None
    ]
    if len(times) < _PACE_FROM or session.finished:
        return None
    left = len(session.slots) - session.done_count
    return max(1, round(left * median(times) / 60_000))
