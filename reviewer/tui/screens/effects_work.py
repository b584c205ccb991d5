"""Slow work of the effects screen: reading outcomes and computing tables."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from reviewer.core.errors import RequestError
from reviewer.core.sanitize import counted, one_line
from reviewer.exchange.rows.study_inputs import picked_cases
from reviewer.protocols.evaluation import Measure
from reviewer.protocols.registry import protocols_of
from reviewer.results.outcomes.case_choice import CaseChoice, among
from reviewer.results.outcomes.case_groupings import families_of, tiers_of
from reviewer.results.outcomes.effect_estimates import effect_table
from reviewer.results.outcomes.effect_rows import (
    MODEL,
    TIER,
    CellRuns,
    ClusterKind,
    Clusters,
    EffectTable,
    ErrorMethod,
    Tiers,
    cells_of,
    dimensions_of,
)
from reviewer.results.outcomes.evaluated import Evaluation, read_evaluation
from reviewer.similarity.encoder import ModelMissing, SimilarityMissing, Vectors, open_encoder
from reviewer.similarity.text_vectors import Embeddings
from reviewer.study.session.blinding import hidden_datasets, why_not_effects, why_not_outcomes
from reviewer.study.session.rater_progress import StudyProgress, study_progress
from reviewer.tui.rendering.effects_grid import shown_together
from reviewer.tui.screens.run_work import open_embedder
from store.database import Database
from store.embeddings import StoredVectors

if TYPE_CHECKING:
    from reviewer.tui.dialogs.new_answer_study import AnswerStudyRequest

_SEVERAL = 2
_QUICK = ErrorMethod(interval="linearised")
_UNCOMPARED = (
    "Cases that are nearly the same count more than once in the quartiles, since their texts were not "
    "compared yet; `reviewer effects {run} --by tier` compares them."
)


_ALL = CaseChoice()


@dataclass(frozen=True, slots=True)
class CountedCases:
    """Which cases count, in words and as a choice, which a file may narrow to the cases that it lists."""

    words: str
    choice: CaseChoice = _ALL
    file: Path | None = None


EVERYTHING = CountedCases("all cases")
AUDITED = (
    CountedCases("audit-clean cases", CaseChoice(audit_clean=True)),
    CountedCases("cases without a doubtful finding", CaseChoice(strict=True)),
)


FROM_FILE = CountedCases("cases that a file lists …")
"""Stands for those of a file that is still to be named."""
CLUSTERS: Mapping[ClusterKind, tuple[str, str]] = {
    "case": ("cases resampled", "cases"),
    "family": ("families resampled", "families of similar cases (cosine .80)"),
    "none": ("runs resampled", "single runs, as if independent"),
}
"""What intervals resample: in the head of the screen, and in the list of choices."""


def resampled_in_words(clusters: str) -> str:
    """What a table's intervals resample; ``clusters`` is a choice, or what cases share."""
    known = {str(kind): words for kind, (words, _) in CLUSTERS.items()}
    return known.get(clusters, f"cases that share a {clusters} resampled together")


def cases_of_file(path: Path) -> CountedCases:
    """The choice of the cases that a file lists."""
    return CountedCases(f"cases of {one_line(path.name, 40)}", file=path)


@dataclass(frozen=True, slots=True)
class WantedTable:
    """A table's dimension besides the model, the cases that count, and the unit of resampling."""

    dimension: str
    among: CountedCases
    cluster: ClusterKind = "case"


@dataclass(frozen=True, slots=True)
class OutcomesRead:
    """The outcomes, what can divide the rows, and which choices of cases can count."""

    evaluation: Evaluation
    dimensions: tuple[str, ...]
    choices: tuple[CountedCases, ...]


@dataclass(frozen=True, slots=True)
class ComputedTable:
    """A table; one of few measures with errors by formula comes before that with resamples."""

    wanted: WantedTable
    table: EffectTable
    cells: list[CellRuns]
    notes: tuple[str, ...]

    @property
    def quick(self) -> bool:
        """Whether the table with resamples is still to come."""
        return self.table.method.interval == "linearised"

    def cell_at(self, where: Mapping[str, str]) -> CellRuns:
        """The runs of a row of the table."""
        return next(cell for cell in self.cells if cell.where == where)


class EffectsWork:
    """Reads outcomes and computes tables in threads; ``tell`` takes a sentence on how far a long work is."""

    def __init__(self, database: Database, run: str, person: str, tell: Callable[[str], object]) -> None:
        self._database, self._run, self._person, self._tell = database, run, person, tell
        self._families: Clusters | None = None

    def read(self) -> OutcomesRead:
        """Read the outcomes; raises RequestError where this person may not see them."""
        studies = study_progress(self._database)
        if why_not := why_not_effects(self._database, studies, self._person, self._run):
            raise RequestError(why_not)
        evaluation = read_evaluation(self._database, protocols_of(self._database), self._run)
        closed = [study.study.name for study in studies if study.study.closed_at]
        passed = (CountedCases(f"cases that passed {name}", CaseChoice(passed=(name,))) for name in closed)
        return OutcomesRead(
            evaluation, self._dimensions(evaluation, studies), (EVERYTHING, *AUDITED, *passed)
        )

    def _dimensions(self, evaluation: Evaluation, studies: list[StudyProgress]) -> tuple[str, ...]:
        """What can divide the rows; generators cannot where this person may not know them yet."""
        hidden = hidden_datasets(self._database, protocols_of(self._database), studies, self._person)
        names = set() if hidden.isdisjoint(evaluation.settings.datasets) else {"generator"}
        return tuple(name for name in _dimensions(evaluation) if name not in names)

    def compute(
        self,
        evaluation: Evaluation,
        wanted: WantedTable,
        shown: Measure,
        show: Callable[[ComputedTable], object],
    ) -> ComputedTable:
        """Show one measure with standard errors by formula; then return everything with resamples."""
        by = (wanted.dimension, MODEL)
        file, choice = wanted.among.file, wanted.among.choice
        told: list[str] = []
        choice = replace(choice, picked=picked_cases(file, told.append)) if file else choice
        cases = among(self._database, evaluation, choice)
        tiers, uncompared = self._tiers(evaluation) if wanted.dimension == TIER else (None, "")
        clusters = self._clusters(evaluation, wanted.cluster)
        cells = list(cells_of(evaluation, by, cases.chosen, tiers))
        compute = partial(effect_table, evaluation, by=by, among=cases.chosen, clusters=clusters, tiers=tiers)
        notes = tuple(filter(None, (cases.note, _tiers_in_words(tiers), uncompared, *told)))

        def computed(table: EffectTable) -> ComputedTable:
            return ComputedTable(wanted, table, cells, (*notes, *table.sentences))

        measures = [measure.key for measure in shown_together(shown, evaluation.plan.measures)]
        show(computed(compute(measures=measures, method=_QUICK)))
        return computed(compute())

    def _clusters(self, evaluation: Evaluation, kind: ClusterKind) -> Clusters:
        """What is resampled. Families need every text's vector: the sentence model loads for a new text."""
        if kind != "family":
            return Clusters(kind)
        if self._families is None:
            self._tell("Comparing the texts; the sentence model is loaded first …")
            embeddings = open_embedder(self._database)
            self._families = families_of(self._database, evaluation, embeddings, self._report)
        return self._families

    def _report(self, name: str, done: int, total: int) -> None:
        self._tell(f"{name}: {done:,} of {total:,}")

    def _tiers(self, evaluation: Evaluation) -> tuple[Tiers, str]:
        """The quartiles, without near duplicates if all texts have vectors already; no model is loaded."""
        try:
            stored = Embeddings(_NotLoaded(open_encoder().name), StoredVectors(self._database))
            return tiers_of(self._database, evaluation, embeddings=stored), ""
        except (SimilarityMissing, ModelMissing):
            return tiers_of(self._database, evaluation), _UNCOMPARED.format(run=self._run)


@dataclass(frozen=True, slots=True)
class _NotLoaded:
    """A sentence model of which only the stored vectors can be had."""

    name: str

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Nothing; raises ModelMissing."""
        raise ModelMissing(f"{counted(len(texts), 'text')} must be encoded first.")


def _tiers_in_words(tiers: Tiers | None) -> str:
    if tiers is None:
        return ""
    name, ends = tiers.measurement.replace("_", " "), ", ".join(tiers.ends)
    return f"Tiers: quartiles of {name} ({ends}) over all cases of the datasets."


def _dimensions(evaluation: Evaluation) -> tuple[str, ...]:
    """What can divide the rows: everything but the model, and of the factors those with several values."""
    single = {
        factor.name
        for factor in evaluation.plan.factors
        if len({condition[factor.name] for condition in evaluation.conditions}) < _SEVERAL
    }
    left_out = single | {MODEL} | (set() if evaluation.plan.tiers_by else {TIER})
    return tuple(name for name in dimensions_of(evaluation.plan) if name not in left_out)


def draw_answer_study(database: Database, run: str, person: str, request: "AnswerStudyRequest") -> None:
    """Save a study of answers of a run; raises RequestError, also where these would influence this person."""
    from reviewer.results.outcomes.answer_cases import answers_for_study
    from reviewer.study.design.study_creation import Design, create_study

    evaluation = read_evaluation(database, protocols_of(database), run)
    if reason := why_not_outcomes(database, study_progress(database), person, evaluation.settings.datasets):
        raise RequestError(reason)
    answers = answers_for_study(database, evaluation, request.name, request.wanted).drawn
    design = Design(
        (answers.dataset,),
        None,
        request.wanted.seed,
        raters=request.raters,
        options=request.options,
        questions=request.questions,
        answers=answers,
    )
    create_study(database, request.name, design, person)
