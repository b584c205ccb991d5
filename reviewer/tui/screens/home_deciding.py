"""What the home screen does with finished studies: closing, adjudication, final labels, files."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from textual.message import Message
from textual.screen import Screen

from reviewer.core.errors import ReviewerError
from reviewer.core.sanitize import counted
from reviewer.tui.base_app import base_app
from reviewer.tui.screens.store_retry import StoreRetry
from reviewer.tui.screens.store_work import StoreWork

if TYPE_CHECKING:
    from reviewer.study.adjudication.adjudication_session import AdjudicationSession
    from reviewer.study.session.rater_progress import StudyProgress
    from store.database import Database

Say = Callable[[str, bool], None]
"""Puts a sentence on the status line; the second value says whether something failed."""


class FinishedStudies:
    """Closes, opens and decides a study for its screen."""

    class Disputed(Message):
        """The disputes of a study were read."""

        def __init__(self, session: "AdjudicationSession") -> None:
            self.session = session
            super().__init__()

    def __init__(
        self, screen: Screen[None], database: "Database", work: StoreWork, store: StoreRetry, say: Say
    ) -> None:
        self._screen, self._database, self._work = screen, database, work
        self._store, self._say = store, say
        self._told = ""
        """The study of which a lead was told what deciding changes for them."""

    def close_or_reopen(self, progress: "StudyProgress", rater: str) -> None:
        """Ask why, then close the study, or open it again."""
        from reviewer.results.labels.lead_notes import what_waits
        from reviewer.tui.dialogs.closing import CloseDialog, ReopenDialog

        study = progress.study.name
        if progress.study.closed_at is None:
            waiting = partial(what_waits, self._database, progress, rater)
            self._screen.app.push_screen(CloseDialog(progress, waiting), partial(self._close, study, rater))
        else:
            self._screen.app.push_screen(ReopenDialog(progress), partial(self._reopen, study, rater))

    def _close(self, study: str, rater: str, why: str | None) -> None:
        from reviewer.study.design.closing import close_study

        def close() -> None:
            act = close_study(self._database, study, rater, why or "", anyway=True)
            events = counted(len(act.held), "event")
            self._say(f"✓ {study} is closed with {events}; d decides where raters disagree", False)
            self._work.read_store()

        if why is not None:
            self._store.run(close, self._complain)

    def _reopen(self, study: str, rater: str, why: str | None) -> None:
        from reviewer.study.design.closing import reopen_study

        def reopen() -> None:
            reopen_study(self._database, study, rater, why or "")
            self._say(f"✓ {study} takes answers again", False)
            self._work.read_store()

        if why is not None:
            self._store.run(reopen, self._complain)

    def export(self, progress: "StudyProgress", rater: str) -> None:
        """Write labels and numbers to files."""
        if reason := self._refusal_of_opinions(progress.study.name, rater):
            self._say(reason, True)
        elif self._opens(progress, rater):
            self._say(f"Exporting {progress.study.name} …", False)
            self._work.run_export(progress.study.name, rater)

    def report(self, progress: "StudyProgress", rater: str) -> None:
        """Write the report."""
        write = base_app(self._screen).write_report
        if write is None:
            self._say("This window cannot write a report; run `reviewer report` instead.", True)
        elif self._opens(progress, rater):
            self._say(f"Writing the report of {progress.study.name} …", False)
            self._work.run_report(progress.study.name, rater, write)

    def _opens(self, progress: "StudyProgress", rater: str) -> bool:
        """Whether this rater may see the answers of others, and there are any; if not, say why."""
        if reason := self.refusal_of(progress, rater):
            self._say(reason, True)
        elif not any(known.labelled for known in progress.raters):
            self._say("Nobody has answered anything in this study yet.", True)
        else:
            return True
        return False

    def _refusal_of_opinions(self, study: str, rater: str) -> str | None:
        from reviewer.study.session.blinding import why_not_opinions

        try:
            return why_not_opinions(self._database, study, rater)
        except ReviewerError as error:
            return str(error)

    def refusal_of(self, progress: "StudyProgress", rater: str) -> str | None:
        """Why this rater may not see the answers of others, or why the store cannot tell."""
        from reviewer.study.session.blinding import why_not_others_answers

        try:
            return why_not_others_answers(self._database, progress, rater)
        except ReviewerError as error:
            return str(error)

    def decide(self, progress: "StudyProgress", rater: str) -> None:
        """Open the disputes once all answers are in: people who have seen them can no longer rate."""
        from reviewer.study.session.rater_progress import owed_in_words

        if progress.study.closed_at is None and not progress.finished:
            waiting = owed_in_words(progress) or "nobody has begun"
            self._say(
                f"Disputes are decided once all have finished or the study is closed: {waiting}.", False
            )
            return
        if self._must_be_told(progress, rater):
            self._told = progress.study.name
            self._say(
                "If you decide, you adjudicate: findings (v) wait until all is decided. d again opens it.",
                False,
            )
            return
        self._say("Reading the verdicts …", False)
        reading = partial(self._read_disputes, progress.study.name, rater)
        self._screen.run_worker(reading, thread=True, exclusive=True, group="disputes")

    def _must_be_told(self, progress: "StudyProgress", rater: str) -> bool:
        """Whether this is a lead who looks in for the first time, and would lose sight of findings by it."""
        from reviewer.study.adjudication.undecided import adjudicates

        study = progress.study.name
        if rater not in progress.leads or self._told == study:
            return False
        return not adjudicates(self._database, study, rater)

    def _read_disputes(self, study: str, rater: str) -> None:
        """Read every verdict of a study: thousands take a moment."""
        from reviewer.study.adjudication.adjudication_session import AdjudicationSession

        try:
            session = AdjudicationSession(self._database, study, rater)
        except ReviewerError as error:
            self._screen.post_message(StoreWork.Failed(str(error)))
        else:
            self._screen.post_message(self.Disputed(session))

    def show_disputes(self, session: "AdjudicationSession") -> None:
        """Open the queue, unless another screen was opened meanwhile."""
        from reviewer.tui.screens.dispute_queue import DisputeQueueScreen

        self._say("", False)
        if self._screen.is_current:
            base_app(self._screen).keep_session(session)
            self._screen.app.push_screen(DisputeQueueScreen(session))

    def compare(self, progress: "StudyProgress", rater: str) -> None:
        """Show where this rater differs from the final labels; to others, all final labels."""
        from reviewer.tui.screens.own_labels import OwnLabelsScreen

        if progress.study.closed_at is None and progress.own(rater) is not None:
            self._say("You can compare with the final labels once the study is closed.", False)
            return
        if reason := self.refusal_of(progress, rater):
            self._say(reason, True)
            return
        self._say("", False)
        self._screen.app.push_screen(OwnLabelsScreen(self._database, progress.study.name, rater))

    def _complain(self, error: ReviewerError) -> None:
        self._say(str(error), True)
