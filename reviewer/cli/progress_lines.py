"""How far a run is, as lines on stderr: in place for a person, else a line every few seconds."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from reviewer.cli.options import note
from reviewer.runs.generation.progress_text import spent_in_words

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from reviewer.llm.usage import Usage

_SECONDS_A_LINE = 10


class ProgressLines:
    """Lines about a run that is under way; subclasses say what is in them."""

    def __init__(self) -> None:
        self.spent: Callable[[], Usage] | None = None
        self.console: Console | None = None
        """Where the lines are drawn in place; None if they are not."""
        self._said = time.monotonic()

    def watch(self, spent: "Callable[[], Usage]") -> None:
        """Read what was spent from here."""
        self.spent = spent

    def moved(self) -> None:
        """Say how far the run is, if that was some seconds ago and is not drawn in place."""
        if self.console is None and time.monotonic() - self._said >= _SECONDS_A_LINE:
            self._said = time.monotonic()
            note("; ".join(line.rstrip(".") for line in self.lines()))

    def say(self, sentence: str) -> None:
        """Say something beside the lines."""
        if self.console is None:
            note(sentence)
            return
        from rich.text import Text

        self.console.print(Text(sentence))

    def lines(self) -> list[str]:
        """How far the run is, and what was spent."""
        raise NotImplementedError

    def spent_words(self) -> list[str]:
        """What was spent so far; nothing until a client is there."""
        return [spent_in_words(self.spent())] if self.spent else []

    def drawn(self) -> "RenderableType":
        """The lines as they are drawn in place."""
        from rich.text import Text

        return Text("\n".join(self.lines()))


@contextmanager
def progress_lines(display: ProgressLines) -> Iterator[None]:
    """The lines on stderr for the duration of the block."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console
    from rich.live import Live

    display.console = Console(stderr=True)
    with Live(get_renderable=display.drawn, console=display.console, refresh_per_second=4):
        yield
