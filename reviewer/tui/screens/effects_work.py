"""Background work of the effects screen: reading outcomes and computing tables."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from textual.message import Message
from textual.screen import Screen

from reviewer.core.errors import ReviewerError
from reviewer.exchange.evaluations.among import CaseChoice, among
from reviewer.protocols.evaluation import Measure
from reviewer.protocols.registry import protocols_of
from reviewer.runs.evaluation.case_groupings import tiers_of
from reviewer.runs.evaluation.divisions import MODEL, TIER, CellRuns, Tiers, cells_of, dimensions_of
from reviewer.runs.evaluation.effect_rows import EffectTable, ErrorMethod
from reviewer.runs.evaluation.effects import effect_table
from reviewer.runs.evaluation.evaluated import Evaluation, read_evaluation
from reviewer.study.session.rater_progress import study_progress
from reviewer.tui.rendering.effects_grid import shown_together
from store.database import Database

_SEVERAL = 2
_QUICK = ErrorMethod(interval="linearised")


@dataclass(frozen=True, slots=True)
class CountedCases:
    """Which cases count, in words and as a choice."""

    words: str
    choice: CaseChoice


EVERYTHING = CountedCases("all cases", CaseChoice())
AUDITED = (
    CountedCases("audit-clean cases", CaseChoice(audit_clean=True)),
    CountedCases("cases without a doubtful finding", CaseChoice(strict=True)),
)


@dataclass(frozen=True, slots=True)
class WantedTable:
    """What a table is divided by beside the model, and which cases count."""

    dimension: str
    among: CountedCases


class EffectsWork:
    """Works in threads, and reports to its screen through messages only."""

    def __init__(self, screen: Screen[None], database: Database, run: str) -> None:
        self._screen, self._database, self._run = screen, database, run

    class Read(Message):
        """The outcomes were read: what can divide the rows, and which choices of cases can count."""

        def __init__(
            self, evaluation: Evaluation, dimensions: tuple[str, ...], choices: tuple[CountedCases, ...]
        ) -> None:
            self.evaluation, self.dimensions, self.choices = evaluation, dimensions, choices
            super().__init__()

    class Computed(Message):
        """A table is ready; one of few measures with errors by formula comes before that with resamples."""

        def __init__(
            self, wanted: WantedTable, table: EffectTable, cells: list[CellRuns], notes: tuple[str, ...]
        ) -> None:
            self.wanted, self.table, self._cells = wanted, table, cells
            self.notes = (*notes, *table.sentences)
            super().__init__()

        @property
        def quick(self) -> bool:
            """Whether the table with resamples is still to come."""
            return self.table.method.interval == "linearised"

        def cell_at(self, where: Mapping[str, str]) -> CellRuns:
            """The runs of a row of the table."""
            return next(cell for cell in self._cells if cell.where == where)

    class Failed(Message):
        """Something failed; ``sentence`` says what."""

        def __init__(self, sentence: str) -> None:
            self.sentence = sentence
            super().__init__()

    def read(self) -> None:
        """Read the outcomes."""
        self._screen.run_worker(self._read_outcomes, thread=True, exclusive=True, group="read")

    def _read_outcomes(self) -> None:
        try:
            evaluation = read_evaluation(self._database, protocols_of(self._database), self._run)
            closed = [study.study.name for study in study_progress(self._database) if study.study.closed_at]
            passed = (
                CountedCases(f"cases that passed {name}", CaseChoice(passed=(name,))) for name in closed
            )
            choices = (EVERYTHING, *AUDITED, *passed)
            self._screen.post_message(self.Read(evaluation, _dimensions(evaluation), choices))
        except ReviewerError as error:
            self._screen.post_message(self.Failed(str(error)))

    def compute(self, read: Read, wanted: WantedTable, shown: Measure) -> None:
        """Compute a table: what one measure shows with errors by formula, then everything with resamples."""
        computing = partial(self._compute, read.evaluation, wanted, shown)
        self._screen.run_worker(computing, thread=True, exclusive=True, group="table")

    def _compute(self, evaluation: Evaluation, wanted: WantedTable, shown: Measure) -> None:
        by = (wanted.dimension, MODEL)
        try:
            cases = among(self._database, evaluation, wanted.among.choice)
            tiers = tiers_of(self._database, evaluation) if wanted.dimension == TIER else None
            cells = list(cells_of(evaluation, by, cases.chosen, tiers))
            compute = partial(effect_table, evaluation, by=by, among=cases.chosen, tiers=tiers)
            notes = tuple(filter(None, (cases.note, _tiers_in_words(tiers))))
            measures = [measure.key for measure in shown_together(shown, evaluation.plan.measures)]
            quick = compute(measures=measures, method=_QUICK)
            self._screen.post_message(self.Computed(wanted, quick, cells, notes))
            self._screen.post_message(self.Computed(wanted, compute(), cells, notes))
        except ReviewerError as error:
            self._screen.post_message(self.Failed(str(error)))


def _tiers_in_words(tiers: Tiers | None) -> str:
    if tiers is None:
        return ""
    ends = ", ".join(f"{end:g}" for end in tiers.quartiles)
    return (
        f"Tiers: quartiles of {tiers.measurement.replace('_', ' ')} ({ends}) over all cases of the datasets."
    )


def _dimensions(evaluation: Evaluation) -> tuple[str, ...]:
    """What can divide the rows: everything but the model, and of the factors those with several values."""
    single = {
        factor.name
        for factor in evaluation.plan.factors
        if len({condition[factor.name] for condition in evaluation.conditions}) < _SEVERAL
    }
    left_out = single | {MODEL} | (set() if evaluation.plan.tiers_by else {TIER})
    return tuple(name for name in dimensions_of(evaluation.plan) if name not in left_out)
