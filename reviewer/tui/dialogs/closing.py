"""Closing a study, or opening it again: both dialogs say what follows and ask why."""

from textual.app import ComposeResult
from textual.widgets import Input, Static

from reviewer.core.errors import RequestError
from reviewer.study.design.closing import checked_reason
from reviewer.study.design.stop_rule import REOPENED
from reviewer.study.session.rater_progress import StudyProgress, owed_in_words
from reviewer.tui.dialogs.form import Form, labelled
from reviewer.tui.rendering.literal import literal


class CloseDialog(Form[str]):
    """Returns why the study is closed, which may be ""."""

    TITLE_LINE = "close the study"
    DONE = "Close it"

    def __init__(self, progress: StudyProgress) -> None:
        super().__init__()
        self._progress = progress

    def fields(self) -> ComposeResult:
        """Who has not finished, what follows, and why."""
        name, waiting = self._progress.study.name, owed_in_words(self._progress)
        state = f"Not finished: {waiting}." if waiting else "Every rater who has begun has finished."
        yield Static(literal(f"{name}: {state}", "bold"))
        yield Static(
            literal(
                "Nobody can answer in a closed study; what arrives later is kept apart. Then everybody may "
                "see the answers, and disputes are decided. It can be opened again; both are recorded."
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
