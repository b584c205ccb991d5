"""What the home screen does with finished studies: closing, adjudication, final labels."""

from functools import partial

from textual import work
from textual.message import Message

from reviewer.core.errors import ReviewerError
from reviewer.core.sanitize import counted
from reviewer.study.adjudication.adjudication_session import AdjudicationSession
from reviewer.study.design.closing import close_study, owed_in_words, reopen_study
from reviewer.study.session.rater_progress import StudyProgress
from reviewer.tui.base_app import base_app
from reviewer.tui.dialogs.closing import CloseDialog, ReopenDialog
from reviewer.tui.screens.adjudication import DisputeQueueScreen
from reviewer.tui.screens.own_labels import OwnLabelsScreen
from reviewer.tui.screens.store_work import StoreWork
from reviewer.tui.widgets.study_list import StudyList


class DecidingHome(StoreWork):
    """Acts on the highlighted study."""

    rater: str

    class Disputed(Message):
        """The disputes of a study were read."""

        def __init__(self, session: AdjudicationSession) -> None:
            self.session = session
            super().__init__()

    def say(self, sentence: str, failed: bool = False) -> None:
        """Put a sentence on the status line."""
        raise NotImplementedError

    def action_close(self) -> None:
        """Ask why, then close the study, or open it again."""
        progress = self._chosen()
        if progress is None:
            return
        if progress.study.closed_at is None:
            self.app.push_screen(CloseDialog(progress), partial(self._close, progress.study.name))
        else:
            self.app.push_screen(ReopenDialog(progress), partial(self._reopen, progress.study.name))

    def _close(self, study: str, why: str | None) -> None:
        def close() -> None:
            act = close_study(self.database, study, self.rater, why or "", anyway=True)
            self.say(
                f"✓ {study} is closed with {counted(len(act.held), 'event')}; d decides where raters disagree"
            )
            self.read_store()

        if why is not None:
            self.with_store(close, self._complain)

    def _reopen(self, study: str, why: str | None) -> None:
        def reopen() -> None:
            reopen_study(self.database, study, self.rater, why or "")
            self.say(f"✓ {study} takes answers again")
            self.read_store()

        if why is not None:
            self.with_store(reopen, self._complain)

    def action_decide(self) -> None:
        """Open the disputes once all answers are in: people who have seen them can no longer rate."""
        progress = self._chosen()
        if progress is None:
            return
        name = progress.study.name
        if progress.study.closed_at is None and not progress.finished:
            waiting = owed_in_words(progress) or "nobody has begun"
            self.say(f"Disputes are decided once all have finished or the study is closed: {waiting}.")
            return
        self.say("Reading the verdicts …")
        self.read_disputes(name, self.rater)

    @work(thread=True, exclusive=True, group="disputes")
    def read_disputes(self, study: str, rater: str) -> None:
        """Read every verdict of a study: thousands take a moment."""
        try:
            session = AdjudicationSession(self.database, study, rater, given="app")
        except ReviewerError as error:
            self.post_message(self.Failed(str(error)))
        else:
            self.post_message(self.Disputed(session))

    def on_deciding_home_disputed(self, message: Disputed) -> None:
        """Open the queue, unless another screen was opened meanwhile."""
        self.say("")
        if self.is_current:
            base_app(self).keep_session(message.session)
            self.app.push_screen(DisputeQueueScreen(message.session))

    def action_final(self) -> None:
        """Show where this rater differs from the final labels."""
        progress = self._chosen()
        if progress is None:
            return
        if progress.study.closed_at is None:
            self.say("You can compare with the final labels once the study is closed.")
            return
        self.say("")
        self.app.push_screen(OwnLabelsScreen(self.database, progress.study.name, self.rater))

    def _chosen(self) -> StudyProgress | None:
        progress = self.query_one(StudyList).chosen
        if progress is None:
            self.say("There is no study yet.", failed=True)
        return progress

    def _complain(self, error: ReviewerError) -> None:
        self.say(str(error), failed=True)
