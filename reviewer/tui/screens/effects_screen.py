"""The effects screen: what an evaluation run amounts to, divided by one dimension and by model."""

from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import ClassVar

from textual.binding import BindingType
from textual.widget import Widget
from textual.widgets import Static

from reviewer.core.errors import ReviewerError
from reviewer.core.sanitize import counted
from reviewer.protocols.evaluation import Measure
from reviewer.results.labels.dimensions import ALL
from reviewer.results.outcomes.effect_rows import MODEL, ClusterKind
from reviewer.tui.dialogs.filter import FilterDialog, Offer
from reviewer.tui.dialogs.import_source import CaseFileDialog
from reviewer.tui.dialogs.new_answer_study import AnswerStudyDialog, AnswerStudyRequest
from reviewer.tui.in_background import in_background
from reviewer.tui.keys.named_keys import named_key
from reviewer.tui.rendering.effects_grid import grid_of_effects, meaning_of_effects
from reviewer.tui.rendering.grid import Grid
from reviewer.tui.rendering.literal import literal, literal_line
from reviewer.tui.rendering.pane_layout import ROOMY
from reviewer.tui.screens.case_answers import ChangedCasesScreen
from reviewer.tui.screens.effects_work import (
    CLUSTERS,
    EVERYTHING,
    FROM_FILE,
    ComputedTable,
    CountedCases,
    EffectsWork,
    OutcomesRead,
    WantedTable,
    cases_of_file,
    draw_answer_study,
    resampled_in_words,
)
from reviewer.tui.screens.grid_screen import BARS, SORT, GridScreen
from reviewer.tui.widgets.key_hints import keys_by_id
from reviewer.tui.widgets.number_grid import NumberGrid
from store.database import Database

_key = partial(named_key, "effects")
_GROUP = "group"
_TALL = 40
"""From this height in lines, several lines of notes leave the grid its room."""
_MOST_NOTES = 2
"""Sentences below the grid; a key shows all of them."""
_HINTS = (
    ("effects.measure", "measure"),
    ("effects.divide", "divide"),
    ("effects.among", "among …"),
    ("effects.cluster", "intervals …"),
    BARS,
    SORT,
    ("effects.study", "review answers …"),
    ("effects.notes", "notes"),
)


class EffectsScreen(GridScreen):
    """Shows the effects of one evaluation run."""

    BINDINGS: ClassVar[list[BindingType]] = [
        _key("v", "measure", "measure", "measure", "Show the next measure large"),
        _key("b", "divide", "divide", "divide", "Divide the rows by something else"),
        _key("a", "among", "among …", "among", "Count some cases only, such as those that passed a study"),
        _key("c", "cluster", "intervals …", "cluster", "Resample cases, families or runs"),
        _key("x", "study", "review answers …", "study", "Draw a study of the answers of this cell"),
        _key("w", "notes", "notes", "notes", "Read every note on these numbers, or see the grid again"),
    ]
    DEFAULT_CSS = """
    EffectsScreen {
        #cautions { height: auto; max-height: 4; padding: 0 1; color: $soft; }
        &.-reading #cautions { height: 1fr; max-height: 100%; }
        &.-reading NumberGrid { display: none; }
        #told { height: 2; }
    }
    """

    def __init__(self, database: Database, run: str, person: str) -> None:
        super().__init__("cases", "List the cases of this cell")
        self._database, self._run, self._person = database, run, person
        self._work = EffectsWork(database, run, person, partial(self.call_later, self.say))
        self._bars = 1  # the first model
        self._read: OutcomesRead | None = None
        self._shown: ComputedTable | None = None
        self._measure, self._dimension, self._among = 0, 0, EVERYTHING
        self._cluster: ClusterKind = "case"
        self._files: tuple[CountedCases, ...] = ()
        """Choices of cases that files listed."""

    def below_grid(self) -> Iterable[Widget]:
        """What the numbers could hide."""
        yield Static(id="cautions")

    def on_mount(self) -> None:
        """Read the outcomes in the background: hundreds of thousands take a moment."""
        self._draw_head()
        self.say("Reading the outcomes …")
        in_background(self, "read", self._work.read, self._show_read, self._fail)

    # -- results of background work ------------------------------------------------------------

    def _show_read(self, read: OutcomesRead) -> None:
        """Compute the first table."""
        self._read = read
        if not read.evaluation.models:
            self.say("No model has been asked in this run yet.")
        else:
            self._recompute()

    def _show_table(self, table: ComputedTable) -> None:
        """Draw a table, unless another one is wanted now: a running thread cannot be stopped."""
        if table.wanted == self._wanted:
            self._shown = table
            self.draw_grid()
            self.query_one(NumberGrid).focus()

    def _fail(self, error: ReviewerError) -> None:
        """Show why there is no table; the one before it stays."""
        if self._shown is not None and self._read is not None:
            wanted = self._shown.wanted
            self._among, self._cluster = wanted.among, wanted.cluster
            self._dimension = self._read.dimensions.index(wanted.dimension)
            self._draw_head()
        self.complain(error)

    def on_number_grid_chosen(self, message: NumberGrid.Chosen) -> None:
        """List the cases of the cell."""
        if message.cell.where is None or self._read is None or self._shown is None:
            self.say("This cell has no cases of its own; choose one in the column of a model.")
            return
        cell = self._shown.cell_at(message.cell.where)
        evaluation, measure = self._read.evaluation, self._large
        self.app.push_screen(ChangedCasesScreen(self._database, evaluation, measure, cell, self._person))

    # -- keys --------------------------------------------------------------------------------------

    def action_measure(self) -> None:
        """Show the next measure large."""
        if self._read is not None:
            self._measure = (self._measure + 1) % len(self._read.evaluation.plan.measures)
            self.as_it_was()
            self.draw_grid()

    def action_divide(self) -> None:
        """Divide the rows by the next dimension."""
        if self._read is not None:
            self._dimension = (self._dimension + 1) % len(self._read.dimensions)
            self._recompute()

    def action_among(self) -> None:
        """Ask which cases count."""
        if self._read is not None:
            choices = (*self._read.choices, *self._files, FROM_FILE)
            offers = [Offer(choice.words, None, choice, holds=choice == self._among) for choice in choices]
            self.app.push_screen(FilterDialog("which cases count", offers), self._choose)

    def _choose(self, chosen: CountedCases | None) -> None:
        if chosen == FROM_FILE:
            self.app.push_screen(CaseFileDialog(), self._count_file)
        elif chosen is not None:
            self._among = chosen
            self._recompute()

    def _count_file(self, path: Path | None) -> None:
        if path is not None:
            self._among = cases_of_file(path)
            self._files = tuple(dict.fromkeys((*self._files, self._among)))
            self._recompute()

    def action_cluster(self) -> None:
        """Ask what intervals resample."""
        if self._read is not None:
            offers = [
                Offer(words, None, kind, kind == self._cluster) for kind, (_, words) in CLUSTERS.items()
            ]
            self.app.push_screen(FilterDialog("what intervals resample", offers), self._resample)

    def _resample(self, chosen: ClusterKind | None) -> None:
        if chosen is not None:
            self._cluster = chosen
            self._recompute()

    def action_study(self) -> None:
        """Draw a study of the answers of the cell: of its model, and of its group if rows are groups."""
        cell = self.query_one(NumberGrid).cell_at_cursor()
        if cell is None or cell.where is None or self._shown is None:
            self.say("This cell has no answers of its own; choose one in the column of a model.")
            return
        group = cell.where.get(self._shown.wanted.dimension, ALL)
        if group != ALL and self._shown.wanted.dimension != _GROUP:
            self.say("Answers are drawn by model and group; b divides the rows by group.")
            return
        draw = partial(draw_answer_study, self._database, self._run, self._person)
        dialog = AnswerStudyDialog(cell.where[MODEL], None if group == ALL else group, draw)
        self.app.push_screen(dialog, self._drawn)

    def _drawn(self, request: AnswerStudyRequest | None) -> None:
        if request is not None:
            self.say(f"✓ study {request.name} is drawn; it is on the home screen")

    def action_notes(self) -> None:
        """Show every note on the numbers in place of the grid, or the grid again."""
        self.toggle_class("-reading")
        self._draw_cautions()
        if not self.has_class("-reading"):
            self.query_one(NumberGrid).focus()

    # -- painting ----------------------------------------------------------------------------------

    @property
    def _wanted(self) -> WantedTable:
        dimensions = self._read.dimensions if self._read else ("",)
        return WantedTable(dimensions[self._dimension], self._among, self._cluster)

    @property
    def _large(self) -> Measure:
        """The measure that is shown large."""
        if self._read is None:
            raise RuntimeError("no outcomes were read yet")
        return self._read.evaluation.plan.measures[self._measure]

    def _recompute(self) -> None:
        self.as_it_was()
        self._draw_head()
        self.say("Computing …")
        if self._read is not None:
            show = partial(self.call_later, self._show_table)
            compute = partial(self._work.compute, self._read.evaluation, self._wanted, self._large, show)
            in_background(self, "table", compute, self._show_table, self._fail)

    def on_resize(self) -> None:
        """Draw the lines for the new width."""
        if self._shown is None:
            self._draw_head()

    def _draw_head(self) -> None:
        shown, parts = self._shown, [self._run, "effects"]
        if shown is not None and shown.wanted == self._wanted:
            measure = shown.table.measures[self._measure]
            parts += [
                f"{measure.title} by {shown.wanted.dimension} and model",
                counted(shown.table.cases, "case"),
            ]
            parts.append(f"among: {shown.wanted.among.words}")
            parts.append(
                "intervals by formula, resampling …"
                if shown.quick
                else resampled_in_words(shown.table.clusters)
            )
            measures, level = shown.table.measures, shown.table.method.level
            if grid := self._grid_shown():
                self.show_meaning(meaning_of_effects(measure, measures, level, grid))
        elif self._read is not None:
            parts += [f"by {self._wanted.dimension} and model", f"among: {self._among.words}", "computing …"]
        self.show_head(*parts)

    def _grid_shown(self) -> Grid | None:
        """The table as the screen draws it; None while there is none that has the large measure."""
        shown = self._shown
        if shown is None or self._read is None or self._large not in shown.table.measures:
            return None
        plan = self._read.evaluation.plan
        return grid_of_effects(shown.table, plan, self._large, shown.wanted.dimension)

    def draw_grid(self) -> None:
        """Draw the grid, and everything that depends on it."""
        if self._shown is None or self._read is None:
            return
        self._draw_head()
        grid = self._grid_shown()
        if grid is None:
            self.say("Computing …")
            return
        self.show_grid(grid)
        self._draw_cautions()
        self.show_keys(_HINTS)

    def _draw_cautions(self) -> None:
        """What the numbers alone could hide: the start of it where there is little room."""
        sentences = self._shown.notes if self._shown else ()
        lines = self.query_one("#cautions", Static)
        if self.has_class("-reading"):
            lines.update(literal("\n\n".join(sentences)))
        elif sentences and not self._roomy:
            lines.update(literal_line(f"{self._more_notes}: {sentences[0]}", self.room))
        else:
            more = f"  ({self._more_notes})" if len(sentences) > _MOST_NOTES else ""
            lines.update(literal(" ".join(sentences[:_MOST_NOTES]) + more))

    @property
    def _more_notes(self) -> str:
        """The key that shows every note, and how many there are."""
        notes = counted(len(self._shown.notes) if self._shown else 0, "note")
        return f"{keys_by_id(self).get('effects.notes', '')} reads {notes}"

    @property
    def _roomy(self) -> bool:
        return self.app.size.width >= ROOMY and self.app.size.height >= _TALL
