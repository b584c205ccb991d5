"""A grid of numbers under a cell cursor; a heat map where its cells have shades."""

from collections.abc import Mapping

from rich.style import Style
from rich.text import Text
from textual.color import Color
from textual.coordinate import Coordinate
from textual.message import Message
from textual.theme import Theme
from textual.widgets import DataTable

from reviewer.core.sanitize import one_line
from reviewer.tui.rendering.grid import Grid, GridCell

_WIDE = 100
_WIDEST, _WIDEST_ON_WIDE = 30, 60
"""The most columns that a cell takes, on a narrow screen and on a wide one."""
_FAINTEST, _STRONGEST = 0.1, 0.75
"""How much of a theme's main colour a share of 0 and a share of 1 have."""
_FRAME = ("▐", "▌")
"""The sides of the cell under the cursor."""


class NumberGrid(DataTable[Text]):
    """Shows a grid; posts messages when the cursor moves and when a cell is chosen."""

    DEFAULT_CSS = """
    NumberGrid, NumberGrid:focus {
        height: 1fr; background: $background; background-tint: $background 0%;
        scrollbar-size-horizontal: 1;
    }
    NumberGrid > .datatable--header { background: $background; color: $foreground 60%; text-style: bold; }
    NumberGrid > .datatable--fixed { background: $background; color: $foreground; }
    NumberGrid > .datatable--cursor, NumberGrid:focus > .datatable--cursor,
    NumberGrid > .datatable--fixed-cursor, NumberGrid:focus > .datatable--fixed-cursor {
        background: $background; color: $foreground; text-style: bold;
    }
    """

    class Moved(Message):
        """The cursor is on this cell now."""

        def __init__(self, cell: GridCell) -> None:
            self.cell = cell
            super().__init__()

    class Chosen(Message):
        """This cell was chosen."""

        def __init__(self, cell: GridCell) -> None:
            self.cell = cell
            super().__init__()

    def __init__(self) -> None:
        super().__init__(
            cursor_type="cell",
            cursor_foreground_priority="renderable",
            cursor_background_priority="renderable",
            zebra_stripes=False,
            cell_padding=0,
        )
        self.grid: Grid | None = None
        self._sorted_by: int | None = None
        self._descending = False
        self._framed: Coordinate | None = None
        self._widths: list[int] = []

    def on_mount(self) -> None:
        """Draw the shades again when the theme changes."""
        self.app.theme_changed_signal.subscribe(self, self._in_new_theme)

    def _in_new_theme(self, _theme: Theme) -> None:
        if self.grid is not None:
            at = self.cursor_coordinate
            self.show(self.grid, self._sorted_by, self._descending)
            self.move_cursor(row=at.row, column=at.column)

    def show(self, grid: Grid, sorted_by: int | None, descending: bool) -> None:
        """Draw a grid. The cursor keeps its column; at first it is beside the names, on the first number."""
        column = 1 if self.grid is None else self.cursor_column
        self.grid, self._sorted_by, self._descending, self._framed = grid, sorted_by, descending, None
        self.clear(columns=True)
        widths = [
            max((self._width(row[place]) for row in grid.rows), default=0) for place in range(len(grid.heads))
        ]
        self._widths = widths
        rows = [
            [self._text(cell, width) for cell, width in zip(row, widths, strict=True)] for row in grid.rows
        ]
        for index, head in enumerate(grid.heads):
            sign = "" if index != sorted_by else " ▼" if descending else " ▲"
            title = Text(f" {one_line(head, self._widest)}{sign} ")
            # The table measures its own columns while it is in sight only.
            cells = (title, *(row[index] for row in rows))
            self.add_column(title, width=max(line.cell_len for text in cells for line in text.split()))
        for texts in rows:
            self.add_row(*texts, height=grid.height)
        # What a row is about stays in sight while the numbers scroll, where it leaves them room.
        self.fixed_columns = grid.keys if self.app.size.width >= _WIDE else 1
        self.move_cursor(row=0, column=min(column, len(grid.heads) - 1))

    def cell_at_cursor(self) -> GridCell | None:
        """The cell under the cursor."""
        if self.grid is None or not self.grid.rows:
            return None
        return self.grid.rows[self.cursor_row][self.cursor_column]

    def on_data_table_cell_highlighted(self, event: DataTable.CellHighlighted) -> None:
        """Frame the cell under the cursor, and post it."""
        event.stop()
        cell = self.cell_at_cursor()
        if cell is not None:
            self._frame(self.cursor_coordinate)
            self.post_message(self.Moved(cell))

    def _frame(self, at: Coordinate) -> None:
        if self.grid is None:
            return
        for place, frame in ((self._framed, (" ", " ")), (at, _FRAME)):
            if place is not None:
                cell, width = self.grid.rows[place.row][place.column], self._widths[place.column]
                self.update_cell_at(place, self._text(cell, width, frame))
        self._framed = at

    def on_data_table_cell_selected(self, event: DataTable.CellSelected) -> None:
        """Post the chosen cell."""
        event.stop()
        cell = self.cell_at_cursor()
        if cell is not None:
            self.post_message(self.Chosen(cell))

    def _text(self, cell: GridCell, width: int, frame: tuple[str, str] = (" ", " ")) -> Text:
        """The lines of a cell between the two sides of a frame; of several lines the first is large."""
        left, right = frame
        lines = [f"{left}{self._shown(cell, line).ljust(width)}{right}" for line in cell.lines]
        if cell.shade is not None:
            return Text("\n".join(lines), style=shaded(self.app.theme_variables, cell.shade))
        if cell.hatched:
            return Text("\n".join(lines), style=Style(dim=True))
        first, *others = lines
        if not others:
            return Text(first)
        return Text.assemble((first, Style(bold=True)), *((f"\n{line}", Style(dim=True)) for line in others))

    @property
    def _widest(self) -> int:
        return _WIDEST_ON_WIDE if self.app.size.width >= _WIDE else _WIDEST

    def _width(self, cell: GridCell) -> int:
        return max(len(self._shown(cell, line)) for line in cell.lines)

    def _shown(self, cell: GridCell, line: str) -> str:
        return line if cell.drawn else one_line(line, self._widest)


def shaded(colours: Mapping[str, str], share: float) -> Style:
    """From hardly coloured at 0 to a theme's main colour at 1, with letters that can be read on it.

    Themes of the terminal's own colours get none: what these are is not known, so they cannot be mixed.
    """
    ground, full = (Color.parse(colours[name]) for name in ("background", "primary"))
    if ground.ansi is not None or full.ansi is not None:
        return Style.null()
    shade = ground.blend(full, _FAINTEST + (_STRONGEST - _FAINTEST) * max(0.0, min(1.0, share)))
    return Style(color=shade.get_contrast_text(1.0).hex, bgcolor=shade.hex)
