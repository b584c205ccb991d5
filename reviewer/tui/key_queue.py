"""Keys in their order: each is handled once what the key before it brought is in place.

Textual hands every key at once to whatever has the focus. While the machine is busy, a key would so reach the
field or the case that was there before, or overtake text that is still on its way to a dialog.
"""

from collections import deque
from collections.abc import Awaitable, Callable
from functools import partial
from time import monotonic
from typing import Any, Protocol, cast

from textual.app import App
from textual.events import Key, Paste
from textual.message import Message
from textual.screen import Screen
from textual.timer import Timer
from textual.widget import Widget

from reviewer.tui.keys.label_keys import is_answer

_LEAST_ROUNDS = 2
"""What a key does may send a message, which is handled a round later."""
_LOST_AFTER_SECONDS = 1.0
"""A follower whose widget or screen has gone is sent again."""

Typed = Key | Paste
_Place = tuple[Screen[Any], Widget | None]


class _PaintedCase(Protocol):
    """What the queue asks of the view of a case."""

    @property
    def painted_at(self) -> float:
        """When the case was first painted, by the monotonic clock."""
        ...

    def tell_dropped(self, answer: str, *others: str) -> None:
        """Say that keys were dropped."""
        ...


class KeyQueue:
    """The keys that wait, and whether the next may be handled.

    Behind each key a follower takes the same way, from the focus up to the app. When it arrives and the
    screen is painted, the key was handled; when nothing has changed since the last follower, all that it
    brought is in place. A key that is held down repeats itself without waiting for the paint, unless it leads
    to another place: frames between may be skipped, and scrolling keeps up.

    An answer that was pressed before its case was first painted is dropped, with all that was typed after it
    until then: the rater has not seen what it would answer.
    """

    class Follower(Message):
        """Arrives at the app after everything that was on its way before."""

        def __init__(self, number: int) -> None:
            self.number = number
            super().__init__()

    def __init__(self, app: App[Any], handle: Callable[[Typed], Awaitable[None]]) -> None:
        self._app, self._handle = app, handle
        self._waiting: deque[Typed] = deque()
        self._number = self._rounds = 0
        self._handled: Typed | None = None
        self._at: _Place | None = None
        self._before: _Place | None = None
        self._under_way = False
        self._lost: Timer | None = None
        self._counts_from = 0.0
        self._unseen: _PaintedCase | None = None
        self._dropped: list[str] = []
        self.held = False
        """Whether keys wait until an operation ends."""

    async def add(self, event: Typed) -> None:
        """Handle a key when its turn comes."""
        self._waiting.append(event)
        await self.go_on()

    async def go_on(self) -> None:
        """Handle the next key, unless the one before it is under way or keys are held."""
        while self._waiting and self._app.screen_stack and not self._under_way and not self.held:
            event = self._waiting.popleft()
            if event.time < self._counts_from or self._is_unseen(event):
                continue
            self._under_way, self._handled, self._at = True, event, self._place
            await self._handle(event)
            self._settle()

    def release(self) -> None:
        """Hold keys no longer; the next is handled once what is on the screen now is in place."""
        self.held = False
        if not self._under_way:
            self._under_way, self._handled = True, None
            self._settle()

    # -- keys that are dropped ---------------------------------------------------------------------

    def drop_earlier(self) -> None:
        """Ignore every key that was pressed before now and is not handled yet."""
        self._counts_from = monotonic()

    def drop_waiting(self) -> int:
        """Drop all keys that wait; returns how many."""
        count = len(self._waiting)
        self._waiting.clear()
        return count

    def _is_unseen(self, event: Typed) -> bool:
        """Whether the key is an answer to a case that was not painted yet, or was typed after such a one."""
        if self._unseen is not None and event.time >= self._unseen.painted_at:
            self._unseen, self._dropped = None, []
        if self._unseen is None:
            case = self._case()
            if case is None or event.time >= case.painted_at or not self._answers(event):
                return False
            self._unseen = case
        self._dropped.append(event.key if isinstance(event, Key) else "text")
        self._unseen.tell_dropped(*self._dropped)
        return True

    def _case(self) -> "_PaintedCase | None":
        # By its name, since the first screen does without it and should not wait until it is loaded.
        return cast("_PaintedCase | None", self._app.screen.query_one_optional("CaseView"))

    def _answers(self, event: Typed) -> bool:
        if not isinstance(event, Key):
            return False
        active = self._app.screen.active_bindings.get(event.key)
        return active is not None and active.enabled and is_answer(active.binding)

    # -- when the next key may be handled ----------------------------------------------------------

    def _settle(self) -> None:
        self._rounds, self._before = 0, None
        self._follow()

    def _follow(self) -> None:
        """Begin a round."""
        self._number += 1
        self._send(self._number)

    def _send(self, number: int) -> None:
        if self._app.screen_stack and number == self._number:
            # A message goes no further up than to its sender, which may be a screen where keys are released.
            follower = self.Follower(number).set_sender(self._app)
            (self._app.focused or self._app.screen).post_message(follower)
            self._lost = self._app.set_timer(_LOST_AFTER_SECONDS, partial(self._send, number))

    def arrived(self, follower: "KeyQueue.Follower") -> None:
        """The key, or what it brought, was handled; wait for the paint unless the key is held down."""
        if not self._app.screen_stack or follower.number != self._number:
            return
        if self._is_held_down and self._place == self._at:
            self._in_place(follower.number)
        else:
            self._app.screen.call_after_refresh(self._in_place, follower.number)

    @property
    def _is_held_down(self) -> bool:
        key, following = self._handled, self._waiting[0] if self._waiting else None
        return isinstance(key, Key) and isinstance(following, Key) and key.key == following.key

    @property
    def _place(self) -> _Place:
        return self._app.screen, self._app.focused

    def _in_place(self, number: int) -> None:
        if not self._app.screen_stack or number != self._number:
            return
        if self._lost is not None:
            self._lost.stop()
        before, self._before, self._rounds = self._before, self._place, self._rounds + 1
        if self._before == before and self._rounds >= _LEAST_ROUNDS:
            self._number += 1
            self._under_way = False
            self._app.call_later(self.go_on)
        else:
            self._follow()
