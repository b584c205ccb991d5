"""What the screens that write have in common: while another program writes, they say so and try again."""

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
# A key that was pressed longer ago was pressed at something that the rater had not yet seen.
SLOW_SECONDS = 0.7

StoreOperation = Callable[[], None]
Failed = Callable[[ReviewerError], None]


class StoreRetryScreen(Screen[None]):
    """Never freezes on a store that is busy, and loses no key unsaid.

    Keys that are pressed meanwhile are held. Where it took long they are dropped, for they were aimed at
    what was on the screen before, and ``tell_dropped`` says how many.
    """

    def tell_waiting(self) -> None:
        """Say that the store is busy and this is being tried again."""
        raise NotImplementedError

    def tell_dropped(self, keys: int) -> None:
        """Say that so many keys were pressed meanwhile and did nothing."""
        raise NotImplementedError

    def store_gone(self) -> None:
        """Offer to write what was saved here to new files, where the store was moved or deleted."""
        self.call_after_refresh(self._offer_files)  # behind the dialog stands by then that nothing was saved

    def tell_rescued(self, sentence: str) -> None:
        """Say what was written to a new file."""
        raise NotImplementedError

    def _offer_files(self) -> None:
        if not isinstance(self.app.screen, RescueDialog):
            self._offer_next([*base_app(self).sessions.values()])

    def _offer_next(self, sessions: list[Session], told: Sequence[str] = ()) -> None:
        """One dialog after the other: a session of each study and person that had the store open."""
        if not sessions:
            if told:
                self.tell_rescued(" ".join(told))
            return
        *others, newest = sessions

        def written(sentence: str | None) -> None:
            self._offer_next(others, [*told, *([sentence] if sentence else [])])

        self.app.push_screen(RescueDialog(newest), written)

    def with_store(self, operation: StoreOperation, failed: Failed) -> None:
        """Do a deed that takes the write lock; where that cannot be had in time, or it fails, ``failed``."""
        began = time.monotonic()
        if not self._done(operation, failed, last=WAITS_SECONDS <= 0):
            base_app(self).hold_keys()
            self.tell_waiting()
            self._later(operation, failed, began)

    def once_painted(self, operation: StoreOperation) -> None:
        """Do what may take long after what was just said is painted, unless something is under way already.

        Keys that come meanwhile are for what the deed shows, and are handled then.
        """
        app = base_app(self)
        if app.holds_keys:
            return
        app.hold_keys()

        def do() -> None:
            app.release_keys(drop=False)
            operation()

        # The screen does not know yet that a widget has something to paint, and would call at once.
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
