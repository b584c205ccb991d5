"""The base of all screens that write: while another program writes, they say so and try again."""

import time
from collections.abc import Callable, Sequence
from functools import partial

from textual.screen import Screen

from reviewer.core.errors import ReviewerError, StoreBusyError, StoreGoneError
from reviewer.exchange.packs.rescue import Session
from reviewer.tui.base_app import base_app
from reviewer.tui.dialogs.rescue import RescueDialog
from store.lock_timeout import short_lock_timeout

WAITS_SECONDS = 5.0
"""How long a screen goes on trying before it says that nothing was saved."""
_BETWEEN_SECONDS = 0.12
# After a longer wait, keys pressed meanwhile were meant for a screen that has changed.
SLOW_SECONDS = 0.7

StoreOperation = Callable[[], None]
Failed = Callable[[ReviewerError], None]


class StoreRetryScreen(Screen[None]):
    """Never freezes while the store is busy, and never loses a key without saying so.

    Keys that are pressed meanwhile are held. After a long wait they are dropped, since they were meant for
    the earlier screen, and ``tell_dropped`` says how many.
    """

    def tell_waiting(self) -> None:
        """Say that the store is busy and that the app tries again."""
        raise NotImplementedError

    def tell_dropped(self, keys: int) -> None:
        """Say how many keys were pressed meanwhile and did nothing."""
        raise NotImplementedError

    def store_gone(self) -> None:
        """Offer to write saved work to new files, since the store was moved or deleted."""
        self.call_after_refresh(
            self._offer_files
        )  # by then the screen behind the dialog says that nothing was saved

    def tell_rescued(self, sentence: str) -> None:
        """Say what was written to a new file."""
        raise NotImplementedError

    def _offer_files(self) -> None:
        if not isinstance(self.app.screen, RescueDialog):
            self._offer_next([*base_app(self).sessions.values()])

    def _offer_next(self, sessions: list[Session], sentences: Sequence[str] = ()) -> None:
        """Show one dialog after another, for the session of each study and person that used the store."""
        if not sessions:
            if sentences:
                self.tell_rescued(" ".join(sentences))
            return
        *others, newest = sessions

        def written(sentence: str | None) -> None:
            self._offer_next(others, [*sentences, *([sentence] if sentence else [])])

        self.app.push_screen(RescueDialog(newest), written)

    def with_store(self, operation: StoreOperation, failed: Failed) -> None:
        """Do an operation that takes the write lock; if it fails or gets no lock in time, call ``failed``."""
        began = time.monotonic()
        if not self._done(operation, failed, last=WAITS_SECONDS <= 0):
            base_app(self).hold_keys()
            self.tell_waiting()
            self._later(operation, failed, began)

    def once_painted(self, operation: StoreOperation) -> None:
        """Do a slow operation once the latest notice is painted, unless another operation is under way.

        Keys that come meanwhile are meant for what the operation shows; they are handled after it.
        """
        app = base_app(self)
        if app.holds_keys:
            return
        app.hold_keys()

        def do() -> None:
            app.release_keys(drop=False)
            operation()

        # Without this, the screen does not know yet that a widget must be painted, and would call at once.
        self.refresh()
        self.call_after_refresh(do)

    def _later(self, operation: StoreOperation, failed: Failed, began: float) -> None:
        self.set_timer(_BETWEEN_SECONDS, partial(self._again, operation, failed, began))

    def _again(self, operation: StoreOperation, failed: Failed, began: float) -> None:
        waited = time.monotonic() - began
        if not self._done(operation, failed, last=waited > WAITS_SECONDS):
            self._later(operation, failed, began)
        elif dropped := base_app(self).release_keys(drop=waited > SLOW_SECONDS):
            self.tell_dropped(dropped)

    def _done(self, operation: StoreOperation, failed: Failed, *, last: bool) -> bool:
        """Try once; False where it should be tried again."""
        try:
            with short_lock_timeout():
                operation()
        except StoreBusyError as error:
            if not last:
                return False
            failed(error)
        except ReviewerError as error:
            failed(error)
            if isinstance(error, StoreGoneError):
                self.store_gone()
        return True
