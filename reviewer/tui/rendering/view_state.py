"""What a rater sees now, as one plain value from which every widget of the review screen draws."""

from collections.abc import Hashable
from dataclasses import dataclass

from reviewer.core.pane import Sheet, Tree
from reviewer.core.question import Question, answer_in_words
from reviewer.study.session.review_session import ReviewSession
from reviewer.study.session.review_stages import Stage
from reviewer.study.session.slot_order import RaterPosition
from reviewer.study.session.verdicts import State, Verdict
from reviewer.tui.keys.label_keys import MORE_ANSWERS, NO_LABEL, SAVE_CHOICE, TIE, answer_id

SIGNS = {State.OPEN: "●", State.SKIPPED: "↷", State.LABELLED: "✓"}
BLOCK_ROWS = 12
"""The most questions about one case that are listed at a time."""
_PRACTISED = 10
"""Cases after which the guideline of a question folds."""


@dataclass(frozen=True, slots=True)
class BlockRow:
    """One of the questions about a case that are answered together, with the saved answer in words."""

    title: str
    state: State
    answer: str
    here: bool
    """Whether the answer keys answer this one."""


@dataclass(frozen=True, slots=True)
class ViewState:
    """One slot in its present state; ``minutes_left`` is None while the rater's pace is not known."""

    study: str
    rater: str
    place: RaterPosition
    question: Question
    wording: str
    verdict: Verdict
    stage: Stage
    remark: str
    """The sentence for this stage; "" at the first verdict."""
    reveals: bool
    """Whether the rater can ask for the panes that their answer reveals."""
    waiting: bool
    """Whether the rater must press one more key after the answer that was given here."""
    stale: bool
    sheet: Sheet
    done: int
    total: int
    minutes_left: int | None
    labels: tuple[str, ...] = ()
    """The labels that are shown with keys, in their places."""
    choice: str | None = None
    """What several keys put together and nobody saved yet, "" for nothing; None if there is none."""
    draft: str = ""
    """A text that is not saved yet."""
    block: tuple[BlockRow, ...] = ()
    """All questions about the case, where they follow each other; none if there is only one."""

    @property
    def in_sight(self) -> Hashable:
        """What the rater has in sight of the question: of a block, all questions about the same panes."""
        question = self.question
        return (question.shows, question.beside) if self.block else question.key

    @property
    def answer(self) -> str:
        """The saved answer in words; "" if there is none."""
        return answer_in_words(self.question, self.verdict.label or "") if self.verdict.label else ""

    @property
    def in_hand(self) -> str:
        """The choice, or else the saved answer; "" for neither."""
        return (self.verdict.label or "") if self.choice is None else self.choice

    @property
    def signs(self) -> dict[str, str]:
        """The labels that the answer in hand names, each with its sign."""
        return self.question.answer_kind.signs(self.question, self.in_hand)

    @property
    def practised(self) -> bool:
        """Whether the rater has seen so many cases of the question that a key for its guideline is enough."""
        return not self.place.training and self.place.case_number > _PRACTISED


def view_state_of(session: ReviewSession) -> ViewState:
    """The view of a session as it is now."""
    return ViewState(
        study=session.bundle.study.name,
        rater=session.rater,
        place=session.place,
        question=session.question,
        wording=session.wording,
        verdict=session.verdict,
        stage=session.stage,
        remark=session.remark,
        reveals=session.reveal_obstacle is None,
        waiting=session.waiting,
        stale=session.stale,
        sheet=session.sheet(),
        done=session.done_count,
        total=len(session.slots),
        minutes_left=session.minutes_left,
        block=_block_of(session),
    )


def _block_of(session: ReviewSession) -> tuple[BlockRow, ...]:
    positions = session.block
    if len(positions) == 1:
        return ()
    of_one = len({session.question_at(position).family for position in positions}) == 1
    return tuple(_row_of(session, position, by_entry=of_one) for position in positions)


def _row_of(session: ReviewSession, position: int, *, by_entry: bool) -> BlockRow:
    verdict = session.verdict_at(position)
    question = session.question_at(position)
    answer = answer_in_words(question, verdict.label) if verdict.label else ""
    title = (by_entry and session.entry_at(position)) or question.title
    return BlockRow(title, verdict.state, answer, position == session.position)


def revealed_tab(view: ViewState) -> str | None:
    """The key of the pane to show first in the narrow layout after an answer has revealed panes."""
    if view.stage is not Stage.SECOND:
        return None
    return next((pane.key for pane in view.sheet if pane.key in view.question.reveals), None)


def idle_keys(view: ViewState) -> frozenset[str]:
    """The keys, by binding id, that would do nothing now except say why."""
    is_feedback = view.stage is Stage.FEEDBACK
    has_words = any(isinstance(pane.body, Tree) and pane.body.in_words for pane in view.sheet)
    idle = {
        "review.next-difference": not any(pane.compares for pane in view.sheet),
        "review.in-words": not has_words,
        "review.skip": view.place.training,
        "review.reveal": not view.reveals,
        "review.undo": is_feedback or (view.stage is Stage.SECOND and view.waiting),
        **{answer_id(index): is_feedback for index in range(len(view.labels))},
        **dict.fromkeys((MORE_ANSWERS, NO_LABEL, TIE, SAVE_CHOICE), is_feedback),
    }
    return frozenset(name for name, is_idle in idle.items() if is_idle)


def verdict_words(view: ViewState) -> tuple[str, ...]:
    """The state of a rater's verdict on a case, each part as a sign and a word."""
    verdict = view.verdict
    words = {State.OPEN: "open", State.SKIPPED: "skipped", State.LABELLED: view.answer}[verdict.state]
    first = f"{SIGNS[verdict.state]} {words}"
    unsaved = bool(view.draft or view.choice)
    ranked = view.question.answer_kind.is_ranked and view.choice
    draft = f"✎ {answer_in_words(view.question, view.choice or '')}, not saved" if ranked else "✎ not saved"
    more = {draft: unsaved, "⚑ flagged": verdict.flagged, "✎ comment": bool(verdict.comment)}
    more |= {"⌛ stale": view.stale}
    return (first, *(words for words, holds in more.items() if holds))
