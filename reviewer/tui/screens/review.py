"""The review screen: one case at a time, and one key for each answer.

Keys act on the session, which returns once the change is durable; only then is the screen painted again.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property, partial
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.events import Resize
from textual.geometry import Size
from textual.screen import Screen

from reviewer.core.pane import Text
from reviewer.core.question import GUIDELINE
from reviewer.study.session.briefing import Card
from reviewer.study.session.reading_times import seconds_on_screen
from reviewer.study.session.review_session import ReviewSession
from reviewer.study.session.review_stages import Stage
from reviewer.study.transfer.sync import Syncer
from reviewer.tui.answer_drafts import AnswerDrafts
from reviewer.tui.base_app import base_app
from reviewer.tui.case.view import CaseView
from reviewer.tui.dialogs.key_sheet import CardDialog, KeySheet
from reviewer.tui.dialogs.text_dialog import PlainTextDialog, effect_line
from reviewer.tui.keys.case_keys import CASE_KEYS, NEEDS_A_CASE, REVIEW_KEYS
from reviewer.tui.keys.label_keys import ANSWER_ACTIONS, ANSWER_BINDINGS, taken_keys
from reviewer.tui.rendering import notices
from reviewer.tui.rendering.arrangement import arrange
from reviewer.tui.rendering.notices import Notice
from reviewer.tui.rendering.pane_layout import is_narrow
from reviewer.tui.rendering.view_state import ViewState, idle_keys, revealed_tab, view_state_of
from reviewer.tui.screens.answering import Answerable, AnswerActions, Answering, OnFailure
from reviewer.tui.screens.own_labels import OwnAnswersScreen, OwnLabelsScreen
from reviewer.tui.screens.prefetch import Prefetch
from reviewer.tui.screens.review_changes import CaseMoves, Comments, Saving
from reviewer.tui.styles import StyledOnce
from reviewer.tui.widgets.heading import FinishedPanel, Heading
from reviewer.tui.widgets.key_hints import keys_by_id
from reviewer.tui.widgets.narrow_lines import AnswerLine, QuestionBrief
from reviewer.tui.widgets.question_panel import QuestionPanel
from reviewer.tui.widgets.saved_line import SavedLine
from reviewer.tui.widgets.text_pane import PANE_KEYS

STAGES_OF = {"proceed": {Stage.CLASH, Stage.SECOND, Stage.FEEDBACK}, "reason": {Stage.CLASH}}
"""The stages of a case at which a key does something."""
_FIRST_KEYS = {
    "review.skip": "skip",
    "review.undo": "undo",
    "review.previous": "go back",
    "review.comment": "comment",
    "review.keys": "all keys, and this again",
}
_WHY_BOTH = "≠ why both answers stand (case {})"
_LOOK_AT_SYNC_SECONDS = 0.3
_AT_THE_END = ("review.keys", "review.leave")
"""The keys on the last line once everything is labelled; the panel offers others."""


class ReviewScreen(StyledOnce, AnswerActions, Screen[None]):
    """Passes keys to the session, and the state of the session to the widgets.

    It has a view of the case, and objects that save, move, comment and prefetch.
    """

    HAS_CASE: ClassVar[bool] = True
    BINDINGS: ClassVar[list[BindingType]] = [*ANSWER_BINDINGS, *REVIEW_KEYS]
    DEFAULT_CSS = """
    ReviewScreen {
        background: $background;
        QuestionBrief, AnswerLine, FinishedPanel { display: none; }
        &.-narrow QuestionBrief, &.-narrow AnswerLine { display: block; }
        &.-finished FinishedPanel { display: block; }
        &.-finished CaseView, &.-finished QuestionBrief, &.-finished AnswerLine { display: none; }
    }
    """

    def __init__(self, session: ReviewSession, syncer: Syncer | None = None) -> None:
        super().__init__()
        self.session = session
        self._syncer = syncer
        self._saving = Saving(self, self._draw)
        self._case = CaseView(
            self._draw, self._saving.say, QuestionPanel(), search_answers=self._search_answers
        )
        self._comments = Comments(self, session, self._saving, self._case)
        drafts = AnswerDrafts(session.database, session.bundle.study.name, session.rater)
        self._answering = Answering(self, self._answerable, self._answer, self._draw, self._remark, drafts)
        self.moves = CaseMoves(self, session, self._saving)
        self.prefetch = Prefetch(self, session, self._case)
        self._drawn_for: Size | None = None
        self._keys: dict[str, str] = {}
        """The keys that worked when the screen was drawn last, by the ids of their bindings."""

    def compose(self) -> ComposeResult:
        """The widgets of both layouts; classes of the screen decide which are visible."""
        self.set_class(is_narrow(*self.app.size), "-narrow")  # before there are widgets to style again
        yield Heading()
        yield QuestionBrief()
        yield self._case
        yield FinishedPanel()
        yield AnswerLine()
        yield SavedLine()

    def on_mount(self) -> None:
        """Draw before the first paint; then show regularly how much of the saved work is sent."""
        self._draw()
        if self.session.closed:
            self._saving.say(
                notices.remark("■ The study is closed: you can look at everything but change nothing.")
            )
        if self._syncer is not None:
            self.set_interval(_LOOK_AT_SYNC_SECONDS, self._show_delivery)

    def on_screen_resume(self) -> None:
        """The screen above may have had other answers."""
        self._bind_answers()

    def on_resize(self, event: Resize) -> None:
        """Draw for another size. Textual tells a screen that opens three times how large it is."""
        if self.app.size != self._drawn_for:
            self._draw()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Switch off keys about a case at the end, and keys that the stage of the case does not use.

        The key for final labels works once the study is closed.
        """
        if action == "final":
            return self.session.closed
        if action == "sure":
            return self.session.bundle.design.confidence
        if self.moves.shows_finished and action in NEEDS_A_CASE:
            return False
        if action in ANSWER_ACTIONS:
            return self._answering.works(action, parameters)
        if action in ("proceed", "reason"):
            return self.session.stage in STAGES_OF[action]
        return True

    # -- keys that save ----------------------------------------------------------------------------

    def _take_answer(self, take: Callable[[], None]) -> None:
        # A rater who answers in a rhythm meant the next case, so a key must not change the last answer.
        if self.session.stage is Stage.CLASH:
            self._remark("This is about your last answer: do both stand?")
        elif self.session.stage is Stage.FEEDBACK:
            self._remark("Training answers are final, because the known answer was shown.")
        else:
            take()

    def _answerable(self) -> Answerable:
        session = self.session
        question, verdict = session.question, session.verdict
        answers = partial(session.history.answers_to, question.key)
        text = session.bundle.protocol.marked_text(question, session.case)
        return Answerable(question, session.slot, verdict.label, session.wording, answers, text=text)

    def _answer(self, answer: str, failed: OnFailure | None) -> None:
        """Save an answer, then show the next open case."""
        before, was_finished = view_state_of(self.session), self.session.finished

        def save() -> Notice:
            at = self.session.position
            saved = self.session.answer(answer)
            self._answering.saved(before.verdict.slot.first)
            self.moves.keep_within(at)
            self.moves.shows_finished = self._at_end and not was_finished
            if saved.phase == "after":
                return notices.looked_twice(before, answer, self._undo_key)
            return notices.answered(before, answer, self.session, self._undo_key, self._sure_keys)

        self._saving.save(save, failed and (lambda notice: failed(notice.content)))

    def _remark(self, sentence: str) -> None:
        self._saving.say(notices.remark(sentence))

    def action_proceed(self) -> None:
        """Go on after feedback, or after a question about a verdict."""
        before = view_state_of(self.session)

        def proceed() -> Notice:
            saved = self.session.proceed()
            self.moves.shows_finished = self._at_end
            if saved is None:
                return notices.remark("")
            if saved.kind == "reason":
                return notices.explained(before, "")
            return notices.looked_twice(before, before.verdict.label or "", self._undo_key)

        self._saving.save(proceed)

    def action_reason(self) -> None:
        """Ask why the rater keeps two answers that clash."""
        number = view_state_of(self.session).place.case_number
        effect = effect_line("The reason is kept beside both answers, and exported.")
        dialog = PlainTextDialog(_WHY_BOTH.format(number), lambda width: [effect])
        self.app.push_screen(dialog, self._reason)

    def _reason(self, text: str | None) -> None:
        if text is None:
            return
        before = view_state_of(self.session)

        def explain() -> Notice:
            self.session.explain(text)
            self.moves.shows_finished = self._at_end
            return notices.explained(before, text)

        self._saving.save(explain)

    def action_next(self) -> None:
        """Show the next case."""
        self.moves.next()

    def action_previous(self) -> None:
        """Show the case before."""
        self.moves.previous()

    def action_next_open(self) -> None:
        """Show the next case without a label."""
        self.moves.next_open()

    def action_only(self) -> None:
        """Ask which cases to show."""
        self.moves.ask_filter()

    def action_everything(self) -> None:
        """Show all cases again."""
        self.moves.show_all()

    def action_flag(self) -> None:
        """Set or remove the flag."""
        self._comments.flag()

    def action_comment(self) -> None:
        """Ask for the comment."""
        self._comments.ask_comment()

    def action_note(self) -> None:
        """Show the notes, and ask for a new one."""
        self._comments.ask_note()

    @property
    def _at_end(self) -> bool:
        """Whether nothing is left to answer, to explain or to read."""
        return self.session.finished and not self.session.waiting and self.session.stage is not Stage.FEEDBACK

    def action_skip(self) -> None:
        """Put the case off."""
        before = view_state_of(self.session)

        def skip() -> Notice:
            at = self.session.position
            saved = self.session.skip() is not None
            self.moves.keep_within(at)
            return notices.skipped(before, self.session, saved=saved)

        self._saving.save(skip)

    def action_reveal(self) -> None:
        """Say which answers the findings make final; pressed again, show the findings, which ends a zoom."""
        session = self.session
        if why := session.reveal_obstacle:
            self._saving.say(notices.remark(why))
        elif session.stage is Stage.REVEAL:

            def reveal() -> Notice:
                session.reveal()
                return notices.revealed(view_state_of(session))

            self._case.end_zoom()
            self._saving.save(reveal)
        else:
            session.ask_to_reveal()
            self._draw()

    def action_sure(self, confidence: str) -> None:
        """Say how sure the rater is of the answer that they gave last."""

        def say() -> Notice:
            saved = self.session.say_confidence(confidence)
            return notices.confident(confidence, self.session, saved)

        self._saving.save(say)

    def action_undo(self) -> None:
        """Take back the last key of an answer that is not saved, or else the newest answer or skip."""
        if self._answering.take_back():
            return

        def undo() -> Notice:
            if self.session.undo() is None:
                return notices.remark("There is nothing to take back.")
            self.moves.shows_finished = False
            return notices.undone(self.session, self._undo_key)

        self._saving.save(undo)

    def action_guideline(self) -> None:
        """Show the guideline: its tab, or all of it on a card."""
        question = self.session.question
        if self._case.narrow and question.guideline_parts:
            self._case.show_tab(GUIDELINE)
        else:
            none = Text("This question has no guideline.")
            guideline = question.guideline_body if question.guideline_parts else none
            self.app.push_screen(CardDialog(Card(question.title, (("Guideline", guideline),))))

    def action_pace(self) -> None:
        """Show or hide the pace in the heading; the choice is kept."""
        app = base_app(self)
        app.keep_setting("pace", not app.settings.pace)
        self._draw()

    def action_own_answers(self) -> None:
        """List what the rater answered so far."""
        self._search_answers("")

    def _search_answers(self, words: str) -> None:
        self.app.push_screen(OwnAnswersScreen(self.session, words, self.moves.show_position))

    def action_final(self) -> None:
        """Show where this rater's answers differ from the final labels."""
        session = self.session
        self.app.push_screen(OwnLabelsScreen(session.database, session.bundle.study.name, session.rater))

    def action_keys(self) -> None:
        """Show all keys with their effects."""
        self.app.push_screen(KeySheet.of(self, self.session.cards))

    def action_leave(self) -> None:
        """Back to the screen below, or out."""
        if len(self.app.screen_stack) > 1:
            self.dismiss()
        else:
            self.app.exit()

    def _show_delivery(self) -> None:
        if self._syncer is not None:
            delivery = self._syncer.status.of(len(self.session.history.events))
            self.query_one(SavedLine).deliver(delivery)

    # -- painting ----------------------------------------------------------------------------------

    def _draw(self) -> None:
        with self.prefetch.drawing():
            self._draw_now()

    def _draw_now(self) -> None:
        self._bind_answers()
        answering = self._answering
        view = replace(
            view_state_of(self.session),
            labels=answering.labels,
            choice=answering.choice,
            draft=answering.draft,
        )
        if marking := answering.marking:
            view = replace(view, sheet=marking.on_sheet(view.sheet, view.question))
        self.prefetch.shows(view)
        self._drawn_for = self.app.size
        narrow = is_narrow(*self._drawn_for)
        self.set_class(narrow, "-narrow")
        self.set_class(self.moves.shows_finished, "-finished")
        heading = self.query_one(Heading)
        heading.view, heading.only = view, self.moves.only.words
        heading.shows_pace = base_app(self).settings.pace
        if self.moves.shows_finished:
            useful = self._useful_keys(view)
            keys = {known: useful[known] for known in _AT_THE_END if known in useful}
            self.query_one(FinishedPanel).show(self.session, self._keys)
        else:
            keys = self._draw_case(view)
        self.query_one(SavedLine).offer({} if narrow else keys)
        self._show_card()

    def _show_card(self) -> None:
        """Show the card that the rater reads before going on; the answer keys work again after it."""
        card = self.session.card
        if card is not None:
            self.session.put_card_away()
            keys, first = keys_by_id(self), {**base_app(self).answer_words, **_FIRST_KEYS}
            known = [(keys[name], word) for name, word in first.items() if name in keys]
            self.app.push_screen(CardDialog(card, known))

    def _draw_case(self, view: ViewState) -> dict[str, str]:
        """Draw the panes and the question; returns the keys that are useful now."""
        stage = Stage.FIRST if view.stage is Stage.REVEAL else view.stage
        # Where the keys of labels change, an answer that was pressed before they were painted is dropped.
        slot = (view.verdict.slot.case, view.in_sight, str(stage), view.labels)
        layout = self._case.show(
            slot, partial(arrange, view), revealed_tab(view), self._comments.commented_lines(view)
        )
        held_back = {pane.key for pane in view.sheet if pane.held_back}
        self.session.see(layout.panes - held_back)
        shown = [pane for pane in view.sheet if pane.key in layout.panes]
        base_app(self).active_clock.allow(seconds_on_screen(shown))
        keys = self._useful_keys(view)
        if layout.narrow:
            self.query_one(QuestionBrief).show(view, keys)
            self.query_one(AnswerLine).show(view, keys)
        else:
            self.query_one(QuestionPanel).show(view, layout, keys)
        return keys

    def _useful_keys(self, view: ViewState) -> dict[str, str]:
        self._keys, idle = keys_by_id(self), idle_keys(view)
        return {name: key for name, key in self._keys.items() if name not in idle}

    @property
    def _undo_key(self) -> str:
        return self._keys.get("review.undo", "")

    @property
    def _sure_keys(self) -> str:
        """The keys that say how sure the rater is, if the study asks for it."""
        keys = [self._keys.get(f"review.{name}", "") for name in ("sure", "rather-sure", "guess")]
        return "/".join(filter(None, keys)) if self.session.bundle.design.confidence else ""

    def _bind_answers(self) -> None:
        """The answer keys come from the labels of the question."""
        self._answering.bind(self._other_keys)

    @cached_property
    def _other_keys(self) -> set[str]:
        return taken_keys((*REVIEW_KEYS, *CASE_KEYS, *PANE_KEYS), base_app(self).settings.keys)
