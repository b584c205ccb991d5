"""The agreement screen: heat map and tables of a study; a cell opens its disagreements."""

from typing import ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.screen import Screen
from textual.widgets import Static

from reviewer.core.errors import ReviewerError
from reviewer.core.sanitize import counted
from reviewer.study.design.left_out_raters import excluded_in_short
from reviewer.study.statistics.study_statistics import StudyStatistics
from reviewer.tui.dialogs.key_sheet import KeySheet
from reviewer.tui.rendering.agreement_grid import (
    DIVISIONS,
    FIRST_VIEW,
    WEIGHINGS,
    grid_of,
    meaning_of,
    views_of,
)
from reviewer.tui.rendering.grid import Grid
from reviewer.tui.rendering.literal import literal, literal_line
from reviewer.tui.screens.disagreements import DisagreementsScreen
from reviewer.tui.styles import StyledOnce
from reviewer.tui.widgets.key_hints import hint, in_one_line, keys_by_id, offered
from reviewer.tui.widgets.label import PlainLabel
from reviewer.tui.widgets.number_grid import NumberGrid
from store.database import Database

_HINTS = (
    ("agreement.view", "other tables"),
    ("agreement.rows", "divide rows"),
    ("agreement.weights", "weights"),
    ("agreement.sort", "sort"),
)
_ALWAYS = (("agreement.keys", "keys"), ("agreement.leave", "back"))


class AgreementScreen(StyledOnce, Screen[None]):
    """Shows how far a study's raters agree; it changes nothing."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "v",
            "view",
            "other tables",
            id="agreement.view",
            tooltip="Heat map, coefficients, pass rates, raters, labels, without and with raters left out",
        ),
        Binding(
            "b",
            "rows",
            "divide rows",
            id="agreement.rows",
            tooltip="By generator, by group, by both, by dataset",
        ),
        Binding(
            "w",
            "weights",
            "weights",
            id="agreement.weights",
            tooltip="Labels in order: quadratic weights, linear ones, or quadratic ones and none",
        ),
        Binding("s", "sort", "sort", id="agreement.sort", tooltip="Sort by this column: up, down, as it was"),
        Binding(
            "question_mark", "keys", "keys", key_display="?", id="agreement.keys", tooltip="Show this list"
        ),
        Binding("q,escape", "leave", "back", id="agreement.leave", tooltip="Go back"),
    ]
    DEFAULT_CSS = """
    AgreementScreen {
        background: $background; padding: 0 1;
        #head { height: 1; padding: 0 1; color: $foreground 75%; }
        #meaning { height: 1; padding: 0 1; color: $foreground 60%; margin-bottom: 1; }
        #told { height: 3; padding: 0 1; margin-top: 1; color: $foreground 85%; }
        #told.-failed { color: $text-error; background: $error 20%; }
        #keys { dock: bottom; height: 1; padding: 0 1; color: $foreground 60%; }
    }
    """

    class Computed(Message):
        """A grid is ready; ``wanted`` has its view, and the indices of its division and weights."""

        def __init__(self, numbers: StudyStatistics, grid: Grid, wanted: tuple[str, int, int]) -> None:
            self.numbers, self.grid, self.wanted = numbers, grid, wanted
            super().__init__()

    class Failed(Message):
        """The store could not be read; ``sentence`` says why."""

        def __init__(self, sentence: str) -> None:
            self.sentence = sentence
            super().__init__()

    def __init__(self, database: Database, study: str) -> None:
        super().__init__()
        self._database, self._study = database, study
        self._numbers: StudyStatistics | None = None
        self._grid: Grid | None = None
        self._view, self._division, self._weighing = FIRST_VIEW, 0, 0
        self._sorted_by: int | None = None
        self._descending = False

    def compose(self) -> ComposeResult:
        """Head, what the numbers are, grid, a sentence on the cell under the cursor, keys."""
        yield Static(id="head")
        yield Static(id="meaning")
        yield NumberGrid()
        yield Static(literal("Resampling the cases …"), id="told")
        yield PlainLabel(id="keys")

    def on_mount(self) -> None:
        """Compute in the background: ten thousand resamples for each cell take a moment."""
        self._draw_head()
        self.compute(self._wanted)

    @property
    def _wanted(self) -> tuple[str, int, int]:
        return self._view, self._division, self._weighing

    @work(thread=True, exclusive=True, group="numbers")
    def compute(self, wanted: tuple[str, int, int]) -> None:
        """Read the ledger once, and compute the wanted grid."""
        view, division, weighing = wanted
        try:
            numbers = self._numbers or StudyStatistics.read(self._database, self._study)
            grid = grid_of(numbers, view, DIVISIONS[division], WEIGHINGS[weighing][1])
        except ReviewerError as error:
            self.post_message(self.Failed(str(error)))
        else:
            self.post_message(self.Computed(numbers, grid, wanted))

    def on_agreement_screen_computed(self, message: Computed) -> None:
        """Draw the grid, unless another one is wanted now: a running thread cannot be stopped."""
        self._numbers = message.numbers
        self._draw_head()
        if message.wanted != self._wanted:
            return
        self._grid = message.grid
        self._draw()
        self.query_one(NumberGrid).focus()

    def on_agreement_screen_failed(self, message: Failed) -> None:
        """Show why there is no grid."""
        self._tell(f"✗ {message.sentence}", failed=True)

    def on_number_grid_moved(self, message: NumberGrid.Moved) -> None:
        """Show the sentence on the cell."""
        self._tell(message.cell.sentence)

    def on_number_grid_chosen(self, message: NumberGrid.Chosen) -> None:
        """List the disagreements of the cell."""
        where = message.cell.where
        if where is None or self._numbers is None:
            self._tell("This cell has no list; choose one with a number of a question or generator.")
            return
        disagreements = self._numbers.disagreements(where)
        if not disagreements:
            self._tell("No disagreement here: on each item all labels are the same.")
            return
        self.app.push_screen(DisagreementsScreen(self._numbers.bundle, disagreements, where))

    def action_view(self) -> None:
        """Show the next table."""
        views = views_of(self._numbers)
        self._view = views[(views.index(self._view) + 1) % len(views)]
        self._recompute()

    def action_rows(self) -> None:
        """Divide the rows by something else."""
        self._division = (self._division + 1) % len(DIVISIONS)
        self._recompute()

    def action_weights(self) -> None:
        """Weigh steps between labels otherwise, where labels have an order."""
        if self._numbers is None or not self._numbers.ordinal:
            self._tell("No question of this study has labels in order, so nothing is weighted.")
            return
        self._weighing = (self._weighing + 1) % len(WEIGHINGS)
        self._recompute()

    def action_sort(self) -> None:
        """Sort by the column under the cursor: up, down, then as it was."""
        column = self.query_one(NumberGrid).cursor_column
        if self._sorted_by != column:
            self._sorted_by, self._descending = column, False
        elif not self._descending:
            self._descending = True
        else:
            self._sorted_by = None
        self._draw()

    def action_keys(self) -> None:
        """Show what every key does."""
        self.app.push_screen(KeySheet.of(self))

    def action_leave(self) -> None:
        """Go back to where this was opened."""
        self.app.pop_screen()

    def _recompute(self) -> None:
        self._sorted_by = None
        self._draw_head()
        self.compute(self._wanted)

    def _draw_head(self) -> None:
        by = " · ".join(DIVISIONS[self._division])
        left_out = len(self._numbers.bundle.left_out) if self._numbers else 0
        lacking = f" · {counted(left_out, 'event')} left out, see store check" if left_out else ""
        weights = f" · {WEIGHINGS[self._weighing][0]}" if self._numbers and self._numbers.ordinal else ""
        gone = excluded_in_short(self._numbers.bundle) if self._numbers else ""
        lacking += f" · {gone}" if gone else ""
        head = f"{self._study}{lacking} · agreement · {self._view} · rows by {by}{weights}"
        head += " · intervals at 95%"
        meaning = meaning_of(self._view, self._numbers)
        width = max(20, self.app.size.width - 4)
        self.query_one("#head", Static).update(literal_line(head, width))
        self.query_one("#meaning", Static).update(literal_line(meaning, width))

    def _draw(self) -> None:
        if self._grid is None:
            return
        grid = self._grid
        if self._sorted_by is not None:
            grid = grid.ordered(self._sorted_by, self._descending)
        self.query_one(NumberGrid).show(grid, self._sorted_by, self._descending)
        keys = keys_by_id(self)
        ordinal = self._numbers is not None and self._numbers.ordinal
        hints = [hint("enter", "disagreements")]
        hints += offered(keys, [known for known in _HINTS if ordinal or known[0] != "agreement.weights"])
        width = max(20, self.app.size.width - 4)
        self.query_one("#keys", PlainLabel).put(in_one_line(hints, offered(keys, _ALWAYS), width))

    def _tell(self, sentence: str, failed: bool = False) -> None:
        line = self.query_one("#told", Static)
        line.set_class(failed, "-failed")
        line.update(literal(sentence))
