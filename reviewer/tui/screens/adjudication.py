"""Adjudication: the queue of disputes, and one dispute with its case and all comments, without names."""

from collections.abc import Callable
from functools import partial
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.binding import BindingsMap as Bindings
from textual.content import Content
from textual.screen import Screen
from textual.widgets import OptionList, Static

from reviewer.core.errors import ReviewerError, StoreError
from reviewer.core.pane import Sheet
from reviewer.core.sanitize import counted, one_line
from reviewer.study.adjudication.adjudication_session import AdjudicationSession, DisputeState
from reviewer.study.adjudication.rater_comments import RaterComment
from reviewer.tui.base_app import base_app
from reviewer.tui.dialogs.key_sheet import KeySheet
from reviewer.tui.dialogs.reason import ReasonDialog
from reviewer.tui.keys.answer_keys import answer_bindings, taken_keys
from reviewer.tui.rendering.literal import literal, literal_line
from reviewer.tui.rendering.pane_text import PaneText
from reviewer.tui.screens.case_screen import CaseScreen, statement
from reviewer.tui.widgets.item_list import ItemList, ListedLines
from reviewer.tui.widgets.key_hints import hints, keys_by_id
from reviewer.tui.widgets.text_pane import PANE_KEYS

_SIGNS = {DisputeState.OPEN: "● open", DisputeState.SKIPPED: "↷ put off", DisputeState.ADJUDICATED: "✓"}
# The same ids as in the review, so that keys remapped there are remapped here too.
_DECIDES = (
    Binding("s", "put_off", "put off", id="review.skip", tooltip="Come back to this one later"),
    Binding("u", "undo", "undo", id="review.undo", tooltip="Take your last decision back"),
    Binding("o", "next_open", "next open", id="review.next-open", tooltip="Show the next open dispute"),
)


class DisputeQueueScreen(Screen[None]):
    """All disputes, those with the strongest split first; enter opens one."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "question_mark", "keys", "keys", key_display="?", id="disputes.keys", tooltip="Show this list"
        ),
        Binding(
            "q,escape", "leave", "leave", id="disputes.leave", tooltip="Leave; everything is saved already"
        ),
    ]
    DEFAULT_CSS = """
    DisputeQueueScreen {
        background: $background; padding: 0 1;
        #head { height: 1; padding: 0 1; color: $foreground 75%; margin-bottom: 1; }
        #keys { dock: bottom; height: 1; padding: 0 1; color: $foreground 60%; }
    }
    """

    def __init__(self, session: AdjudicationSession) -> None:
        super().__init__()
        self._session = session

    def compose(self) -> ComposeResult:
        """Progress, the disputes, the keys."""
        yield Static(id="head")
        yield ItemList()
        yield Static(id="keys")

    def on_screen_resume(self) -> None:
        """Draw the present state each time the screen comes up."""
        session, keys = self._session, keys_by_id(self)
        items = [_item(session, index) for index in range(len(session.disputes))]
        self.query_one(ItemList).show(items, session.index)
        self.query_one(ItemList).focus()
        self.query_one("#head", Static).update(
            literal_line(_how_far(session), max(20, self.app.size.width - 4))
        )
        known = [
            ("enter", "look and decide"),
            (keys["disputes.keys"], "keys"),
            (keys["disputes.leave"], "leave"),
        ]
        self.query_one("#keys", Static).update(hints(known))

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Open a dispute."""
        event.stop()
        self._session.go_to(event.option_index)
        self.app.push_screen(DisputeScreen(self._session))

    def action_keys(self) -> None:
        """Show what every key does."""
        self.app.push_screen(KeySheet.of(self))

    def action_leave(self) -> None:
        """Back to the screen below, or out."""
        if len(self.app.screen_stack) > 1:
            self.dismiss()
        else:
            self.app.exit()


def _how_far(session: AdjudicationSession) -> str:
    counts = {state: session.count(state) for state in DisputeState}
    disputes, decided = len(session.disputes), counts[DisputeState.ADJUDICATED]
    told = [f"● {counts[DisputeState.OPEN]:,} open", f"↷ {counts[DisputeState.SKIPPED]:,} put off"]
    told.append(f"✓ {decided:,} decided")
    how = " · ".join(told) if decided < disputes else "✓ all decided, ready to export"
    who = f"{one_line(session.bundle.study.name, 24)} · {one_line(session.adjudicator, 16)} decides"
    return f"{who} · {counted(disputes, 'dispute')}: {how}"


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


class DisputeScreen(CaseScreen):
    """The comments for each label, and the case; an answer key decides, after asking for a reason."""

    BINDINGS: ClassVar[list[BindingType]] = [*_DECIDES]

    def __init__(self, session: AdjudicationSession) -> None:
        super().__init__()
        self._session = session
        self._own_bindings = self._bindings

    # -- what stands where -------------------------------------------------------------------------

    def heading(self) -> str:
        """Which dispute, and its state."""
        session, item_votes = self._session, self._session.dispute.item_votes
        place = f"{item_votes.question.title} · {item_votes.place.key} · {item_votes.place.generator}"
        at = f"{_sign(session, session.index)} · dispute {session.index + 1} of {len(session.disputes)}"
        return f"{at} · {session.count(DisputeState.OPEN)} open · {place}"

    def wording(self) -> str:
        """The question."""
        return self._session.wording

    def statements(self) -> list[PaneText]:
        """A pane for each label with its raters, one for raters without a label, one for the decision."""
        dispute, decision = self._session.dispute, self._session.decision
        labels = dispute.item_votes.question.labels
        sides = [(label, [v for v in dispute.comments if v.label == label]) for label in labels]
        silent = [comment for comment in dispute.comments if comment.label is None]
        sheets = [_side(label, comments) for label, comments in sides if comments]
        sheets += [_side("no label", silent)] if silent else []
        if decision is not None:
            told = literal(decision.adjudicated_label.reason or "Put off for later.")
            sheets.append((f"{_sign(self._session, self._session.index)} · {decision.event.rater}", told))
        return [statement(part, title, content) for part, (title, content) in enumerate(sheets)]

    def sheet(self) -> Sheet:
        """The panes of the case."""
        return self._session.sheet()

    def step(self, by: int) -> None:
        """Go to another dispute of the queue."""
        self._session.go_to(self._session.index + by)

    def draw(self) -> None:
        """Draw the dispute, with the keys of its question's labels."""
        self._bindings = Bindings.merge([self._own_bindings, Bindings(self._answers())])
        super().draw()

    def hints(self) -> list[tuple[str, str]]:
        """The keys that decide come first."""
        *actions, onward = ((each.id or "", each.description) for each in (*self._answers(), *_DECIDES))
        return [*actions, *super().hints(), onward]

    def _answers(self) -> list[Binding]:
        own = (binding for _, binding in self._own_bindings)
        taken = taken_keys((*own, *PANE_KEYS), base_app(self).settings.keys)
        return answer_bindings(self._session.dispute.item_votes.question, taken)

    # -- keys that save ----------------------------------------------------------------------------

    def action_answer(self, index: int) -> None:
        """Ask why, then save the decision and show the next open dispute."""
        try:
            self._session.check_case()
        except StoreError as error:
            self.tell(f"✗ not saved – {error}", failed=True)
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
            return "There is nothing of yours to take back." if taken is None else "✓ saved  taken back"

        self._save(undo)

    def action_next_open(self) -> None:
        """Show the next open dispute."""
        moved = self._session.next_open()
        self.tell("" if moved else "Nothing else is open.")
        self.draw()

    def _save(self, operation: Callable[[], str], again: Callable[[], None] | None = None) -> None:
        """Do it, then draw. Where it fails, say why, and restore the typed text."""

        def do() -> None:
            told = operation()
            self._group = 0
            self.draw()
            self.tell(told)

        def failed(error: ReviewerError) -> None:
            self.draw()
            self.tell(f"✗ not saved – {error}", failed=True)
            if again is not None:
                again()

        self.with_store(do, failed)


def _side(label: str, comments: list[RaterComment]) -> tuple[str, Content]:
    """A title, and a paragraph for each rater."""
    return f"{one_line(label, 24)} · {len(comments)}", Content("\n").join(map(_comment, comments))


def _comment(comment: RaterComment) -> Content:
    """The rater's number with flag and second answer; comments and reasons below."""
    signs = ["⚑ flagged"] * comment.flagged + ["⌛ other wording"] * comment.outdated
    signs += ["⇄ saw the sides exchanged"] * comment.swapped
    signs += [f"after the reveal: {one_line(comment.later, 24)}"] if comment.later is not None else []
    first = literal("  ".join([f"rater {comment.number}", *signs]), "muted")
    said = [literal(f"✎ {text}") for text in (*comment.comments, *comment.reasons)]
    return Content("\n").join([first, *said])
