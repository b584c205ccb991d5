"""What every screen that writes has: while another program writes, the screen says so and tries again."""

import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from textual.screen import Screen

from reviewer.core.errors import ReviewerError, StoreBusyError, StoreGoneError
from reviewer.core.sanitize import counted
from reviewer.tui.base_app import BaseApp, base_app
from store.lock_timeout import short_lock_timeout

if TYPE_CHECKING:
    from reviewer.exchange.packs.pack import Session

WAITS_SECONDS = 5.0
"""How long a screen goes on trying before it says that nothing was saved."""
_BETWEEN_SECONDS = 0.12
# After a longer wait, keys pressed meanwhile were meant for a screen that has changed.
SLOW_SECONDS = 0.7

StoreOperation = Callable[[], None]
Failed = Callable[[ReviewerError], None]


class StoreRetry:
    """Never freezes its screen while the store is busy, and never loses a key without saying so.

    Keys that are pressed meanwhile are held. After a long wait they are dropped, since they were meant for
    the earlier screen, and ``dropped`` says how many. ``say`` shows a sentence on the screen.
    """

    def __init__(
        self, screen: Screen[None], say: Callable[[str], None], dropped: Callable[[int], None] | None = None
    ) -> None:
        self._screen, self._say = screen, say
        self._dropped = dropped or self._say_dropped
        self.offered_files = False
        """Whether the screen has offered to write saved work to new files, since the store is gone."""

    @property
    def _app(self) -> BaseApp:
        return base_app(self._screen)

    def _say_dropped(self, keys: int) -> None:
        self._say(f"The store was busy; {counted(keys, 'key')} pressed meanwhile did nothing.")

    # -- a store that is gone ----------------------------------------------------------------------

    def store_gone(self) -> None:
        """Offer to write saved work to new files, since the store was moved or deleted."""
        self.offered_files = True
        # By then the screen behind the dialog says that nothing was saved.
        self._screen.call_after_refresh(self._offer_files)

    def _offer_files(self) -> None:
        from reviewer.tui.dialogs.rescue import RescueDialog

        if self._app.alone:
            self._write_files()
        elif not isinstance(self._app.screen, RescueDialog):
            self._offer_next([*self._app.sessions.values()])

    def _write_files(self) -> None:
        """Write them without asking: somebody in a browser chooses no file of the server, and sees none."""
        from reviewer.exchange.packs.pack import free_name, rescue

        try:
            for session in self._app.sessions.values():
                rescue(session, free_name(session))
        except ReviewerError:
            self._say("The server lost its answers. Leave this window open, and tell the study's lead.")
        else:
            self._say(
                "The server lost its answers, and your last key was not saved. Those before it are in a new "
                "file there: tell the study's lead."
            )

    def _offer_next(self, sessions: "list[Session]", sentences: Sequence[str] = ()) -> None:
        """Show one dialog after another, for the session of each study and person that used the store."""
        from reviewer.tui.dialogs.rescue import RescueDialog

        if not sessions:
            if sentences:
                self._say(" ".join(sentences))
            return
        *others, newest = sessions

        def written(sentence: str | None) -> None:
            self._offer_next(others, [*sentences, *([sentence] if sentence else [])])

        self._app.push_screen(RescueDialog(newest), written)

    # -- a store that is busy ----------------------------------------------------------------------

    def run(self, operation: StoreOperation, failed: Failed) -> None:
        """Do an operation that takes the write lock; if it fails or gets no lock in time, call ``failed``."""
        began = time.monotonic()
        if not self._done(operation, failed, last=WAITS_SECONDS <= 0):
            self._app.hold_keys()
            self._say("… waiting for the store: another program is writing to it")
            self._later(operation, failed, began)

    def once_painted(self, operation: StoreOperation) -> None:
        """Do a slow operation once the latest notice is painted, unless another operation is under way.

        Keys that come meanwhile are meant for the result of the operation; they are handled after it.
        """
        app = self._app
        if app.holds_keys:
            return
        app.hold_keys()

        def do() -> None:
            app.release_keys(drop=False)
            operation()

        # Without this, the screen does not know yet that a widget must be painted, and would call at once.
        self._screen.refresh()
        self._screen.call_after_refresh(do)

    def _later(self, operation: StoreOperation, failed: Failed, began: float) -> None:
        self._screen.set_timer(_BETWEEN_SECONDS, partial(self._again, operation, failed, began))

    def _again(self, operation: StoreOperation, failed: Failed, began: float) -> None:
        waited = time.monotonic() - began
        if not self._done(operation, failed, last=waited > WAITS_SECONDS):
            self._later(operation, failed, began)
        elif dropped := self._app.release_keys(drop=waited > SLOW_SECONDS):
            self._dropped(dropped)

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
