"""Comments on cases and passages, flags, and notes on the work."""

from textual.content import Content
from textual.screen import Screen

from reviewer.core.pane import Pane
from reviewer.study.session.notes import notes_of
from reviewer.study.session.review_session import ReviewSession
from reviewer.tui.case.view import CaseView
from reviewer.tui.dialogs.comment import Comment, CommentDialog
from reviewer.tui.dialogs.note import NoteDialog
from reviewer.tui.rendering import notices
from reviewer.tui.rendering.notices import Notice
from reviewer.tui.rendering.passages import CommentedLinesOf, Passage, commented_lines, passage_at
from reviewer.tui.rendering.view_state import ViewState, view_state_of
from reviewer.tui.screens.saving import Saving


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
        self._screen.app.push_screen(NoteDialog(notes, text, wrong), self._note)

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
