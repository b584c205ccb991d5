"""The queue of disputes: their votes, remarks and decisions as lines, without names."""

from functools import partial
from typing import ClassVar

from textual.binding import BindingType
from textual.content import Content

from reviewer.core.sanitize import counted, one_line
from reviewer.study.adjudication.adjudication_session import AdjudicationSession, DisputeState
from reviewer.tui.rendering.literal import literal, literal_line
from reviewer.tui.screens.adjudication import FILTER, FILTER_HINT, DisputeScreen, narrow
from reviewer.tui.screens.dispute_text import dispute_sign, place_in_words, short_answer
from reviewer.tui.screens.list_screen import ListScreen
from reviewer.tui.widgets.item_list import ListedLines


class DisputeQueueScreen(ListScreen):
    """The disputes, those with the strongest split first; enter opens one."""

    BINDINGS: ClassVar[list[BindingType]] = [FILTER]
    HINTS = (FILTER_HINT,)

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
    item_votes, sign = dispute.item_votes, dispute_sign(session, index)
    entry = session.bundle.entry_text(item_votes.question, item_votes.place.case)
    counts = item_votes.counts.items()
    votes = "  ".join(f"{short_answer(item_votes, label)} {count}" for label, count in counts)
    comments = sum(bool(comment.comments) for comment in dispute.comments)
    flags = sum(comment.flagged for comment in dispute.comments)
    remarks = [f"✎ {comments} with a comment"] * bool(comments) + [f"⚑ {flags} flagged"] * bool(flags)
    remarks = [item_votes.distance] * bool(item_votes.distance) + remarks
    lines = [
        Content.assemble(
            literal_line(sign, 30, "bold $foreground").pad_right(max(1, 14 - len(sign))),
            literal_line(item_votes.question.title, 30, "bold $foreground"),
            "  ",
            literal_line(place_in_words(session, index), 60, "$foreground 70%"),
            *((literal_line(f"  “{entry}”", 60, "$foreground 70%"),) if entry else ()),
        ),
        literal("  " + "   ".join([votes, *remarks])),
    ]
    if decision is not None and decision.adjudicated_label.reason:
        told = f"“{decision.adjudicated_label.reason}” – {decision.event.rater}"
        lines.append(literal_line(told, 160, "italic $foreground 80%").pad_left(2))
    return Content("\n").join(lines)
