"""The base of the review screen's parts: its session, saving with a notice, drawing."""

import time
from collections.abc import Callable

from reviewer.core.errors import ReviewerError
from reviewer.study.session.review_session import ReviewSession
from reviewer.tui.base_app import base_app
from reviewer.tui.rendering import notices
from reviewer.tui.rendering.notices import Notice
from reviewer.tui.screens.store_retry import SLOW_SECONDS, StoreRetryScreen
from reviewer.tui.widgets.saved_line import SavedLine


class SavingScreen(StoreRetryScreen):
    """Saves into a session, then paints, and says what happened on the saved line."""

    session: ReviewSession
    shows_finished: bool
    """Whether the panel for a finished review is shown: all is labelled, and no case was opened again."""

    def _draw(self) -> None:
        """Draw the present state of the session."""
        raise NotImplementedError

    def _say(self, notice: Notice) -> None:
        """Show a notice until the next one."""
        self.query_one(SavedLine).say(notice)

    def _save(self, operation: Callable[[], Notice], failed: Callable[[Notice], None] | None = None) -> None:
        """Do it, then paint. Where it fails, say why and stay on this case."""

        def save() -> None:
            began = time.monotonic()
            notice = operation()
            if time.monotonic() - began > SLOW_SECONDS:
                base_app(self).drop_earlier_keys()
            self._draw()
            self._say(notice)

        def complain(error: ReviewerError) -> None:
            notice = notices.failed(str(error))
            base_app(self).drop_earlier_keys()
            self._draw()
            self._say(notice)
            if failed:
                failed(notice)

        self.with_store(save, complain)

    def tell_rescued(self, sentence: str) -> None:
        """Say what was written to a new file."""
        self._say(notices.remark(sentence))

    def tell_waiting(self) -> None:
        """Say that another program is writing."""
        self._say(notices.remark("… waiting for the store: another program is writing to it"))

    def tell_dropped(self, keys: int) -> None:
        """Add to the last notice that keys did nothing."""
        self._say(notices.with_dropped(self.query_one(SavedLine).notice, keys))
