"""A grid of numbers under a cell cursor; a heat map where its cells have shades."""

from rich.style import Style
from rich.text import Text
from textual.message import Message
from textual.widgets import DataTable

from reviewer.core.sanitize import one_line
from reviewer.tui.rendering.grid import Grid, GridCell

_WIDEST = 30
_WIDE = 100
# From dark to bright, distinguishable with any colour vision; letters are white in every theme.
_SHADES = ("#3b2a2a", "#33333f", "#2b3d50", "#234a66", "#1b577d", "#146493")
_SHADED_FROM = 0.5


class NumberGrid(DataTable[Text]):
    """Shows a grid; posts messages when the cursor moves and when a cell is chosen."""

    DEFAULT_CSS = """
    NumberGrid, NumberGrid:focus {
        height: 1fr; background: $background; background-tint: $background 0%;
        scrollbar-size-horizontal: 1;
    }
    NumberGrid > .datatable--header { background: $background; color: $foreground 60%; text-style: bold; }
    NumberGrid > .datatable--fixed { background: $background; color: $foreground; }
    NumberGrid > .datatable--cursor, NumberGrid:focus > .datatable--cursor {
        background: $foreground 40%; color: $foreground; text-style: bold;
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
            zebra_stripes=False,
            cell_padding=1,
        )
        self.grid: Grid | None = None

    def show(self, grid: Grid, sorted_by: int | None, descending: bool) -> None:
        """Draw a grid. The cursor keeps its column; at first it is beside the names, on the first number."""
        column = 1 if self.grid is None else self.cursor_column
        self.grid = grid
        self.clear(columns=True)
        widths = [
            max((_width(row[place]) for row in grid.rows), default=0) for place in range(len(grid.heads))
        ]
        rows = [[_text(cell, width) for cell, width in zip(row, widths, strict=True)] for row in grid.rows]
        for index, head in enumerate(grid.heads):
            sign = "" if index != sorted_by else " ▼" if descending else " ▲"
            title = Text(one_line(head, _WIDEST) + sign)
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
        """Post the cell under the cursor."""
        event.stop()
        cell = self.cell_at_cursor()
        if cell is not None:
            self.post_message(self.Moved(cell))

    def on_data_table_cell_selected(self, event: DataTable.CellSelected) -> None:
        """Post the chosen cell."""
        event.stop()
        cell = self.cell_at_cursor()
        if cell is not None:
            self.post_message(self.Chosen(cell))


def _text(cell: GridCell, column_width: int) -> Text:
    lines = [one_line(line, _WIDEST) for line in cell.lines]
    if cell.shade is None:
        return _large_first(lines)
    style = Style(color="#ffffff", bgcolor=_shade(cell.shade))
    first, *others = (f" {line.ljust(column_width)} " for line in lines)
    return Text.assemble((first, style + Style(bold=True)), *((f"\n{line}", style) for line in others))


def _large_first(lines: list[str]) -> Text:
    """One line as it is; of several, the first is large and the others are small."""
    first, *others = lines
    if not others:
        return Text(first)
    return Text.assemble((first, Style(bold=True)), *((f"\n{line}", Style(dim=True)) for line in others))


def _width(cell: GridCell) -> int:
    return max(len(one_line(line, _WIDEST)) for line in cell.lines)


def _shade(agreement: float) -> str:
    place = (agreement - _SHADED_FROM) / (1 - _SHADED_FROM) * len(_SHADES)
    return _SHADES[max(0, min(len(_SHADES) - 1, int(place)))]
