"""What a rater sees at one moment, as one plain value that every widget of the review screen draws from."""

from dataclasses import dataclass

from reviewer.core.pane import Pane, Sheet, Text
from reviewer.core.question import Question
from reviewer.study.order import Place
from reviewer.study.session import ReviewSession
from reviewer.study.stages import Stage
from reviewer.study.stopwatch import minutes_left
from reviewer.study.verdicts import State, Verdict

GUIDELINE = "guideline"


@dataclass(frozen=True, slots=True)
class Moment:
    """One slot as it stands now; ``minutes_left`` is None while the rater's pace is not known."""

    study: str
    rater: str
    place: Place
    question: Question
    wording: str
    verdict: Verdict
    stage: Stage
    remark: str
    """What there is to say at this stage; "" where a first verdict is asked for."""
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
        stage=session.stage,
        remark=session.remark,
        stale=session.stale,
        sheet=session.sheet(),
        done=session.done_count,
        total=len(session.slots),
        minutes_left=minutes_left(session.history.events.values(), len(session.slots) - session.done_count),
    )


def revealed_tab(moment: Moment) -> str | None:
    """The pane, by its key, to show first where one is seen at a time and an answer has revealed more."""
    if moment.stage is not Stage.SECOND:
        return None
    return next((pane.key for pane in moment.sheet if pane.key in moment.question.reveals), None)


def standing(verdict: Verdict, stale: bool) -> tuple[str, ...]:
    """Where the rater stands, each a glyph and a word."""
    first = {
        State.OPEN: "● open",
        State.SKIPPED: "↷ skipped",
        State.LABELLED: f"✓ {verdict.label}",
    }[verdict.state]
    more = {"⚑ flagged": verdict.flagged, "✎ comment": bool(verdict.comment), "⌛ stale": stale}
    return (first, *(words for words, holds in more.items() if holds))
