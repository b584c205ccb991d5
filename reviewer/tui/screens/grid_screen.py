"""A grid of numbers on a whole screen: head, meaning, grid, a sentence on the cell under the cursor, keys."""

from collections.abc import Iterable
from functools import partial
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Static

from reviewer.tui.dialogs.key_sheet import KeySheet
from reviewer.tui.keys.named_keys import named_key
from reviewer.tui.rendering.grid import Grid
from reviewer.tui.rendering.literal import literal, literal_line
from reviewer.tui.styles import StyledOnce
from reviewer.tui.widgets.key_hints import hint, in_one_line, keys_by_id, offered
from reviewer.tui.widgets.label import PlainLabel
from reviewer.tui.widgets.number_grid import NumberGrid

_key = partial(named_key, "grid")
SORT = ("grid.sort", "sort")
_ALWAYS = (("grid.keys", "keys"), ("grid.leave", "back"))


class GridScreen(StyledOnce, Screen[None]):
    """Shows numbers that are computed in the background, and changes nothing.

    ``enter`` is the word of Enter on the bottom line, and ``enter_help`` its sentence on the sheet of keys.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        _key("s", "sort", "sort", "sort", "Sort by this column: up, down, as it was"),
        _key("question_mark", "keys", "keys", "keys", "Show this list", shown_as="?"),
        _key("q,escape", "leave", "back", "leave", "Go back"),
    ]
    DEFAULT_CSS = """
    GridScreen {
        background: $background; padding: 0 1;
        #meaning { height: auto; max-height: 2; padding: 0 1; color: $quiet; margin-bottom: 1; }
        #told { height: 3; padding: 0 1; margin-top: 1; color: $foreground 85%; }
        #told.-failed { color: $text-error; background: $error 20%; }
    }
    """

    def __init__(self, enter: str, enter_help: str) -> None:
        super().__init__()
        self._enter, self._enter_help = enter, enter_help
        self._sorted_by: int | None = None
        self._descending = False

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
        """Draw the grid that there is, if there is one."""
        raise NotImplementedError

    def show_grid(self, grid: Grid) -> None:
        """Show a grid, sorted as it is now."""
        if self._sorted_by is not None:
            grid = grid.ordered(self._sorted_by, self._descending)
        self.query_one(NumberGrid).show(grid, self._sorted_by, self._descending)

    def show_head(self, *parts: str) -> None:
        """Show the first line; empty parts are left out."""
        line = literal_line(" · ".join(filter(None, parts)), self.width)
        self.query_one("#head", Static).update(line)

    def show_keys(self, known: Iterable[tuple[str, str]]) -> None:
        """Show the keys that work now, by their ids and words."""
        keys = keys_by_id(self)
        hints = [hint("enter", self._enter), *offered(keys, known)]
        self.query_one("#keys", PlainLabel).put(in_one_line(hints, offered(keys, _ALWAYS), self.width))

    def tell(self, sentence: str, failed: bool = False) -> None:
        """Show a sentence until the next one."""
        line = self.query_one("#told", Static)
        line.set_class(failed, "-failed")
        line.update(literal(f"✗ {sentence}" if failed else sentence))

    def as_it_was(self) -> None:
        """Sort the next grid by no column."""
        self._sorted_by = None

    @property
    def width(self) -> int:
        """The columns that a line may take."""
        return max(20, self.app.size.width - 4)

    def on_number_grid_moved(self, message: NumberGrid.Moved) -> None:
        """Show the sentence on the cell."""
        self.tell(message.cell.sentence)

    def action_sort(self) -> None:
        """Sort by the column under the cursor: up, down, then as it was."""
        column = self.query_one(NumberGrid).cursor_column
        if self._sorted_by != column:
            self._sorted_by, self._descending = column, False
        elif not self._descending:
            self._descending = True
        else:
            self._sorted_by = None
        self.draw_grid()

    def action_keys(self) -> None:
        """Show what every key does."""
        self.app.push_screen(KeySheet.of(self, enter=self._enter_help))

    def action_leave(self) -> None:
        """Go back to where this was opened."""
        self.app.pop_screen()
