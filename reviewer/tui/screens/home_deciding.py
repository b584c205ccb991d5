"""What the home screen does with finished studies: closing, adjudication, final labels, files."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from reviewer.core.errors import ReviewerError
from reviewer.core.sanitize import counted
from reviewer.tui.base_app import base_app
from reviewer.tui.in_background import in_background
from reviewer.tui.screens.store_retry import StoreRetry

if TYPE_CHECKING:
    from reviewer.study.adjudication.adjudication_session import AdjudicationSession
    from reviewer.study.session.rater_progress import StudyProgress
    from reviewer.tui.screens.home import HomeScreen


def refusal(why_not: Callable[..., str | None], *about: object) -> str | None:
    """Why something may not be seen, or why the store cannot tell; None if it may."""
    try:
        return why_not(*about)
    except ReviewerError as error:
        return str(error)


class FinishedStudies:
    """Closes, opens and decides a study for the home screen."""

    def __init__(self, home: "HomeScreen", store: StoreRetry) -> None:
        self._home, self._database, self._store = home, home.database, store
        self._say = home.say
        self._told = ""
        """The study of which a lead was told what deciding changes for them."""

    def close_or_reopen(self, progress: "StudyProgress") -> None:
        """Ask why, then close the study, or open it again."""
        from reviewer.results.labels.rater_work import what_waits
        from reviewer.tui.dialogs.closing_dialog import CloseDialog, ReopenDialog

        study = progress.study.name
        if progress.study.closed_at is None:
            waiting = partial(what_waits, self._database, progress, self._home.rater)
            self._home.app.push_screen(CloseDialog(progress, waiting), partial(self._close, study))
        else:
            self._home.app.push_screen(ReopenDialog(progress), partial(self._reopen, study))

    def _close(self, study: str, why: str | None) -> None:
        from reviewer.study.design.closing import close_study

        def close() -> None:
            act = close_study(self._database, study, self._home.rater, why or "", anyway=True)
            events = counted(len(act.held), "event")
            self._say(f"✓ {study} is closed with {events}; d decides where raters disagree")
            self._home.read_store()

        if why is not None:
            self._store.run(close, self._home.complain)

    def _reopen(self, study: str, why: str | None) -> None:
        from reviewer.study.design.closing import reopen_study

        def reopen() -> None:
            reopen_study(self._database, study, self._home.rater, why or "")
            self._say(f"✓ {study} takes answers again")
            self._home.read_store()

        if why is not None:
            self._store.run(reopen, self._home.complain)

    def export(self, progress: "StudyProgress") -> None:
        """Write labels and numbers to files."""
        from reviewer.study.session.blinding import why_not_opinions

        if reason := refusal(why_not_opinions, self._database, progress.study.name, self._home.rater):
            self._say(reason, failed=True)
        elif self._opens(progress):
            self._say(f"Exporting {progress.study.name} …")
            self._home.begin_files(self._home.work.export, progress.study.name, self._home.rater)

    def report(self, progress: "StudyProgress") -> None:
        """Write the report."""
        write = base_app(self._home).write_report
        if write is None:
            self._say("This window cannot write a report; run `reviewer report` instead.", failed=True)
        elif self._opens(progress):
            self._say(f"Writing the report of {progress.study.name} …")
            self._home.begin_files(self._home.work.report, progress.study.name, self._home.rater, write)

    def _opens(self, progress: "StudyProgress") -> bool:
        """Whether this rater may see the answers of others, and there are any; if not, say why."""
        if reason := self.refusal_of(progress):
            self._say(reason, failed=True)
        elif not any(known.labelled for known in progress.raters):
            self._say("Nobody has answered anything in this study yet.", failed=True)
        else:
            return True
        return False

    def refusal_of(self, progress: "StudyProgress") -> str | None:
        """Why this rater may not see the answers of others, or why the store cannot tell."""
        from reviewer.study.session.blinding import why_not_others_answers

        return refusal(why_not_others_answers, self._database, progress, self._home.rater)

    def decide(self, progress: "StudyProgress") -> None:
        """Open the disputes once all answers are in: people who have seen them can no longer rate."""
        from reviewer.study.session.rater_progress import owed_in_words

        if progress.study.closed_at is None and not progress.finished:
            waiting = owed_in_words(progress) or "nobody has begun"
            self._say(f"Disputes are decided once all have finished or the study is closed: {waiting}.")
            return
        if self._must_be_told(progress):
            self._told = progress.study.name
            self._say(
                "If you decide, you adjudicate: findings (v) wait until all is decided. d again opens it."
            )
            return
        self._say("Reading the verdicts …")
        read = partial(self._read_disputes, progress.study.name, self._home.rater)
        in_background(self._home, "disputes", read, self._show_disputes, self._home.complain)

    def _must_be_told(self, progress: "StudyProgress") -> bool:
        """Whether this is a lead who looks in for the first time, and would lose sight of findings by it."""
        from reviewer.study.session.blinding import adjudicates

        study, rater = progress.study.name, self._home.rater
        if rater not in progress.leads or self._told == study:
            return False
        return not adjudicates(self._database, study, rater)

    def _read_disputes(self, study: str, rater: str) -> "AdjudicationSession":
        """Read every verdict of a study: thousands take a moment."""
        from reviewer.study.adjudication.adjudication_session import AdjudicationSession

        return AdjudicationSession(self._database, study, rater)

    def _show_disputes(self, session: "AdjudicationSession") -> None:
        """Open the queue, unless another screen was opened meanwhile."""
        from reviewer.tui.screens.adjudication import DisputeQueueScreen

        self._say("")
        if self._home.is_current:
            base_app(self._home).keep_session(session)
            self._home.app.push_screen(DisputeQueueScreen(session))

    def compare(self, progress: "StudyProgress") -> None:
        """Show where this rater differs from the final labels; to others, all final labels."""
        from reviewer.tui.screens.own_labels import OwnLabelsScreen

        if progress.study.closed_at is None and progress.own(self._home.rater) is not None:
            self._say("You can compare with the final labels once the study is closed.")
            return
        if reason := self.refusal_of(progress):
            self._say(reason, failed=True)
            return
        self._say("")
        self._home.app.push_screen(OwnLabelsScreen(self._database, progress.study.name, self._home.rater))
