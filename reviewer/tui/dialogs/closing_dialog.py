"""Closing a study, or opening it again: both dialogs state the effect and ask for a reason."""

from collections.abc import Callable

from textual.app import ComposeResult
from textual.widgets import Input, Static

from reviewer.core.errors import RequestError, ReviewerError
from reviewer.study.design.closing import checked_reason
from reviewer.study.design.study_design import REOPENED
from reviewer.study.session.rater_progress import StudyProgress, owed_in_words
from reviewer.tui.dialogs.form import Form, labelled
from reviewer.tui.in_background import in_background
from reviewer.tui.rendering.literal import literal


class CloseDialog(Form[str]):
    """Returns why the study is closed, which may be ""."""

    TITLE_LINE = "close the study"
    DONE = "Close it"

    def __init__(self, progress: StudyProgress, waiting: Callable[[], str]) -> None:
        super().__init__()
        self._progress, self._waiting = progress, waiting

    def on_mount(self) -> None:
        """Read what waits in the background: thousands of verdicts take a moment."""
        in_background(self, "waits", self._waiting, self._show_waiting, self._show_waiting)

    def _show_waiting(self, sentence: str | ReviewerError) -> None:
        """Show the sentence, if there is one; the dialog works without it."""
        line = self.query_one("#waits", Static)
        line.update(literal(str(sentence)))
        line.display = bool(str(sentence))

    def fields(self) -> ComposeResult:
        """Who has not finished, what waits, what follows, and why."""
        name, waiting = self._progress.study.name, owed_in_words(self._progress)
        state = f"Not finished: {waiting}." if waiting else "Every rater who has begun has finished."
        yield Static(literal(f"{name}: {state}", "bold"))
        yield Static(id="waits")
        yield Static(
            literal(
                "Nobody can answer in a closed study; answers that arrive later are kept apart. Everybody "
                "may see the answers, and disputes can be decided. You can open the study again. The log "
                "keeps who closed and opened it, when and why."
            )
        )
        yield from labelled("Why now (may be empty)", Input(id="why"))

    def answer(self) -> str:
        """The reason; raises RequestError where it cannot be stored."""
        return checked_reason(self.text_of("why"))


class ReopenDialog(Form[str]):
    """Returns why the study is opened again."""

    TITLE_LINE = "open the study again"
    DONE = "Open it"

    def __init__(self, progress: StudyProgress) -> None:
        super().__init__()
        self._progress = progress

    def fields(self) -> ComposeResult:
        """What follows, and why."""
        study = self._progress.study
        yield Static(literal(f"{study.name} was closed on {(study.closed_at or '')[:10]}.", "bold"))
        yield Static(
            literal("Raters can answer again, and what came late counts. Decisions stay as they are.")
        )
        if study.design.get("stop"):
            yield Static(literal(REOPENED))
        yield from labelled("Why", Input(id="why"))

    def answer(self) -> str:
        """The reason, which is required."""
        reason = checked_reason(self.text_of("why"))
        if not reason:
            raise RequestError("opening a closed study again needs a reason.")
        return reason
