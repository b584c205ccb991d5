"""What screens share: a head, a line with the latest notice, a line of keys, and how they are left."""

from collections.abc import Iterable
from typing import ClassVar

from textual.screen import Screen
from textual.widgets import Static

from reviewer.core.errors import ReviewerError
from reviewer.tui.rendering.literal import literal_line
from reviewer.tui.styles import StyledOnce
from reviewer.tui.widgets.key_hints import Hint, hint, in_one_line, keys_by_id, offered
from reviewer.tui.widgets.label import PlainLabel, StatusLine


class AppScreen(StyledOnce, Screen[None]):
    """A whole screen, with ``#head``, a status line, and ``#keys`` where it has them."""

    SIDES: ClassVar[int] = 2
    """Cells of a line that hold no text."""

    @property
    def room(self) -> int:
        """The cells that a line may take."""
        return max(20, self.app.size.width - self.SIDES)

    def put_head(self, head: str) -> None:
        """Show the head in one line."""
        self.query_one("#head", Static).update(literal_line(head, self.room))

    def put_keys(self, hints: Iterable[Hint], last: Iterable[Hint] = (), *, enter: str = "") -> None:
        """Show the keys that work, by their ids and words; ``last`` are at the end of the line.

        ``enter`` is the word of Enter, "" if it does nothing.
        """
        keys, first = keys_by_id(self), [hint("enter", enter)] if enter else []
        line = in_one_line([*first, *offered(keys, hints)], offered(keys, last), self.room)
        self.query_one("#keys", PlainLabel).put(line)

    def say(self, sentence: str, failed: bool = False) -> None:
        """Show a sentence until the next one."""
        self.query_one(StatusLine).say(sentence, failed)

    def complain(self, error: ReviewerError) -> None:
        """Show an error."""
        self.say(str(error), failed=True)

    def action_keys(self) -> None:
        """Show all keys with their effects."""
        from reviewer.tui.dialogs.key_sheet import KeySheet  # loads for few people

        self.app.push_screen(KeySheet.of(self))

    def action_leave(self) -> None:
        """Go back."""
        self.dismiss()
