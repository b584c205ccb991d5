"""What keys of the review do besides answers: save, move from case to case, comment, flag, take notes.

Only once a change is durable, the screen is drawn with a notice of it.
"""

import time
from collections.abc import Callable

from textual.content import Content
from textual.screen import Screen

from reviewer.core.errors import ReviewerError
from reviewer.core.pane import Pane
from reviewer.study.session.filters import FilteredSlots, SlotFilter
from reviewer.study.session.review_session import ReviewSession
from reviewer.study.session.verdicts import State, notes_of
from reviewer.tui.base_app import base_app
from reviewer.tui.case.view import CaseView
from reviewer.tui.dialogs.comment import Comment, CommentDialog, note_dialog
from reviewer.tui.dialogs.filter import FilterDialog, offers_for
from reviewer.tui.rendering import notices
from reviewer.tui.rendering.notices import Notice
from reviewer.tui.rendering.passages import CommentedLinesOf, Passage, commented_lines, passage_at
from reviewer.tui.rendering.view_state import ViewState, view_state_of
from reviewer.tui.screens.store_retry import SLOW_SECONDS, StoreRetry
from reviewer.tui.widgets.saved_line import SavedLine


class Saving:
    """Saves, then lets the screen draw, and shows the result on the saved line."""

    def __init__(self, screen: Screen[None], draw: Callable[[], None]) -> None:
        self._screen, self._draw = screen, draw
        self._store = StoreRetry(screen, lambda sentence: self.say(notices.remark(sentence)), self._dropped)

    def say(self, notice: Notice) -> None:
        """Show a notice until the next one."""
        self._screen.query_one(SavedLine).say(notice)

    def save(self, operation: Callable[[], Notice], failed: Callable[[Notice], None] | None = None) -> None:
        """Do it, then paint. Where it fails, say why and stay on this case."""

        def save() -> None:
            began = time.monotonic()
            notice = operation()
            if time.monotonic() - began > SLOW_SECONDS:
                base_app(self._screen).drop_earlier_keys()
            self._draw()
            self.say(notice)

        def complain(error: ReviewerError) -> None:
            notice = notices.failed(base_app(self._screen).words_of(error))
            base_app(self._screen).drop_earlier_keys()
            self._draw()
            self.say(notice)
            if failed:
                failed(notice)

        self._store.run(save, complain)

    def _dropped(self, keys: int) -> None:
        """Add to the last notice that keys did nothing."""
        self.say(notices.with_dropped(self._screen.query_one(SavedLine).notice, keys))


class CaseMoves:
    """Goes from case to case of a session, within the filter ``only``."""

    def __init__(self, screen: Screen[None], session: ReviewSession, saving: Saving) -> None:
        self._screen, self._session, self._saving = screen, session, saving
        self.only = SlotFilter()
        """The filter: which cases the keys go to."""
        self.shows_finished = session.finished
        """Whether the panel for a finished review is shown: all is labelled, and no case was opened again."""

    def next(self) -> None:
        """Show the next case."""
        self._move(lambda: self._follow(1), "This is the last case.")

    def previous(self) -> None:
        """Show the case before; after the end, the case that was shown last."""
        self._move(lambda: True if self.shows_finished else self._follow(-1), "This is the first case.")

    def next_open(self) -> None:
        """Show the next case without a label; say so if that leaves one without a label behind."""
        session, place = self._session, self._session.place
        is_left = not self.shows_finished and session.verdict.state is not State.LABELLED
        left = f"{session.question.title} (case {place.case_number}) is still open." if is_left else ""
        self._move(self._follow_open, "Nothing else is open.", left)

    def ask_filter(self) -> None:
        """Ask which cases to show."""
        counts = FilteredSlots(self._session).counts()
        # A generator that all cases share is useless as a filter.
        counts = {name: values for name, values in counts.items() if len(values) > (name != "state")}
        dialog = FilterDialog("filter", offers_for(self.only, SlotFilter(), counts))
        self._screen.app.push_screen(dialog, self._look_through)

    def show_all(self) -> None:
        """Show all cases again."""
        self._look_through(SlotFilter())

    def show_position(self, position: int) -> None:
        """Show one of the rater's slots, and remove the filter if the slot does not pass it."""

        def show() -> bool:
            self._session.go_to(position)
            if self.only and not FilteredSlots(self._session).holds(position, self.only):
                self.only = SlotFilter()
            return True

        self._move(show, "")

    def keep_within(self, before: int) -> None:
        """After an answer at a position, stay within the filter while any case passes it."""
        session = self._session
        if not self.only or session.finished or session.position == before:
            return
        slots = FilteredSlots(session)
        position = slots.following(self.only, 1, before)
        if position is None:
            position = slots.following_open(self.only)
        if position is None:
            self.only = SlotFilter()
        elif position != session.position:
            session.go_on_to(position, before)

    def _look_through(self, only: SlotFilter | None) -> None:
        if only is not None:
            self._saving.save(lambda: self._narrowed(only))

    def _narrowed(self, only: SlotFilter) -> Notice:
        slots = FilteredSlots(self._session)
        if only and not slots.holds(self._session.position, only):
            first = next(slots.positions(only), None)
            if first is None:
                self.only = SlotFilter()
                return notices.remark(f"No case is {only.words}; all cases are shown again.")
            self._session.go_to(first)
        self.only, self.shows_finished = only, False
        return notices.remark("")

    def _follow(self, step: int) -> bool:
        if not self.only:
            before = self._session.position
            self._session.go_to(before + step)
            return self._session.position != before
        return self._go(FilteredSlots(self._session).following(self.only, step))

    def _follow_open(self) -> bool:
        if not self.only:
            return self._session.next_open()
        return self._go(FilteredSlots(self._session).following_open(self.only))

    def _go(self, position: int | None) -> bool:
        if position is not None:
            self._session.go_to(position)
        return position is not None

    def _move(self, move: Callable[[], bool], otherwise: str, left: str = "") -> None:
        """Move, and save that a rater now sees what an answer reveals. Then name the case ``left`` behind, or
        ``otherwise`` if there was nowhere to go.
        """

        def moved() -> Notice:
            showed_finished = self.shows_finished
            has_moved = move()
            self.shows_finished = False
            among = f" among those that are {self.only.words}" if self.only else ""
            stays = not (has_moved or showed_finished)
            return notices.remark(otherwise.removesuffix(".") + among + "." if stays else left)

        self._saving.save(moved)


class Comments:
    """Saves what raters write besides answers."""

    def __init__(self, screen: Screen[None], session: ReviewSession, saving: Saving, case: CaseView) -> None:
        self._screen, self._session, self._saving, self._case = screen, session, saving, case

    def flag(self) -> None:
        """Set or remove the flag."""

        def flag() -> Notice:
            self._session.flag()
            return notices.flagged(view_state_of(self._session))

        self._saving.save(flag)

    def ask_comment(self) -> None:
        """Ask for the comment; offer the passage that is selected, at the pointer, or at the top, and in a
        dialogue the whole turn.
        """
        view = view_state_of(self._session)
        before = Comment(view.verdict.comment, Passage.of_json(view.verdict.passage))
        chosen, offered = self._offered_passage(view)
        number = view.place.case_number
        answer = self._session.answer_to_comment(view.verdict.slot)
        dialog = CommentDialog(number, view.sheet, before, offered, tied=chosen, answer=answer)
        self._screen.app.push_screen(dialog, self._comment)

    def _comment(self, comment: Comment | None) -> None:
        if comment is None:
            return
        view = view_state_of(self._session)
        passage = comment.passage.as_json() if comment.passage else None

        def write() -> Notice:
            if self._session.comment(comment.text, passage) is None:
                return notices.remark("The comment is as it was.")
            return notices.commented(view, removed=not comment.text)

        def ask_again(notice: Notice) -> None:
            # The typed text is shown again, so that it can be saved after all.
            number = view.place.case_number
            dialog = CommentDialog(number, view.sheet, comment, None, notice.content)
            self._screen.app.push_screen(dialog, self._comment)

        self._saving.save(write, ask_again)

    def ask_note(self) -> None:
        """Show the notes, and ask for a new one."""
        self._ask_note("", None)

    def _ask_note(self, text: str, wrong: Content | None) -> None:
        notes = notes_of(self._session.history.events.values())
        self._screen.app.push_screen(note_dialog(notes, text, wrong), self._note)

    def _note(self, text: str | None) -> None:
        if not text:
            return

        def write() -> Notice:
            self._session.note(text)
            return notices.note_saved()

        self._saving.save(write, lambda notice: self._ask_note(text, notice.content))

    def commented_lines(self, view: ViewState) -> CommentedLinesOf | None:
        """A function that finds the lines of a text that the case's comment is about."""
        passage = Passage.of_json(view.verdict.passage)
        return commented_lines([passage] if passage else [], [*view.sheet])

    def _offered_passage(self, view: ViewState) -> tuple[bool, Passage | None]:
        """A passage of the focused pane, and whether the rater chose it."""
        text_pane = self._case.grid.focused_pane
        pane = _pane(view, text_pane.pane_text.pane) if text_pane and text_pane.pane_text else None
        if text_pane is None or text_pane.pane_text is None or pane is None:
            return False, None
        chosen, lines = text_pane.chosen_lines, text_pane.lines
        about = chosen or text_pane.top_line
        # A word of a turn can be selected with the mouse; the pointer is at a turn.
        whole = text_pane.text_selection is None
        return bool(chosen), passage_at(pane, text_pane.pane_text, lines, about, whole_turns=whole)


def _pane(view: ViewState, key: str) -> Pane | None:
    return next((pane for pane in view.sheet if pane.key == key), None)
