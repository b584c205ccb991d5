"""Saving into a session: only once the change is durable, the screen is drawn and says what was saved."""

import time
from collections.abc import Callable

from textual.screen import Screen

from reviewer.core.errors import ReviewerError
from reviewer.tui.base_app import base_app
from reviewer.tui.rendering import notices
from reviewer.tui.rendering.notices import Notice
from reviewer.tui.screens.store_retry import SLOW_SECONDS, StoreRetry
from reviewer.tui.widgets.saved_line import SavedLine


class Saving:
    """Saves, then lets the screen draw, and says what happened on the saved line."""

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
