"""Adjudication: the queue of disputes, and one dispute with its case and all comments, without names."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import Screen

from reviewer.core.errors import ReviewerError, StoreError
from reviewer.core.pane import Pane, Sheet
from reviewer.core.question import Question, answer_in_words
from reviewer.core.sanitize import counted, one_line
from reviewer.study.adjudication.adjudication_session import (
    AdjudicationSession,
    DisputeFilter,
    DisputeState,
    dispute_counts,
)
from reviewer.study.adjudication.votes import ItemVotes
from reviewer.tui.answer_drafts import AnswerDrafts
from reviewer.tui.base_app import base_app
from reviewer.tui.dialogs.filter import FilterDialog, Offer, offers_for
from reviewer.tui.dialogs.text_dialog import reason_dialog
from reviewer.tui.keys.case_keys import CASE_KEYS, MARK_SELECT, MARK_WORD, STEP_KEYS
from reviewer.tui.keys.label_keys import (
    ANSWER_ACTIONS,
    ANSWER_BINDINGS,
    MORE_ANSWERS,
    NO_LABEL,
    SAVE_CHOICE,
    TIE,
    answer_id,
    taken_keys,
)
from reviewer.tui.keys.named_keys import named_key
from reviewer.tui.rendering.literal import literal, literal_line
from reviewer.tui.rendering.pane_text import PaneText
from reviewer.tui.rendering.passages import CommentedLinesOf, commented_lines
from reviewer.tui.screens.answering import Answerable, AnswerActions, Answering, OnFailure
from reviewer.tui.screens.case_screen import CaseScreen, ShownItem, statement
from reviewer.tui.screens.dispute_text import (
    comments_text,
    dispute_sign,
    passages_of,
    place_in_words,
    short_answer,
    with_label,
)
from reviewer.tui.screens.list_screen import ListScreen
from reviewer.tui.widgets.item_list import ListedLines
from reviewer.tui.widgets.key_hints import Hint
from reviewer.tui.widgets.text_pane import PANE_KEYS

# The same ids as in the review, so that keys remapped there are remapped here too.
_DECIDES = (
    Binding("s", "put_off", "put off", id="review.skip", tooltip="Come back to this one later"),
    Binding("u", "undo", "undo", id="review.undo", tooltip="Take your last decision back"),
    Binding("o", "next_open", "next open", id="review.next-open", tooltip="Show the next open dispute"),
)


FILTER = named_key(
    "disputes",
    "i",
    "narrow",
    "filter …",
    "only",
    "Show some disputes only: of one question, group or split",
)
FILTER_HINT = ("disputes.only", "filter …")


def narrow(screen: Screen[None], session: AdjudicationSession, then: Callable[[], None]) -> None:
    """Ask which disputes to show, and draw the screen again if one was chosen."""
    counts = dispute_counts(dispute.item_votes for dispute in session.disputes)
    offers = [_named(offer) for offer in offers_for(session.only, DisputeFilter(), counts)]

    def chosen(only: DisputeFilter | None) -> None:
        if only is not None:
            session.narrow(only)
            then()

    screen.app.push_screen(FilterDialog("filter", offers), chosen)


def _named(offer: Offer[DisputeFilter]) -> Offer[DisputeFilter]:
    """An offer whose words say that they are about votes."""
    return replace(offer, words=f"votes {offer.words}") if " : " in offer.words else offer


def _decided(item_votes: ItemVotes, answer: str) -> str:
    words = answer_in_words(item_votes.question, answer)
    return words if item_votes.question.answer_kind.is_label else one_line(words, 60)


def _with_sign(question: Question, label: str, sign: str) -> str:
    """A label with its sign, if it has one: a mark, or the rank of an output, which is not its key."""
    words = one_line(label, 30)
    return f"{words} (rank {sign})" if sign and question.answer_kind.is_ranked else f"{sign} {words}".lstrip()


class DisputeScreen(AnswerActions, CaseScreen):
    """The comments for each label, and the case; an answer key decides, after asking for a reason."""

    BINDINGS: ClassVar[list[BindingType]] = [*ANSWER_BINDINGS, *_DECIDES, FILTER]

    def __init__(self, session: AdjudicationSession) -> None:
        super().__init__(len(session.disputes), session.index, lambda index: self._dispute())
        self._session = session
        drafts = AnswerDrafts(session.database, session.bundle.study.name, session.adjudicator)
        self._answering = Answering(
            self, self._answerable, self._ask_reason, self._show_choice, self.say, drafts
        )

    def step(self, by: int) -> None:
        """Go to another dispute of the queue."""
        self._session.step(by)

    def _dispute(self) -> ShownItem:
        """The dispute that the session is at; the keys that decide come first."""
        session, decides = self._session, self._answers()
        *first, last = [(binding.id or "", binding.description) for binding in _DECIDES]
        return ShownItem(
            (session.index, session.decision and session.decision.event.id, *decides),
            self._heading(),
            session.wording,
            self._statements(),
            lambda width: self._marked(session.sheet()),
            (*decides, *first, FILTER_HINT),
            (last,),
            self._commented_lines(),
        )

    def _heading(self) -> str:
        session, item_votes = self._session, self._session.dispute.item_votes
        place = f"{item_votes.question.title} · {place_in_words(session, session.index)}"
        number = f"dispute {session.index + 1} of {len(session.disputes)}"
        at = f"{dispute_sign(session, session.index)} · {number}"
        at += f" · {item_votes.distance}" if item_votes.distance else ""
        return f"{at} · {session.count(DisputeState.OPEN)} open · {place}"

    def _panes(self) -> Sequence[Pane]:
        try:
            return [*self._session.sheet()]
        except ReviewerError:
            return ()

    def _commented_lines(self) -> CommentedLinesOf | None:
        """A function that finds the lines that raters' comments are about."""
        about = [
            passage for comment in self._session.dispute.comments for passage in passages_of(comment).values()
        ]
        return commented_lines(about, self._panes())

    def _statements(self) -> list[PaneText]:
        """A pane for each label with its raters, one for raters without a label, one for the decision."""
        dispute, decision = self._session.dispute, self._session.decision
        question = dispute.item_votes.question
        given = [comment.label for comment in dispute.comments if comment.label is not None]
        answers = question.answer_kind.in_order(question, given)
        sides = [(answer, [v for v in dispute.comments if v.label == answer]) for answer in answers]
        silent = [comment for comment in dispute.comments if comment.label is None]
        panes = self._panes()
        sheets = [with_label(question, answer, comments, panes) for answer, comments in sides if comments]
        sheets += [("no label · " + str(len(silent)), comments_text(silent, panes))] if silent else []
        if decision is not None:
            told = literal(decision.adjudicated_label.reason or "Put off for later.")
            sheets.append(
                (f"{dispute_sign(self._session, self._session.index)} · {decision.event.rater}", told)
            )
        return [statement(part, title, content) for part, (title, content) in enumerate(sheets)]

    def draw(self) -> None:
        """Draw the dispute, with the keys of its question's labels."""
        self._bind_answers()
        super().draw()

    def _marked(self, sheet: Sheet) -> Sheet:
        """The panes with the spans that are decided on or marked now, if the question has any."""
        marking, question = self._answering.marking, self._session.dispute.item_votes.question
        return sheet if marking is None else marking.on_sheet(sheet, question)

    def _show_choice(self) -> None:
        """Draw the dispute, and show the choice that is not saved yet."""
        self.draw()
        question, choice = self._session.dispute.item_votes.question, self._answering.choice
        self.say(f"Not saved yet: {answer_in_words(question, choice)}" if choice else "")

    def on_screen_resume(self) -> None:
        """The screen above may have had other answers."""
        self._bind_answers()

    def _bind_answers(self) -> None:
        taken = taken_keys((*STEP_KEYS, *CASE_KEYS, *_DECIDES, *PANE_KEYS), base_app(self).settings.keys)
        self._answering.bind(taken)

    def _answers(self) -> Sequence[Hint]:
        """The keys of answers, with their words."""
        question, choice = self._session.question, self._answering.choice or ""
        kind, signs = question.answer_kind, question.answer_kind.signs(question, choice)
        labels = [_with_sign(question, label, signs.get(label, "")) for label in self._answering.labels]
        keys = [(answer_id(index), label) for index, label in enumerate(labels)]
        if kind.is_written:
            return [(MORE_ANSWERS, "write the final answer")]
        all_shown = len(self._answering.labels) == len(question.labels)
        more = [] if all_shown else [(MORE_ANSWERS, f"all {len(question.labels)} labels")]
        none = f"{'✓ ' * kind.is_at_once(question, choice or '')}{kind.all_at_once}"
        tie = [(TIE, "tie with the one before")] if kind.is_ranked else []
        marks = [(MORE_ANSWERS, "a rater's spans"), (MARK_WORD, "next word"), (MARK_SELECT, "select")]
        takes = marks if kind.is_marked else []
        return [*takes, *keys, *more, (NO_LABEL, none), *tie, (SAVE_CHOICE, "decide")]

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Only the labels of the question can be decided on."""
        return action not in ANSWER_ACTIONS or self._answering.works(action, parameters)

    # -- keys that save ----------------------------------------------------------------------------

    def _take_answer(self, take: Callable[[], None]) -> None:
        try:
            self._session.check_case()
        except StoreError as error:
            self.say(f"not saved – {error}", failed=True)
            return
        take()

    def _answerable(self) -> Answerable:
        item_votes, decision = self._session.dispute.item_votes, self._session.decision
        decided = decision.label if decision else None
        answers = partial(self._session.decided_labels, item_votes.question.key)
        question, case = self._session.question, self._session.bundle.cases[item_votes.place.case]
        text = self._session.bundle.protocol.marked_text(question, case)
        offered = tuple(item_votes.counts) if question.answer_kind.is_marked else ()
        slot, wording = item_votes.slot, self._session.wording
        return Answerable(question, slot, decided, wording, answers, "decide", text, offered)

    def _ask_reason(self, answer: str, failed: OnFailure | None) -> None:
        self._ask(answer, "")

    def _ask(self, label: str, reason: str) -> None:
        def decide(reason: str | None) -> None:
            if reason is not None:
                self._decide(label, reason)

        words = answer_in_words(self._session.dispute.item_votes.question, label)
        effect = "The reason is kept with the decision, and exported."
        self.app.push_screen(reason_dialog(f"why {words}?", effect, reason), decide)

    def _decide(self, label: str, reason: str) -> None:
        number, item_votes = self._session.index + 1, self._session.dispute.item_votes

        def decide() -> str:
            self._session.decide(label, reason)
            self._answering.saved(item_votes.slot)
            more = self._session.next_open()
            said = f"✓ saved  dispute {number} = {_decided(item_votes, label)}"
            return said + ("" if more else "   nothing else is open")

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
        """Take back the last key of a decision that is not saved, or else this person's newest decision."""
        if self._answering.take_back():
            return

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
        self.say("" if moved else "Nothing else is open.")
        self.draw()

    def _save(self, operation: Callable[[], str], again: Callable[[], None] | None = None) -> None:
        """Do it, then draw. Where it fails, say why, and restore the typed text."""

        def do() -> None:
            told = operation()
            self.draw()
            self.say(told)

        def failed(error: ReviewerError) -> None:
            self.draw()
            self.say(f"not saved – {error}", failed=True)
            if again is not None:
                again()

        self.store.run(do, failed)


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
