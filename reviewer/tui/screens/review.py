"""The review screen: one case at a time, and one key for each answer.

Keys act on the session, which returns once the change is durable; only then is the screen painted again.
"""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingsMap as Bindings
from textual.binding import BindingType
from textual.events import Resize

from reviewer.study.session.review_session import ReviewSession
from reviewer.study.session.review_state import Stage
from reviewer.study.transfer.sync import Syncer
from reviewer.tui.base_app import base_app
from reviewer.tui.dialogs.key_sheet import KeySheet
from reviewer.tui.dialogs.reason import WhyBothDialog
from reviewer.tui.keys.answer_keys import answer_bindings, taken_keys
from reviewer.tui.keys.review_keys import NEEDS_A_CASE, REVIEW_KEYS
from reviewer.tui.rendering import notices
from reviewer.tui.rendering.layout import ViewOptions, arrange
from reviewer.tui.rendering.notices import Notice
from reviewer.tui.rendering.view_state import ViewState, idle_keys, revealed_tab, view_state_of
from reviewer.tui.screens.comments import CommentingScreen
from reviewer.tui.screens.filtering import FilteringScreen
from reviewer.tui.screens.own_labels import OwnLabelsScreen
from reviewer.tui.screens.prefetch import PrefetchScreen
from reviewer.tui.widgets.finished_panel import FinishedPanel
from reviewer.tui.widgets.heading import Heading
from reviewer.tui.widgets.key_hints import keys_by_id
from reviewer.tui.widgets.narrow_lines import AnswerLine, QuestionBrief, TabLine
from reviewer.tui.widgets.pane_grid import PaneGrid
from reviewer.tui.widgets.question_panel import QuestionPanel
from reviewer.tui.widgets.saved_line import SavedLine
from reviewer.tui.widgets.text_pane import PANE_KEYS

STAGES_OF = {"proceed": {Stage.CLASH, Stage.SECOND, Stage.FEEDBACK}, "reason": {Stage.CLASH}}
"""The stages of a case at which a key does something."""
_WHY_BOTH = "≠ why both answers stand (case {})"
_LOOK_AT_SYNC_SECONDS = 0.3


class ReviewScreen(CommentingScreen, FilteringScreen, PrefetchScreen):
    """Passes keys to the session, and the state of the session to the widgets."""

    BINDINGS: ClassVar[list[BindingType]] = [*REVIEW_KEYS]
    DEFAULT_CSS = """
    ReviewScreen {
        background: $background;
        TabLine, QuestionBrief, AnswerLine, FinishedPanel { display: none; }
        &.-narrow TabLine, &.-narrow QuestionBrief, &.-narrow AnswerLine { display: block; }
        &.-finished FinishedPanel { display: block; }
        &.-finished PaneGrid, &.-finished TabLine { display: none; }
        &.-finished QuestionBrief, &.-finished AnswerLine { display: none; }
    }
    """

    def __init__(self, session: ReviewSession, syncer: Syncer | None = None) -> None:
        super().__init__()
        self.session = session
        self._syncer = syncer
        self.shows_finished = session.finished
        self._shown: tuple[str, str, str] | None = None
        self._own_bindings = self._bindings

    def compose(self) -> ComposeResult:
        """The widgets of both layouts; classes of the screen decide which are visible."""
        yield Heading()
        yield QuestionBrief()
        yield TabLine()
        yield PaneGrid()
        yield FinishedPanel()
        yield AnswerLine()
        yield SavedLine()

    def on_mount(self) -> None:
        """Draw before the first paint; then show regularly how much of the saved work is sent."""
        self._draw()
        if self.session.closed:
            self._say(notices.remark("■ The study is closed: you can look at everything but change nothing."))
        if self._syncer is not None:
            self.set_interval(_LOOK_AT_SYNC_SECONDS, self._show_delivery)

    def on_resize(self, event: Resize) -> None:
        """Change between the layouts if the size requires it."""
        self._draw()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Switch off keys about a case at the end, and keys that the stage of the case does not use.

        The key for final labels works once the study is closed.
        """
        if action == "final":
            return self.session.closed
        if self.shows_finished and action in NEEDS_A_CASE:
            return False
        if action in ("proceed", "reason"):
            return self.session.stage in STAGES_OF[action]
        return action != "fold" or self._can_fold

    # -- keys that save ----------------------------------------------------------------------------

    def action_answer(self, index: int) -> None:
        """Save a label, then show the next open case."""
        before, was_finished = view_state_of(self.session), self.session.finished
        label = before.question.labels[index]
        if before.stage is Stage.CLASH:
            # A rater who answers in a rhythm meant the next case, so this key must not change a label.
            self._say(notices.remark("This is about your last answer: do both stand?"))
            return

        def answer() -> Notice:
            at = self.session.position
            saved = self.session.answer(label)
            self.keep_within(at)
            self.shows_finished = self._at_end and not was_finished
            if saved.phase == "after":
                return notices.looked_twice(before, label, self._key("review.undo"))
            return notices.answered(before, label, self.session, self._key("review.undo"))

        self._save(answer)

    def action_proceed(self) -> None:
        """Go on after feedback, or after a question about a verdict."""
        before = view_state_of(self.session)

        def proceed() -> Notice:
            saved = self.session.proceed()
            self.shows_finished = self._at_end
            if saved is None:
                return notices.remark("")
            if saved.kind == "reason":
                return notices.explained(before, "")
            return notices.looked_twice(before, before.verdict.label or "", self._key("review.undo"))

        self._save(proceed)

    def action_reason(self) -> None:
        """Ask why the rater keeps two answers that clash."""
        number = view_state_of(self.session).place.case_number
        self.app.push_screen(WhyBothDialog(_WHY_BOTH.format(number)), self._reason)

    def _reason(self, text: str | None) -> None:
        if text is None:
            return
        before = view_state_of(self.session)

        def explain() -> Notice:
            self.session.explain(text)
            self.shows_finished = self._at_end
            return notices.explained(before, text)

        self._save(explain)

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
            self.keep_within(at)
            return notices.skipped(before, self.session, saved=saved)

        self._save(skip)

    def action_undo(self) -> None:
        """Take the newest answer or skip back."""

        def undo() -> Notice:
            if self.session.undo() is None:
                return notices.remark("There is nothing to take back.")
            self.shows_finished = False
            return notices.undone(self.session, self._key("review.undo"))

        self._save(undo)

    def action_pace(self) -> None:
        """Show or hide the pace in the heading; the choice is kept."""
        app = base_app(self)
        app.keep_setting("pace", not app.settings.pace)
        self._draw()

    def action_final(self) -> None:
        """Show where this rater's answers differ from the final labels."""
        session = self.session
        self.app.push_screen(OwnLabelsScreen(session.database, session.bundle.study.name, session.rater))

    def action_keys(self) -> None:
        """Show what every key does."""
        self.app.push_screen(KeySheet.of(self))

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

    def _draw_now(self) -> None:
        self._bind_answers()
        view = self._view = view_state_of(self.session)
        keys = keys_by_id(self)
        self.set_class(self._narrow, "-narrow")
        self.set_class(self.shows_finished, "-finished")
        heading = self.query_one(Heading)
        heading.view, heading.only = view, self.only.words
        heading.shows_pace = base_app(self).settings.pace
        self.query_one(SavedLine).offer({} if self._narrow else keys)
        if self.shows_finished:
            self.query_one(FinishedPanel).show(self.session, keys)
        else:
            self._draw_case(view, keys)

    def _draw_case(self, view: ViewState, keys: dict[str, str]) -> None:
        slot = (view.verdict.slot.case, view.question.key, str(view.stage))
        is_new = slot != self._shown
        if is_new:
            self._shown, self._options = slot, ViewOptions(self._options.folded, tab=revealed_tab(view))
            self.query_one(PaneGrid).mark("")
        self._pane_layout = arrange(view, *self.app.size, self._options)
        held_back = {pane.key for pane in view.sheet if pane.held_back}
        self.session.see(self._pane_layout.panes - held_back)
        idle = idle_keys(view)
        keys = {name: key for name, key in keys.items() if name not in idle}
        self.query_one(QuestionPanel).show(view, keys)
        self.query_one(QuestionBrief).show(view, keys)
        self.query_one(AnswerLine).show(view, keys)
        tabs = self.query_one(TabLine)
        tabs.tabs, tabs.chosen = self._pane_layout.tabs, self._pane_layout.tab
        tabs.legend = self._pane_layout.first[0].legend
        grid, size = self.query_one(PaneGrid), self.app.size
        grid.show(self._pane_layout, size, is_new, self.commented_lines(view))

    def _key(self, binding: str) -> str:
        return keys_by_id(self).get(binding, "")

    def _bind_answers(self) -> None:
        """The answer keys come from the labels of the question."""
        taken = taken_keys((*REVIEW_KEYS, *PANE_KEYS), base_app(self).settings.keys)
        answers = Bindings(answer_bindings(self.session.question, taken))
        self._bindings = Bindings.merge([self._own_bindings, answers])
