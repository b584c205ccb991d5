"""How far a run is, as lines on stderr: in place for a person, else a line a round and every few seconds."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from reviewer.cli.printing import note
from reviewer.runs.engine.run_progress import RunProgress, discarded_in_words, spent_in_words, time_left

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from reviewer.llm.usage import Usage

_SECONDS_A_LINE = 10


class ProgressLines:
    """Lines about a run that is under way."""

    def __init__(self) -> None:
        self.spent: Callable[[], Usage] | None = None
        self.console: Console | None = None
        """Where the lines are drawn in place; None if they are not."""
        self._began = self._said = time.monotonic()
        self._first: RunProgress | None = None
        self._progress: RunProgress | None = None

    def watch(self, spent: "Callable[[], Usage]") -> None:
        """Read what was spent from here."""
        self.spent = spent

    def show(self, progress: RunProgress) -> None:
        """Show this progress: drawn in place, or by a line after each round and every few seconds."""
        before, self._progress = self._progress, progress
        self._first = self._first or progress
        new_round = before is not None and before.rounds != progress.rounds
        if self.console is None and (new_round or time.monotonic() - self._said >= _SECONDS_A_LINE):
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
        """How far the run is, what was spent, the discarded candidates so far, and the time left."""
        now = self._progress
        if now is None or self._first is None:
            return ["Getting ready …"]
        spent = spent_in_words(self.spent()) if self.spent else ""
        discarded = discarded_in_words(now) if now.discarded else ""
        left = time_left(self._first, now, time.monotonic() - self._began)
        return [now.sentence, *filter(None, (spent, discarded, left))]

    def drawn(self) -> "RenderableType":
        """The table as far as it is filled, then the lines."""
        from rich.console import Group
        from rich.table import Table as RichTable
        from rich.text import Text

        grid = RichTable(box=None, pad_edge=False)
        table = self._progress.table if self._progress else None
        for name in table.columns if table else ():
            grid.add_column(Text(name))
        for row in table.rows if table else ():
            grid.add_row(*(Text("" if cell is None else str(cell)) for cell in row))
        return Group(grid, *map(Text, self.lines()))


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
