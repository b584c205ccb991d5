"""The agreement screen: heat map and tables of a study; a cell opens its disagreements or failed items."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import ClassVar

from textual import work
from textual.binding import BindingType
from textual.message import Message

from reviewer.core.errors import ReviewerError
from reviewer.core.sanitize import counted
from reviewer.results.labels.coefficient_choice import KNOWN, choose_first, first_coefficients, plain_form
from reviewer.results.labels.disagreements import VotedItem
from reviewer.results.labels.study_statistics import StudyStatistics
from reviewer.study.design.left_out_raters import excluded_in_short
from reviewer.tui.keys.named_keys import named_key
from reviewer.tui.rendering.agreement_grid import (
    FIRST_VIEW,
    JUDGES,
    PASS_RATES,
    RATERS,
    WEIGHINGS,
    divisions_of,
    grid_of,
    legend_of,
    meaning_of,
    rows_by,
    views_of,
)
from reviewer.tui.rendering.grid import Grid
from reviewer.tui.screens.disagreements import DisagreementsScreen
from reviewer.tui.screens.grid_screen import BARS, SORT, GridScreen
from reviewer.tui.widgets.number_grid import NumberGrid
from store.database import Database

_key = partial(named_key, "agreement")
_HINTS = (
    ("agreement.pass-rates", "pass rates"),
    ("agreement.raters", "raters"),
    ("agreement.disputes", "all disagreements"),
    ("agreement.failed", "all that do not pass"),
    ("agreement.view", "other tables"),
    ("agreement.rows", "divide rows"),
    ("agreement.weights", "weights"),
    ("agreement.first", "first"),
    BARS,
    SORT,
)


Wanted = tuple[str, tuple[str, ...], int]
"""A view, what its rows are divided by (empty before the study is read), and the index of its weights."""
_LISTED = {PASS_RATES: "items that do not pass", JUDGES: "differences"}
"""What enter lists in a view, if it is not disagreements."""


class AgreementScreen(GridScreen):
    """Shows how far a study's raters agree."""

    BINDINGS: ClassVar[list[BindingType]] = [
        _key(
            "v",
            "view",
            "other tables",
            "view",
            "Heat map, coefficients, pass rates, raters, labels, without and with raters left out, judges",
        ),
        _key("p", "pass_rates", "pass rates", "pass-rates", "Show the pass rates with their intervals"),
        _key("r", "raters", "raters", "raters", "Show the numbers of each rater"),
        _key(
            "d",
            "disputes",
            "all disagreements",
            "disputes",
            "List all disagreements of the study, the closest votes first",
        ),
        _key(
            "i",
            "failed",
            "all that do not pass",
            "failed",
            "List all items of the study that do not pass with their final label",
        ),
        _key(
            "b",
            "rows",
            "divide rows",
            "rows",
            "By generator, stratum, group, generator and group, or dataset, where the study has several",
        ),
        _key(
            "w",
            "weights",
            "weights",
            "weights",
            "Labels in order: quadratic weights, linear ones, or quadratic ones and none",
        ),
        _key(
            "f",
            "first",
            "this one first",
            "first",
            "Show this coefficient before the others, to everybody, also in reports (leads)",
        ),
    ]

    class Computed(Message):
        """A grid is ready; ``wanted`` says which."""

        def __init__(self, numbers: StudyStatistics, grid: Grid, wanted: Wanted) -> None:
            self.numbers, self.grid, self.wanted = numbers, grid, wanted
            super().__init__()

    class Failed(Message):
        """The store could not be read; ``sentence`` says why."""

        def __init__(self, sentence: str) -> None:
            self.sentence = sentence
            super().__init__()

    def __init__(self, database: Database, study: str, person: str) -> None:
        super().__init__(
            "disagreements",
            "List the disagreements of this cell; under pass rates the items that do not pass",
        )
        self._database, self._study, self._person = database, study, person
        self._numbers: StudyStatistics | None = None
        self._grid: Grid | None = None
        self._view, self._division, self._weighing = FIRST_VIEW, tuple[str, ...](), 0
        self._shown: Wanted | None = None

    def on_mount(self) -> None:
        """Compute in the background: ten thousand resamples for each cell take a moment."""
        self._draw_head()
        self.tell("Resampling the cases …")
        self.compute(self._wanted)

    @property
    def _wanted(self) -> Wanted:
        return self._view, self._division, self._weighing

    @work(thread=True, exclusive=True, group="numbers")
    def compute(self, wanted: Wanted, first: Sequence[str] = ()) -> None:
        """Read the ledger once, and compute the wanted grid; save first which coefficients come ``first``."""
        view, division, weighing = wanted
        try:
            if first:
                choose_first(self._database, self._study, self._person, first)
            known = None if first else self._numbers
            numbers = known or StudyStatistics.read(self._database, self._study, self._person)
            division = division or divisions_of(numbers)[0]
            grid = grid_of(numbers, view, division, WEIGHINGS[weighing][1])
        except ReviewerError as error:
            self.post_message(self.Failed(str(error)))
        else:
            self.post_message(self.Computed(numbers, grid, (view, division, weighing)))

    def on_agreement_screen_computed(self, message: Computed) -> None:
        """Draw the grid, unless another one is wanted now: a running thread cannot be stopped."""
        self._numbers = message.numbers
        self._division = self._division or message.wanted[1]
        if message.wanted != self._wanted:
            return
        self._grid, self._shown = message.grid, message.wanted
        self._draw_head()
        self.draw_grid()
        self.query_one(NumberGrid).focus()

    def on_agreement_screen_failed(self, message: Failed) -> None:
        """Show why there is no grid."""
        self.tell(message.sentence, failed=True)

    def on_number_grid_chosen(self, message: NumberGrid.Chosen) -> None:
        """List the disagreements of the cell, or the items that do not pass."""
        where, numbers = message.cell.where, self._numbers
        if where is None or numbers is None:
            self.tell("This cell has no list; choose one with a number of a question or generator.")
            return
        if "opinion" in where:
            found = numbers.judge_differences(where)
            heading = counted(len(found), "difference")
            none = "No difference here: on each item with both, the opinion is the final label."
        elif self._view == PASS_RATES:
            self._list_failed(numbers, where)
            return
        else:
            self._list_disputes(numbers, where)
            return
        self._list(numbers, found, heading, where, none)

    def _list_disputes(self, numbers: StudyStatistics, where: Mapping[str, str]) -> None:
        found = numbers.disagreements(where)
        none = "No disagreement here: on each item all labels are the same."
        self._list(numbers, found, counted(len(found), "disagreement"), where, none)

    def _list_failed(self, numbers: StudyStatistics, where: Mapping[str, str]) -> None:
        found = numbers.not_passing(where)
        heading = f"{counted(len(found), 'item')} without a passing final label"
        self._list(numbers, found, heading, where, "Each item here passes with its final label.")

    def _list(
        self,
        numbers: StudyStatistics,
        found: Sequence[VotedItem],
        heading: str,
        where: Mapping[str, str],
        none: str,
    ) -> None:
        """Open the list of these items, or say why there is ``none``."""
        if found:
            where = {name: value for name, value in where.items() if name != "opinion"}
            self.app.push_screen(DisagreementsScreen(numbers.bundle, found, heading, where))
        else:
            self.tell(none)

    def action_disputes(self) -> None:
        """List the disagreements of all questions, which are two keys from home this way."""
        if self._numbers is not None:
            self._list_disputes(self._numbers, {})

    def action_failed(self) -> None:
        """List the items of all questions that do not pass."""
        if self._numbers is not None:
            self._list_failed(self._numbers, {})

    def action_view(self) -> None:
        """Show the next table."""
        views = views_of(self._numbers)
        self._view = views[(views.index(self._view) + 1) % len(views)]
        self._recompute()

    def action_pass_rates(self) -> None:
        """Show the pass rates, which are two keys from home this way."""
        self._view = PASS_RATES
        self._recompute()

    def action_raters(self) -> None:
        """Show the numbers of each rater."""
        self._view = RATERS
        self._recompute()

    def action_rows(self) -> None:
        """Divide the rows by something else."""
        if self._numbers is None:
            return
        if not rows_by(self._view, self._division):
            self.tell("This table has no rows to divide; v shows the other tables.")
            return
        divisions = divisions_of(self._numbers)
        if len(divisions) == 1:
            self.tell(f"In this study rows can only be divided by {divisions[0][0]}.")
            return
        self._division = divisions[(divisions.index(self._division) + 1) % len(divisions)]
        self._recompute()

    def action_weights(self) -> None:
        """Weigh steps between labels otherwise, where labels have an order."""
        if not self._ordinal:
            self.tell("No question of this study has labels in order, so nothing is weighted.")
            return
        self._weighing = (self._weighing + 1) % len(WEIGHINGS)
        self._recompute()

    def action_first(self) -> None:
        """Let the tables of the study begin with this coefficient."""
        key = self._coefficient
        if key is None or self._numbers is None:
            self.tell("Choose the column of a coefficient in the table of coefficients.")
            return
        others = (other for other in first_coefficients(self._numbers.bundle) if other != key)
        self.compute(self._wanted, (key, *others))

    @property
    def _coefficient(self) -> str | None:
        """The coefficient of the column under the cursor, or of the drawn one."""
        if self._grid is None or not self._grid.fields:
            return None
        drawn = self.drawn_column
        column = self.query_one(NumberGrid).cursor_column if drawn is None else drawn
        field = self._grid.fields[column]
        return plain_form(field) if field in KNOWN else None

    def _recompute(self) -> None:
        self.as_it_was()
        self._draw_head()
        self.compute(self._wanted)

    def _draw_head(self) -> None:
        """Say what the grid shows, which may be another one than is being computed."""
        numbers = self._numbers
        left_out = len(numbers.bundle.left_out) if numbers else 0
        view, division, weighing = self._shown or self._wanted
        self.show_head(
            self._study,
            f"{counted(left_out, 'event')} left out, see store check" if left_out else "",
            excluded_in_short(numbers.bundle) if numbers else "",
            "agreement",
            view,
            f"rows by {' · '.join(by)}" if (by := rows_by(view, division)) else "",
            WEIGHINGS[weighing][0] if self._ordinal else "",
            "intervals at 95%",
        )
        legend = legend_of(view, self._grid) if self._grid else ""
        self.show_meaning(meaning_of(view, numbers, self._grid), legend)
        if self._shown is not None and self._shown != self._wanted:
            by = rows_by(self._view, self._division)
            self.tell(f"Computing {self._view}{' by ' if by else ''}{' · '.join(by)} …")

    def draw_grid(self) -> None:
        """Draw the grid and the keys that work on it."""
        if self._grid is not None:
            self._draw_head()
            self.show_grid(self._grid)
            unused = {"agreement.weights"} if not self._ordinal else set()
            unused |= {"agreement.first"} if self._view != "coefficients" else set()
            unused |= {"agreement.pass-rates"} if self._view == PASS_RATES else set()
            unused |= {"agreement.raters"} if self._view == RATERS else set()
            unused |= set() if rows_by(self._view, self._division) else {"agreement.rows"}
            self._enter = _LISTED.get(self._view, "disagreements")
            self.show_keys([known for known in _HINTS if known[0] not in unused])

    @property
    def _ordinal(self) -> bool:
        return self._numbers is not None and self._numbers.ordinal
