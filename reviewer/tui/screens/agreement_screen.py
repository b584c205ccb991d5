"""The agreement screen: heat map and tables of a study; a cell opens its disagreements or failed items."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import ClassVar

from textual.binding import BindingType

from reviewer.core.sanitize import counted
from reviewer.results.labels.coefficient_choice import KNOWN, choose_first, first_coefficients, plain_form
from reviewer.results.labels.disagreements import VotedItem
from reviewer.results.labels.study_statistics import StudyStatistics
from reviewer.study.design.left_out_raters import excluded_in_short
from reviewer.tui.in_background import in_background
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
    why_whole,
)
from reviewer.tui.rendering.grid import Grid
from reviewer.tui.screens.disagreements_screen import DisagreementsScreen
from reviewer.tui.screens.grid_screen import BARS, SORT, GridScreen
from reviewer.tui.widgets.number_grid import NumberGrid
from store.database import Database

_key = partial(named_key, "agreement")
_HINTS = (
    ("agreement.pass-rates", "pass rates"),
    ("agreement.raters", "raters"),
    ("agreement.judges", "published labels"),
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
            "j",
            "judges",
            "published labels",
            "judges",
            "Compare published labels, and those of judges, with the final labels of the raters",
        ),
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
        self.say("Resampling the cases …")
        self.compute(self._wanted)

    @property
    def _wanted(self) -> Wanted:
        return self._view, self._division, self._weighing

    def compute(self, wanted: Wanted, first: Sequence[str] = ()) -> None:
        """Compute the wanted grid in the background; save first which coefficients come ``first``."""
        in_background(
            self, "numbers", partial(self._computed, wanted, first), self.show_computed, self.complain
        )

    def _computed(self, wanted: Wanted, first: Sequence[str]) -> tuple[StudyStatistics, Grid, Wanted]:
        """Read the ledger once, and compute a grid."""
        view, division, weighing = wanted
        if first:
            choose_first(self._database, self._study, self._person, first)
        known = None if first else self._numbers
        numbers = known or StudyStatistics.read(self._database, self._study, self._person)
        division = division or divisions_of(numbers)[0]
        grid = grid_of(numbers, view, division, WEIGHINGS[weighing][1])
        return numbers, grid, (view, division, weighing)

    def show_computed(self, computed: tuple[StudyStatistics, Grid, Wanted]) -> None:
        """Draw a grid, unless another one is wanted now: a running thread cannot be stopped."""
        self._numbers, grid, wanted = computed
        self._division = self._division or wanted[1]
        if wanted != self._wanted:
            return
        self._grid, self._shown = grid, wanted
        self._draw_head()
        self.draw_grid()
        self.query_one(NumberGrid).focus()

    def on_number_grid_chosen(self, message: NumberGrid.Chosen) -> None:
        """List the disagreements of the cell, or the items that do not pass."""
        where, numbers = message.cell.where, self._numbers
        if where is None or numbers is None:
            self.say("This cell has no list; choose one with a number of a question or generator.")
            return
        if "opinion" in where:
            found = numbers.judge_differences(where)
            none = "No difference here: on each item with both, the opinion is the final label."
            self._list(numbers, found, counted(len(found), "difference"), where, none)
        elif self._view == PASS_RATES:
            self._list_failed(numbers, where)
        else:
            self._list_disputes(numbers, where)

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
            self.say(none)

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

    def action_judges(self) -> None:
        """Show whether published labels hold, which are two keys from home this way."""
        if self._numbers is None:
            return
        if not self._has_opinions:
            self.say("This study shows you neither published labels nor judges.")
            return
        self._view = JUDGES
        self._recompute()

    def action_rows(self) -> None:
        """Divide the rows by something else."""
        if self._numbers is None:
            return
        if not rows_by(self._view, self._division):
            self.say("This table has no rows to divide; v shows the other tables.")
            return
        divisions = divisions_of(self._numbers)
        if len(divisions) == 1:
            self.say(f"In this study rows can only be divided by {divisions[0][0]}.")
            return
        self._division = divisions[(divisions.index(self._division) + 1) % len(divisions)]
        self._recompute()

    def action_weights(self) -> None:
        """Weigh steps between labels otherwise, where labels have an order."""
        if not self._ordinal:
            self.say("No question of this study has labels in order, so nothing is weighted.")
            return
        self._weighing = (self._weighing + 1) % len(WEIGHINGS)
        self._recompute()

    def action_first(self) -> None:
        """Let the tables of the study begin with this coefficient."""
        key = self._coefficient
        if key is None or self._numbers is None:
            self.say("Choose the column of a coefficient in the table of coefficients.")
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
        """Describe the shown grid; the next one may still be computed."""
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
            why_whole(numbers, by) if numbers else "",
            WEIGHINGS[weighing][0] if self._ordinal else "",
            "intervals at 95%",
        )
        legend = legend_of(view, self._grid) if self._grid else ""
        self.show_meaning(meaning_of(view, numbers, self._grid), legend)
        if self._shown is not None and self._shown != self._wanted:
            by = rows_by(self._view, self._division)
            self.say(f"Computing {self._view}{' by ' if by else ''}{' · '.join(by)} …")

    def draw_grid(self) -> None:
        """Draw the grid and the keys that work on it."""
        if self._grid is not None:
            self._draw_head()
            self.show_grid(self._grid)
            unused = {"agreement.weights"} if not self._ordinal else set()
            unused |= {"agreement.first"} if self._view != "coefficients" else set()
            unused |= {"agreement.pass-rates"} if self._view == PASS_RATES else set()
            unused |= {"agreement.raters"} if self._view == RATERS else set()
            unused |= {"agreement.judges"} if self._view == JUDGES or not self._has_opinions else set()
            unused |= set() if rows_by(self._view, self._division) else {"agreement.rows"}
            self._enter = _LISTED.get(self._view, "disagreements")
            self.show_keys([known for known in _HINTS if known[0] not in unused])

    @property
    def _has_opinions(self) -> bool:
        return JUDGES in views_of(self._numbers)

    @property
    def _ordinal(self) -> bool:
        return self._numbers is not None and self._numbers.ordinal
