"""Adjudication: the queue of disputes, and one dispute with its case and all comments, without names."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import Screen

from reviewer.core.errors import ReviewerError, StoreError
from reviewer.core.pane import Pane
from reviewer.core.sanitize import counted, one_line
from reviewer.study.adjudication.adjudication_session import AdjudicationSession, DisputeState
from reviewer.study.adjudication.dispute_filter import DisputeFilter, dispute_counts
from reviewer.study.adjudication.rater_comments import RaterComment
from reviewer.tui.base_app import base_app
from reviewer.tui.dialogs.filter import FilterDialog, Offer, offers_for
from reviewer.tui.dialogs.reason import ReasonDialog
from reviewer.tui.keys.answer_keys import ANSWER_BINDINGS, answer_id, taken_keys
from reviewer.tui.keys.case_keys import CASE_KEYS, STEP_KEYS
from reviewer.tui.keys.named_keys import named_key
from reviewer.tui.rendering.literal import literal, literal_line
from reviewer.tui.rendering.pane_text import PaneText
from reviewer.tui.rendering.passages import (
    CommentedLinesOf,
    Passage,
    as_the_sides_stand,
    commented_lines,
    place_of,
    stands_in,
)
from reviewer.tui.screens.case_screen import CaseScreen, ShownItem, statement
from reviewer.tui.screens.list_screen import ListScreen
from reviewer.tui.widgets.item_list import ListedLines
from reviewer.tui.widgets.text_pane import PANE_KEYS

_SIGNS = {DisputeState.OPEN: "● open", DisputeState.SKIPPED: "↷ put off", DisputeState.ADJUDICATED: "✓"}
# The same ids as in the review, so that keys remapped there are remapped here too.
_DECIDES = (
    Binding("s", "put_off", "put off", id="review.skip", tooltip="Come back to this one later"),
    Binding("u", "undo", "undo", id="review.undo", tooltip="Take your last decision back"),
    Binding("o", "next_open", "next open", id="review.next-open", tooltip="Show the next open dispute"),
)


_FILTER = named_key(
    "disputes",
    "i",
    "narrow",
    "view only …",
    "only",
    "Show some disputes only: of one question, group or split",
)


class DisputeQueueScreen(ListScreen):
    """The disputes, those with the strongest split first; enter opens one."""

    BINDINGS: ClassVar[list[BindingType]] = [_FILTER]
    HINTS = (("disputes.only", "view only …"),)

    def __init__(self, session: AdjudicationSession) -> None:
        super().__init__("look and decide", self._open)
        self._session = session

    def on_screen_resume(self) -> None:
        """Draw the present state each time the screen comes up."""
        self._list()

    def _list(self) -> None:
        session, shown = self._session, self._session.shown
        items = [_item(session, index) for index in shown]
        at = shown.index(session.index) if session.index in shown else None
        self.show_items(_how_far(session), items, at, "No dispute matches this filter.")

    def _open(self, index: int) -> None:
        self._session.go_to(self._session.shown[index])
        self.app.push_screen(DisputeScreen(self._session))

    def action_narrow(self) -> None:
        """Ask which disputes to show."""
        narrow(self, self._session, self._list)


def narrow(screen: Screen[None], session: AdjudicationSession, then: Callable[[], None]) -> None:
    """Ask which disputes to show, and draw the screen again if one was chosen."""
    counts = dispute_counts(dispute.item_votes for dispute in session.disputes)
    offers = [_named(offer) for offer in offers_for(session.only, DisputeFilter(), counts)]

    def chosen(only: DisputeFilter | None) -> None:
        if only is not None:
            session.narrow(only)
            then()

    screen.app.push_screen(FilterDialog("show only", offers), chosen)


def _named(offer: Offer[DisputeFilter]) -> Offer[DisputeFilter]:
    """An offer whose words say that they are about votes."""
    return replace(offer, words=f"votes {offer.words}") if " : " in offer.words else offer


def _how_far(session: AdjudicationSession) -> str:
    counts = {state: session.count(state) for state in DisputeState}
    disputes, decided = len(session.disputes), counts[DisputeState.ADJUDICATED]
    told = [f"● {counts[DisputeState.OPEN]:,} open", f"↷ {counts[DisputeState.SKIPPED]:,} put off"]
    told.append(f"✓ {decided:,} decided")
    how = " · ".join(told) if decided < disputes else "✓ all decided, ready to export"
    only = f" · only {one_line(session.only.words, 40)}: {len(session.shown):,}" if session.only else ""
    who = f"{one_line(session.bundle.study.name, 24)} · {one_line(session.adjudicator, 16)} decides"
    return f"{who} · {counted(disputes, 'dispute')}: {how}{only}"


def _item(session: AdjudicationSession, index: int) -> ListedLines:
    """Two lines: state, question and case; the votes. A third line for the reason."""
    decision = session.decision_at(index)
    has_reason = decision is not None and bool(decision.adjudicated_label.reason)
    return ListedLines(2 + has_reason, partial(_told, session, index))


def _told(session: AdjudicationSession, index: int) -> Content:
    dispute, decision = session.disputes[index], session.decision_at(index)
    item_votes, sign = dispute.item_votes, _sign(session, index)
    votes = "  ".join(f"{one_line(label, 24)} {count}" for label, count in item_votes.counts.items())
    comments = sum(bool(comment.comments) for comment in dispute.comments)
    flags = sum(comment.flagged for comment in dispute.comments)
    remarks = [f"✎ {comments} with a comment"] * bool(comments) + [f"⚑ {flags} flagged"] * bool(flags)
    remarks = [item_votes.distance] * bool(item_votes.distance) + remarks
    lines = [
        Content.assemble(
            literal_line(sign, 30, "bold $foreground").pad_right(max(1, 14 - len(sign))),
            literal_line(item_votes.question.title, 30, "bold $foreground"),
            "  ",
            literal_line(f"{item_votes.place.key} · {item_votes.place.generator}", 60, "$foreground 70%"),
        ),
        literal("  " + "   ".join([votes, *remarks])),
    ]
    if decision is not None and decision.adjudicated_label.reason:
        told = f"“{decision.adjudicated_label.reason}” – {decision.event.rater}"
        lines.append(literal_line(told, 160, "italic $foreground 80%").pad_left(2))
    return Content("\n").join(lines)


def _sign(session: AdjudicationSession, index: int) -> str:
    state, decision = session.state_at(index), session.decision_at(index)
    label = f" {one_line(decision.label, 24)}" if decision and decision.label is not None else ""
    return _SIGNS[state] + label


class _Disputes:
    """The disputes of a queue as items, each with the comments for each label."""

    def __init__(self, session: AdjudicationSession) -> None:
        self._session = session

    def item(self) -> ShownItem:
        """The dispute that the session is at; the keys that decide come first."""
        session, question = self._session, self._session.dispute.item_votes.question
        decides = [(answer_id(index), one_line(label, 30)) for index, label in enumerate(question.labels)]
        *first, last = [(binding.id or "", binding.description) for binding in _DECIDES]
        return ShownItem(
            (session.index, session.decision and session.decision.event.id),
            self._heading(),
            session.wording,
            self._statements(),
            lambda width: session.sheet(),
            (*decides, *first, *DisputeQueueScreen.HINTS),
            (last,),
            self._commented_lines(),
        )

    def step(self, by: int) -> None:
        """Go to another dispute of the queue."""
        self._session.step(by)

    def _heading(self) -> str:
        session, item_votes = self._session, self._session.dispute.item_votes
        place = f"{item_votes.question.title} · {item_votes.place.key} · {item_votes.place.generator}"
        place += f" · {item_votes.distance}" if item_votes.distance else ""
        at = f"{_sign(session, session.index)} · dispute {session.index + 1} of {len(session.disputes)}"
        return f"{at} · {session.count(DisputeState.OPEN)} open · {place}"

    def _panes(self) -> Sequence[Pane]:
        try:
            return [*self._session.sheet()]
        except ReviewerError:
            return ()

    def _commented_lines(self) -> CommentedLinesOf | None:
        """A function that finds the lines that raters' comments are about."""
        about = [
            passage for comment in self._session.dispute.comments for passage in _passages(comment).values()
        ]
        return commented_lines(about, self._panes())

    def _statements(self) -> list[PaneText]:
        """A pane for each label with its raters, one for raters without a label, one for the decision."""
        dispute, decision = self._session.dispute, self._session.decision
        labels = dispute.item_votes.question.labels
        sides = [(label, [v for v in dispute.comments if v.label == label]) for label in labels]
        silent = [comment for comment in dispute.comments if comment.label is None]
        panes = self._panes()
        sheets = [_side(label, comments, panes) for label, comments in sides if comments]
        sheets += [_side("no label", silent, panes)] if silent else []
        if decision is not None:
            told = literal(decision.adjudicated_label.reason or "Put off for later.")
            sheets.append((f"{_sign(self._session, self._session.index)} · {decision.event.rater}", told))
        return [statement(part, title, content) for part, (title, content) in enumerate(sheets)]


class DisputeScreen(CaseScreen):
    """The comments for each label, and the case; an answer key decides, after asking for a reason."""

    BINDINGS: ClassVar[list[BindingType]] = [*ANSWER_BINDINGS, *_DECIDES, _FILTER]

    def __init__(self, session: AdjudicationSession) -> None:
        super().__init__(_Disputes(session))
        self._session = session

    def draw(self) -> None:
        """Draw the dispute, with the keys of its question's labels."""
        self._bind_answers()
        super().draw()

    def on_screen_resume(self) -> None:
        """The screen above may have had other answers."""
        self._bind_answers()

    def _bind_answers(self) -> None:
        taken = taken_keys((*STEP_KEYS, *CASE_KEYS, *_DECIDES, *PANE_KEYS), base_app(self).settings.keys)
        base_app(self).bind_answers(self._session.dispute.item_votes.question, taken)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Only the labels of the question can be decided on."""
        labels = self._session.dispute.item_votes.question.labels
        return action != "answer" or parameters[0] in range(len(labels))

    # -- keys that save ----------------------------------------------------------------------------

    def action_answer(self, index: int) -> None:
        """Ask why, then save the decision and show the next open dispute."""
        try:
            self._session.check_case()
        except StoreError as error:
            self.tell(f"not saved – {error}", failed=True)
            return
        label = self._session.dispute.item_votes.question.labels[index]
        self._ask(label, "")

    def _ask(self, label: str, reason: str) -> None:
        def decide(reason: str | None) -> None:
            if reason is not None:
                self._decide(label, reason)

        self.app.push_screen(ReasonDialog(label, reason), decide)

    def _decide(self, label: str, reason: str) -> None:
        number = self._session.index + 1

        def decide() -> str:
            self._session.decide(label, reason)
            more = self._session.next_open()
            return f"✓ saved  dispute {number} = {label}" + ("" if more else "   nothing else is open")

        self._save(decide, lambda: self._ask(label, reason))

    def action_put_off(self) -> None:
        """Put the dispute off for later."""

        def put_off() -> str:
            if self._session.put_off() is None:
                return "It keeps its decision."
            more = self._session.next_open()
            return "✓ saved  put off" + ("" if more else "   nothing else is open")

        self._save(put_off)

    def action_undo(self) -> None:
        """Take back this person's newest decision."""

        def undo() -> str:
            taken = self._session.undo()
            return "There is nothing of yours to take back." if taken is None else "✓ taken back"

        self._save(undo)

    def action_narrow(self) -> None:
        """Ask which disputes to show."""
        narrow(self, self._session, self.draw)

    def action_next_open(self) -> None:
        """Show the next open dispute."""
        moved = self._session.next_open()
        self.tell("" if moved else "Nothing else is open.")
        self.draw()

    def _save(self, operation: Callable[[], str], again: Callable[[], None] | None = None) -> None:
        """Do it, then draw. Where it fails, say why, and restore the typed text."""

        def do() -> None:
            told = operation()
            self.draw()
            self.tell(told)

        def failed(error: ReviewerError) -> None:
            self.draw()
            self.tell(f"not saved – {error}", failed=True)
            if again is not None:
                again()

        self.store.run(do, failed)


def _side(label: str, comments: list[RaterComment], panes: Sequence[Pane]) -> tuple[str, Content]:
    """A title, and a paragraph for each rater."""
    paragraphs = [_comment(comment, panes) for comment in comments]
    return f"{one_line(label, 24)} · {len(comments)}", Content("\n").join(paragraphs)


def _comment(comment: RaterComment, panes: Sequence[Pane]) -> Content:
    """The rater's number with flag and second answer; comments with passages, reasons and other answers."""
    signs = ["⚑ flagged"] * comment.flagged + ["⌛ other wording"] * comment.outdated
    signs += ["⇄ saw the sides exchanged"] * comment.swapped
    signs += [f"after the reveal: {one_line(comment.later, 24)}"] if comment.later is not None else []
    lines = [literal("  ".join([f"rater {comment.number}", *signs]), "muted")]
    passages = _passages(comment)
    for text in comment.comments:
        passage = passages.get(text)
        if passage is not None and stands_in(passage, panes):
            lines.append(literal(f"in {place_of(passage, panes)}: “{one_line(passage.quote, 200)}”", "muted"))
        lines.append(literal(f"✎ {text}"))
    lines += [literal(f"✎ {reason}") for reason in comment.reasons]
    others = ", ".join(f"{title}: {one_line(label, 24)}" for title, label in comment.elsewhere)
    lines += [literal(f"elsewhere on this case: {others}", "muted")] if others else []
    return Content("\n").join(lines)


def _passages(comment: RaterComment) -> dict[str, Passage]:
    """The passage that each comment is about, with the sides as they truly stand."""
    known = ((text, Passage.of_json(value)) for text, value in comment.passages.items())
    return {
        text: as_the_sides_stand(passage, exchanged=comment.swapped)
        for text, passage in known
        if passage is not None
    }
