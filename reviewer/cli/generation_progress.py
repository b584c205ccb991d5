"""How a run of generation is shown while it goes: a table that stays in place, or a line for every round."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console, Group
from rich.live import Live
from rich.table import Table as RichTable
from rich.text import Text

from reviewer.cli.options import note
from reviewer.core.table import Table
from reviewer.llm.usage import Usage
from reviewer.runs.generation.progress_text import (
    discarded_in_words,
    sentence_of,
    spent_in_words,
    state_of,
    time_left,
)
from reviewer.runs.generation.run_progress import RunProgress

COLUMNS = ("group", "valid", "target", "tried", "expansions", "state")


class Display:
    """What is known at a moment. ``watch`` tells it where to read what was spent."""

    def __init__(self) -> None:
        self._standing: RunProgress | None = None
        self._spent: Callable[[], Usage] = Usage
        self._began = time.monotonic()
        self._valid_before = 0

    def watch(self, spent: Callable[[], Usage]) -> None:
        """Read what was spent from here."""
        self._spent = spent

    def show(self, standing: RunProgress) -> None:
        """The run stands so now."""
        if self._standing is None:
            self._valid_before = standing.valid
        self._standing = standing

    def say(self, sentence: str) -> None:
        """Say something above the display."""
        note(sentence)

    def lines(self) -> list[str]:
        """What was spent, the funnel so far, and the time left."""
        if self._standing is None:
            return ["Getting ready …"]
        gained = self._standing.valid - self._valid_before
        left = time_left(self._standing, gained, time.monotonic() - self._began)
        return [spent_in_words(self._spent()), discarded_in_words(self._standing), left]

    def table(self) -> RichTable:
        """One row a group."""
        table = RichTable(box=None, pad_edge=False)
        for name in COLUMNS:
            table.add_column(Text(name), justify="left" if name in ("group", "state") else "right")
        for row in standing_table(self._standing).rows if self._standing else ():
            table.add_row(*(Text(str(cell)) for cell in row))
        return table


@contextmanager
def showing() -> Iterator[Display]:
    """A display on stderr: in place for a person, else a line whenever a round is done."""
    if not sys.stderr.isatty():
        yield _Lines()
        return
    display = _InPlace()
    with Live(get_renderable=display.drawn, console=display.console, refresh_per_second=4):
        yield display


class _InPlace(Display):
    """Stays where it is, and is drawn again."""

    def __init__(self) -> None:
        super().__init__()
        self.console = Console(stderr=True)

    def say(self, sentence: str) -> None:
        """Say something above the display."""
        self.console.print(Text(sentence))

    def drawn(self) -> Group:
        """The groups, and what else is known."""
        return Group(self.table(), *map(Text, self.lines()))


class _Lines(Display):
    """Says a line when another round is done."""

    _rounds = -1

    def show(self, standing: RunProgress) -> None:
        """The run stands so now."""
        super().show(standing)
        if standing.rounds != self._rounds:
            self._rounds = standing.rounds
            parts = [f"round {standing.rounds}", sentence_of(standing), *self.lines()]
            note("; ".join(part.rstrip(".") for part in parts))


def standing_table(standing: RunProgress) -> Table:
    """How far each group is."""
    rows = [(g.group, g.valid, g.target, g.tried, g.expansions, state_of(g)) for g in standing.groups]
    return Table.of(COLUMNS, rows)
