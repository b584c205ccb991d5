"""What the report of an evaluation run prints, computed once for its pages, its tables and its figures."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING

from reviewer.agreement.clustered_ratios import Bools
from reviewer.core.estimate import NO_DATA, Estimate
from reviewer.core.number_text import DIGITS
from reviewer.protocols.evaluation import Measure
from reviewer.results.labels.dimensions import ALL
from reviewer.results.outcomes.case_choice import AmongCases, remarks_on
from reviewer.results.outcomes.contrasts import (
    Contrasted,
    EffectContrast,
    asked_by_all,
    contrast_table,
    corrected_contrasts,
)
from reviewer.results.outcomes.effect_estimates import BOOTSTRAPPED, effect_table, ladder_table, with_holm
from reviewer.results.outcomes.effect_rows import (
    BY_CASE,
    MODEL,
    TIER,
    TIER_NAMES,
    Clusters,
    EffectRow,
    EffectTable,
    ErrorMethod,
    Tiers,
    titles_without_reading,
)
from reviewer.results.outcomes.evaluated import MISSING, Evaluation
from reviewer.results.tables.evaluation_tables import AnswererRow, ModelReplies
from store.records import Outcome

if TYPE_CHECKING:
    from reviewer.results.labels.answer_studies import AnswerStudy

CONDITION, GROUP = "condition", "group"
_GENERATOR = "generator"
_HEADLINES = 2


@dataclass(frozen=True)
class EvaluationStatistics:
    """The statistics of an evaluation run's report.

    ``whole`` has a row for each model; ``groups`` and ``conditions`` have the parts of each model, then all
    of it. Conditions are the factors that were asked with several values and that measures do not compare:
    "order: exchanged". ``ladder`` has a row for each model and choice of cases. Tables are empty where there
    is nothing to divide. ``differences`` are between models, ``slopes`` between the highest and the lowest
    tier. ``notes`` say what became of the cases that choices leave out.
    """

    evaluation: Evaluation
    digits: int
    whole: EffectTable
    groups: EffectTable
    tiers: EffectTable
    quartiles: Tiers | None
    slopes: tuple[EffectContrast, ...]
    conditions: EffectTable
    ladder: EffectTable
    notes: tuple[str, ...]
    differences: tuple[EffectContrast, ...]
    answerers: tuple[AnswererRow, ...]
    replies: tuple[ModelReplies, ...]
    answers: "tuple[AnswerStudy, ...]" = ()
    """The closed studies in which experts judged answers of the run."""

    @property
    def headlines(self) -> tuple[Measure, ...]:
        """The measures that matter most: the first ones of the protocol."""
        return self.whole.measures[:_HEADLINES]

    @property
    def others(self) -> tuple[Measure, ...]:
        """All other measures."""
        return self.whole.measures[_HEADLINES:]

    @property
    def by_condition(self) -> tuple[Measure, ...]:
        """What is shown by condition: measures that compare nothing, then the first measure."""
        alone = (measure for measure in self.others if not measure.over)
        return (*alone, self.whole.measures[0])


@dataclass(frozen=True)
class EffectSettings:
    """How a report computes effects: clusters, tiers (None: without), and errors."""

    clusters: Clusters = BY_CASE
    tiers: Tiers | None = None
    method: ErrorMethod = BOOTSTRAPPED


def compute_evaluation(
    evaluation: Evaluation,
    unlabelled: Iterable[Outcome],
    choices: Sequence[AmongCases],
    settings: EffectSettings,
    digits: int = DIGITS,
) -> EvaluationStatistics:
    """Compute what the report prints; raises RequestError as the tables do.

    ``unlabelled`` are the kept outcomes without a label, ``choices`` the rungs of the ladder.
    """
    computed = _Computed(evaluation, settings)
    whole = computed.divided()
    rungs = [(choice.title, choice.chosen) for choice in choices]
    empty = replace(whole, rows=(), sentences=())
    return EvaluationStatistics(
        evaluation,
        digits,
        whole,
        _with_whole(computed.divided(GROUP), whole, GROUP),
        computed.divided(TIER) if settings.tiers else empty,
        settings.tiers,
        computed.slopes() if settings.tiers else (),
        _with_whole(_by_condition(computed, whole), whole, CONDITION),
        computed.ladder(rungs) if len(rungs) > 1 else empty,
        remarks_on(choices),
        computed.differences(),
        (*map(_reading, whole.rows), *_not_reading(evaluation, settings.clusters)),
        tuple(_replies(evaluation, unlabelled)),
    )


@dataclass(frozen=True)
class _Computed:
    """Tables of one evaluation, computed in one way."""

    evaluation: Evaluation
    settings: EffectSettings

    def divided(self, *by: str) -> EffectTable:
        """Effects by model and more."""
        how = self.settings
        return effect_table(
            self.evaluation, by=(MODEL, *by), clusters=how.clusters, tiers=how.tiers, method=how.method
        )

    def ladder(self, rungs: Sequence[tuple[str, Bools]]) -> EffectTable:
        """Effects by model over one choice of cases after the other."""
        how = self.settings
        return ladder_table(self.evaluation, rungs, by=(MODEL,), clusters=how.clusters, method=how.method)

    def slopes(self) -> tuple[EffectContrast, ...]:
        """The highest tier minus the lowest, as it is and with one mix of generators; empty without both."""
        low, high = TIER_NAMES[0], TIER_NAMES[-1]
        tiers = self.settings.tiers
        if tiers is None or not {low, high} <= {tiers.of(case) for case in self.evaluation.cases}:
            return ()
        several = len({case.generator for case in self.evaluation.cases}) > 1
        contrasted = Contrasted(TIER, high, low, _GENERATOR if several else "")
        of_models = self._contrasts(contrasted, (MODEL,))
        if len(self.evaluation.models) < 2:
            return of_models
        together = (replace(contrast, where={MODEL: ALL}) for contrast in self._contrasts(contrasted, ()))
        return corrected_contrasts((*of_models, *together))

    def differences(self) -> tuple[EffectContrast, ...]:
        """Every two models, by the cases that both were asked; none for two that share no case."""
        pairs = [
            replace(contrast, where={"first": first, "second": second})
            for first, second in combinations(self.evaluation.models, 2)
            if asked_by_all(self.evaluation, (first, second)).any()
            for contrast in self._contrasts(Contrasted(MODEL, first, second), ())
        ]
        return corrected_contrasts(pairs)

    def _contrasts(self, contrasted: Contrasted, by: Sequence[str]) -> tuple[EffectContrast, ...]:
        how = self.settings
        if how.clusters.kind == "none":  # parts are compared by the cases that they share
            return ()
        keys = [measure.key for measure in self.evaluation.plan.measures[:_HEADLINES]]
        return contrast_table(
            self.evaluation,
            contrasted,
            by=by,
            measures=keys,
            clusters=how.clusters,
            tiers=how.tiers,
            method=how.method,
        )


def _by_condition(computed: _Computed, whole: EffectTable) -> EffectTable:
    """The rows of every factor with several values."""
    evaluation, compared = computed.evaluation, whole.measures[0].factors
    tables = {
        factor.name: computed.divided(factor.name)
        for factor in evaluation.plan.factors
        if factor.name not in compared and len({put[factor.name] for put in evaluation.conditions}) > 1
    }
    rows = [
        replace(row, where={MODEL: row.where[MODEL], CONDITION: f"{name}: {row.where[name]}"})
        for name, table in tables.items()
        for row in table.rows
    ]
    return replace(whole, rows=tuple(rows))


def _with_whole(parts: EffectTable, whole: EffectTable, dimension: str) -> EffectTable:
    """The parts of each model, then all of it; every p corrected for all the tests of the new table."""
    sums = [replace(row, where={**row.where, dimension: ALL}) for row in whole.rows]
    rows = [
        row
        for model in dict.fromkeys(row.where[MODEL] for row in whole.rows)
        for row in (*parts.rows, *sums)
        if row.where[MODEL] == model
    ]
    return replace(parts, by=(MODEL, dimension), rows=with_holm(rows))


def _reading(row: EffectRow) -> AnswererRow:
    values = {key: effect.estimate for key, effect in row.effects.items()}
    return AnswererRow(row.where[MODEL], True, values)


def _not_reading(evaluation: Evaluation, clusters: Clusters) -> Iterator[AnswererRow]:
    """A coin and the constant answerers, over the comparisons that the models answered."""
    titles = titles_without_reading(evaluation.plan)
    for row in effect_table(evaluation, clusters=clusters, method=ErrorMethod("linearised")).rows:
        for key, title in titles.items():
            exact = {name: effect.nulls[key] for name, effect in row.effects.items()}
            values = {
                name: Estimate.undefined(NO_DATA, 0) if value is None else Estimate(value, 0)
                for name, value in exact.items()
            }
            yield AnswererRow(title, False, values)


def _replies(evaluation: Evaluation, unlabelled: Iterable[Outcome]) -> Iterator[ModelReplies]:
    """What became of every outcome, model by model; those of which nothing is kept were not asked for yet."""
    reasons = Counter((outcome.model, outcome.state, outcome.why) for outcome in unlabelled)
    for model in evaluation.models:
        labels = evaluation.labels[model]
        yield ModelReplies(model, "read", "", int((labels >= 0).sum()))
        kept = {key: number for key, number in reasons.items() if key[0] == model}
        for (_, state, why), number in sorted(kept.items()):
            yield ModelReplies(model, state, why, number)
        known = sum(number for (_, state, _), number in kept.items() if state == "missing")
        if (waiting := int((labels == MISSING).sum()) - known) > 0:
            yield ModelReplies(model, "missing", "no reply was asked for yet", waiting)
