"""How a run of generation is shown while it goes: a table that stays in place, or a line for every round."""

import time

from rich.console import Group
from rich.table import Table as RichTable
from rich.text import Text

from reviewer.cli.options import note
from reviewer.cli.progress_lines import ProgressLines
from reviewer.core.table import Table
from reviewer.runs.generation.progress_text import (
    discarded_in_words,
    sentence_of,
    state_of,
    time_left,
)
from reviewer.runs.generation.run_progress import RunProgress

COLUMNS = ("group", "valid", "target", "tried", "expansions", "state")


class GenerationLines(ProgressLines):
    """What was spent, the discarded candidates so far, and the time left; in place also a table of groups."""

    def __init__(self) -> None:
        super().__init__()
        self._standing: RunProgress | None = None
        self._began = time.monotonic()
        self._valid_before, self._rounds = 0, -1

    def show(self, standing: RunProgress) -> None:
        """Show this progress; without a terminal, by a line for every round."""
        if self._standing is None:
            self._valid_before = standing.valid
        self._standing = standing
        if self.console is None and standing.rounds != self._rounds:
            self._rounds = standing.rounds
            parts = [f"round {standing.rounds}", sentence_of(standing), *self.lines()]
            note("; ".join(part.rstrip(".") for part in parts))

    def lines(self) -> list[str]:
        """What was spent, the discarded candidates so far, and the time left."""
        if self._standing is None:
            return ["Getting ready …"]
        gained = self._standing.valid - self._valid_before
        left = time_left(self._standing, gained, time.monotonic() - self._began)
        return [*self.spent_words(), discarded_in_words(self._standing), left]

    def drawn(self) -> Group:
        """One row for each group, then the lines."""
        table = RichTable(box=None, pad_edge=False)
        for name in COLUMNS:
            table.add_column(Text(name), justify="left" if name in ("group", "state") else "right")
        for row in standing_table(self._standing).rows if self._standing else ():
            table.add_row(*(Text(str(cell)) for cell in row))
        return Group(table, *map(Text, self.lines()))


def standing_table(standing: RunProgress) -> Table:
    """How far each group is."""
    rows = [(g.group, g.valid, g.target, g.tried, g.expansions, state_of(g)) for g in standing.groups]
    return Table.of(COLUMNS, rows)
