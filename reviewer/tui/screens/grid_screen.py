"""A grid of numbers on a whole screen: head, meaning, grid, a sentence on the cell under the cursor, keys."""

from collections.abc import Iterable
from functools import partial
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widget import Widget
from textual.widgets import Static

from reviewer.tui.dialogs.key_sheet import KeySheet
from reviewer.tui.keys.named_keys import named_key
from reviewer.tui.rendering.grid import Grid, bars, legend_of_bars
from reviewer.tui.rendering.literal import literal
from reviewer.tui.screens.app_screen import AppScreen
from reviewer.tui.widgets.key_hints import Hint
from reviewer.tui.widgets.label import PlainLabel
from reviewer.tui.widgets.number_grid import NumberGrid

_key = partial(named_key, "grid")
SORT, BARS = ("grid.sort", "sort"), ("grid.bars", "bars")
_IN_BARS = (("grid.bars", "table"), ("grid.bars-next", "next column"))
"""Stand first where a column is drawn, in place of BARS."""
_ALWAYS = (("grid.keys", "keys"), ("grid.leave", "back"))


class GridScreen(AppScreen):
    """Shows numbers that are computed in the background, and changes nothing.

    ``enter`` is the word of Enter on the bottom line, and ``enter_help`` its sentence on the sheet of keys.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        _key("s", "sort", "sort", "sort", "Sort by this column: up, down, as it was"),
        _key("t", "bars", "bars", "bars", "Draw a column as bars with intervals, or show the table again"),
        _key(
            "left", "bar_column(-1)", "column before", "bars-before", "Draw the column before", priority=True
        ),
        _key("right", "bar_column(1)", "next column", "bars-next", "Draw the next column", priority=True),
        _key("question_mark", "keys", "keys", "keys", "Show this list", shown_as="?"),
        _key("q,escape", "leave", "back", "leave", "Go back"),
    ]
    DEFAULT_CSS = """
    GridScreen {
        background: $background; padding: 0 1;
        #meaning { height: auto; max-height: 4; padding: 0 1; color: $quiet; margin-bottom: 1; }
        #told { height: 3; padding: 0 1; margin-top: 1; color: $foreground 85%; }
        #told.-failed { color: $text-error; background: $error 20%; }
    }
    """

    SIDES = 4

    def __init__(self, enter: str, enter_help: str) -> None:
        super().__init__()
        self._enter, self._enter_help = enter, enter_help
        self._sorted_by: int | None = None
        self._descending = False
        self._whole: Grid | None = None
        self._bars: int | None = None
        """The column that is drawn as bars; None for the table."""

    def compose(self) -> ComposeResult:
        """Head, what the numbers are, grid, a sentence on the cell under the cursor, keys."""
        yield Static(id="head")
        yield Static(id="meaning")
        yield NumberGrid()
        yield from self.below_grid()
        yield Static(id="told")
        yield PlainLabel(id="keys")

    def below_grid(self) -> Iterable[Widget]:
        """What stands below the grid; by default nothing."""
        return ()

    def draw_grid(self) -> None:
        """Draw the grid if there is one; each screen does. Textual's metaclass allows no abstract methods."""
        raise NotImplementedError

    def show_grid(self, grid: Grid) -> None:
        """Show a grid, drawn and sorted as it is now."""
        self._whole = grid
        if self._sorted_by is not None:
            grid = grid.ordered(self._sorted_by, self._descending)
        if self._bars is not None and grid.drawable:
            self._bars = min(grid.drawable, key=lambda place: abs(place - (self._bars or 0)))
            grid = bars(grid, self._bars, self.room)
        self.query_one(NumberGrid).show(grid, self._shown_sorting, self._descending)

    @property
    def _shown_sorting(self) -> int | None:
        """The head that has the sign of sorting."""
        keys = self._whole.keys if self._whole else 1
        if self._bars is None or self._sorted_by is None or self._sorted_by < keys:
            return self._sorted_by
        return keys if self._sorted_by == self._bars else None

    def show_head(self, *parts: str) -> None:
        """Show the first line; empty parts are left out."""
        self.put_head(" · ".join(filter(None, parts)))

    def show_meaning(self, meaning: str, legend: str = "") -> None:
        """Show the meaning of the numbers, with the ``legend`` of the table, or that of bars."""
        if self._bars is not None and self._whole is not None:
            legend = legend_of_bars(self._whole, self._bars)
        told = "   ".join(filter(None, (meaning, legend)))
        self.query_one("#meaning", Static).update(literal(told))

    @property
    def drawn_column(self) -> int | None:
        """The column that is drawn as bars; None for the table."""
        return self._bars

    def show_keys(self, known: Iterable[Hint]) -> None:
        """Show the keys that work now, by their ids and words."""
        shown = [*known]
        if self._bars is not None:
            shown = [*_IN_BARS, *(one for one in shown if one != BARS)]
        self.put_keys(shown, _ALWAYS, enter=self._enter)

    def say(self, sentence: str, failed: bool = False) -> None:
        """Show a sentence until the next one."""
        line = self.query_one("#told", Static)
        line.set_class(failed, "-failed")
        line.update(literal(f"✗ {sentence}" if failed else sentence))

    def on_resize(self) -> None:
        """Draw the lines and bars for the new width; the cursor stays where it is."""
        if self._whole is not None:
            self._draw_at_row()

    def _draw_at_row(self) -> None:
        """Draw the grid again; the cursor stays in its row."""
        table = self.query_one(NumberGrid)
        row = table.cursor_row
        self.draw_grid()
        table.move_cursor(row=row)

    def as_it_was(self) -> None:
        """Sort the next grid by no column."""
        self._sorted_by = None

    def on_number_grid_moved(self, message: NumberGrid.Moved) -> None:
        """Show the sentence on the cell."""
        self.say(message.cell.sentence)

    def action_sort(self) -> None:
        """Sort by the column under the cursor: up, down, then as it was."""
        column = self.query_one(NumberGrid).cursor_column
        if self._bars is not None and self._whole is not None and column >= self._whole.keys:
            column = self._bars
        if self._sorted_by != column:
            self._sorted_by, self._descending = column, False
        elif not self._descending:
            self._descending = True
        else:
            self._sorted_by = None
        self.draw_grid()

    def action_bars(self) -> None:
        """Draw the column under the cursor, or the first that can be drawn, as bars; or show the table."""
        if self._bars is not None or self._whole is None or not self._whole.drawable:
            self._bars = None
        else:
            at = self.query_one(NumberGrid).cursor_column
            self._bars = at if at in self._whole.drawable else self._whole.drawable[0]
        self.refresh_bindings()
        self.draw_grid()

    def action_bar_column(self, step: int) -> None:
        """Draw the next column that can be drawn, or the one before."""
        if self._whole is not None and self._bars in self._whole.drawable:
            drawable = self._whole.drawable
            self._bars = drawable[(drawable.index(self._bars) + step) % len(drawable)]
            self._draw_at_row()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """In the table, the arrows move the cursor."""
        return action != "bar_column" or self._bars is not None

    def action_keys(self) -> None:
        """Show all keys with their effects."""
        self.app.push_screen(KeySheet.of(self, enter=self._enter_help))
