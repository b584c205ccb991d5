"""Two parts of the outcomes compared: two models case by case, high minus low tier, with one mix of cases."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from reviewer.agreement.clustered_ratios import Bools, ClusterSums, Resampling, combination, student_test
from reviewer.agreement.proportions import ZTest, holm
from reviewer.core.errors import RequestError
from reviewer.core.estimate import NO_DATA, Estimate
from reviewer.core.sanitize import counted, one_line
from reviewer.protocols.evaluation import Measure
from reviewer.results.outcomes.comparisons import EffectArrays, comparisons_of
from reviewer.results.outcomes.effect_estimates import BOOTSTRAPPED, estimates
from reviewer.results.outcomes.effect_rows import (
    BY_CASE,
    MODEL,
    CellRuns,
    Clusters,
    ErrorMethod,
    Tiers,
    cells_of,
)
from reviewer.results.outcomes.evaluated import Evaluation

PLAIN: Final = "as it is"
MEAN_OF_MODELS: Final = "mean of models"
"""The published way: the mean over models of each model's difference, with a paired t test over models."""


@dataclass(frozen=True, slots=True)
class Contrasted:
    """What is compared: two labels of a dimension, the first minus the second.

    ``mix`` is a dimension of cases: each of its labels then gets the same weight on both sides.
    """

    dimension: str
    first: str
    second: str
    mix: str = ""


@dataclass(frozen=True, slots=True)
class EffectContrast:
    """The difference of one measure in one row.

    ``way`` says how it was computed: as it is, standardised to one mix, or as the mean of models. ``test`` is
    Student's t over clusters (or models), and ``holm`` its p over the rows of that way. ``left_out`` are
    labels of the mix that only one side has.
    """

    where: Mapping[str, str]
    measure: Measure
    way: str
    estimate: Estimate
    test: ZTest
    left_out: tuple[str, ...] = ()
    holm: float | None = None


def contrast_table(
    evaluation: Evaluation,
    contrasted: Contrasted,
    *,
    by: Sequence[str] = (),
    measures: Sequence[str] = (),
    among: Bools | None = None,
    clusters: Clusters = BY_CASE,
    tiers: Tiers | None = None,
    method: ErrorMethod = BOOTSTRAPPED,
) -> tuple[EffectContrast, ...]:
    """Differences divided by dimensions, in each way that applies, measure by measure.

    Raises RequestError for labels that no case or run has, and for runs as clusters: pairs of parts are
    compared by the cases that they share.
    """
    if clusters.kind == "none":
        raise RequestError("two parts are compared by case or by family; leave `--cluster none` out.")
    if contrasted.dimension in by:
        raise RequestError(f"a comparison along {contrasted.dimension} cannot be divided by it too.")
    arrays = EffectArrays(evaluation, tuple(measures), clusters)
    chosen = arrays.everything if among is None else among
    if contrasted.dimension == MODEL:
        chosen = chosen & _asked_both(evaluation, contrasted, chosen)
    compared = _Compared(arrays, contrasted, tuple(by), chosen, tiers)
    resampling = Resampling(method.seed, method.resamples)
    rows = [
        contrast
        for where in compared.wheres()
        for measure in arrays.measures
        for contrast in _ways(compared, where, measure, method, resampling)
    ]
    return corrected_contrasts(rows)


def _asked_both(evaluation: Evaluation, contrasted: Contrasted, chosen: Bools) -> Bools:
    """The cases that both models were asked; raises RequestError if there are none."""
    first, second = contrasted.first, contrasted.second
    both = asked_by_all(evaluation, [name for name in (first, second) if name in evaluation.models])
    if chosen.any() and not (both & chosen).any():
        raise RequestError(f"{one_line(first)} and {one_line(second)} were asked no case in common.")
    return both


def asked_by_all(evaluation: Evaluation, models: Sequence[str]) -> Bools:
    """The cases that each of these models was asked."""
    places = [evaluation.models.index(model) for model in models]
    return np.asarray(evaluation.asked[places].all(axis=0), dtype=np.bool_)


def shared_cases_in_words(evaluation: Evaluation, models: Sequence[str], chosen: Bools | None = None) -> str:
    """A sentence on the cases by which models are compared; "" if they were all asked the same."""
    places = [evaluation.models.index(model) for model in models if model in evaluation.models]
    asked = evaluation.asked[places] if chosen is None else evaluation.asked[places][:, chosen]
    any_asked, shared = int(asked.any(axis=0).sum()), int(asked.all(axis=0).sum())
    if any_asked == shared:
        return ""
    numbers = ", ".join(
        f"{one_line(evaluation.models[place])} {int(row.sum()):,}"
        for place, row in zip(places, asked, strict=True)
    )
    return (
        f"The models were asked different cases ({numbers}): two models are compared by those that both were "
        f"asked; {shared:,} of {counted(any_asked, 'case')} were asked of all."
    )


def corrected_contrasts(rows: Sequence[EffectContrast]) -> tuple[EffectContrast, ...]:
    """Every p corrected for the tests that were made in the same way."""
    corrected = {
        way: iter(holm([row.test.p for row in rows if row.way == way])) for way in {row.way for row in rows}
    }
    return tuple(replace(row, holm=next(corrected[row.way])) for row in rows)


@dataclass(frozen=True, eq=False)
class _Compared:
    """The two parts of each row."""

    arrays: EffectArrays
    contrasted: Contrasted
    by: tuple[str, ...]
    chosen: Bools
    tiers: Tiers | None

    def cells(self, *more: str) -> Iterator[CellRuns]:
        """The rows by the division, the compared dimension, and more dimensions."""
        by = (*self.by, *more, self.contrasted.dimension)
        return cells_of(self.arrays.evaluation, by, self.chosen, self.tiers)

    def wheres(self) -> list[dict[str, str]]:
        """The labels of each row that has both parts; raises RequestError if none has."""
        wanted = self.contrasted
        held: dict[tuple[str, ...], set[str]] = {}
        for cell in self.cells():
            held.setdefault(tuple(cell.where[name] for name in self.by), set()).add(
                cell.where[wanted.dimension]
            )
        for label in (wanted.first, wanted.second):
            labels = sorted({each for row in held.values() for each in row})
            if label not in labels:
                raise RequestError(
                    f"{wanted.dimension} has no {label!r} here; there are {', '.join(labels) or 'none'}."
                )
        both = {wanted.first, wanted.second}
        return [dict(zip(self.by, key, strict=True)) for key, row in held.items() if both <= row]

    def pairs(self, where: Mapping[str, str], *more: str) -> dict[tuple[str, ...], tuple[CellRuns, CellRuns]]:
        """The two parts of a row for each label of more dimensions; a label that one part lacks has none."""
        sides: dict[tuple[str, ...], dict[str, CellRuns]] = {}
        for cell in self.cells(*more):
            if all(cell.where[name] == label for name, label in where.items()):
                key = tuple(cell.where[name] for name in more)
                sides.setdefault(key, {})[cell.where[self.contrasted.dimension]] = cell
        first, second = self.contrasted.first, self.contrasted.second
        return {
            key: (side[first], side[second])
            for key, side in sides.items()
            if first in side and second in side
        }

    def sums(self, measure: Measure, cells: Sequence[CellRuns]) -> list[ClusterSums]:
        """What the clusters bring to each of these parts."""
        return [self.arrays.measured(measure, cell) for cell in cells]

    def shown(self, measure: Measure, cells: Sequence[CellRuns], estimate: Estimate) -> Estimate:
        """An estimate from these parts, with what people must know of it."""
        return replace(self.arrays.shown(estimate), assumed=self.assumed(measure, cells))

    def assumed(self, measure: Measure, cells: Sequence[CellRuns]) -> int:
        """How many comparisons of these parts have an unreadable reply that counts as an answer."""
        runs = comparisons_of(self.arrays.evaluation, measure).runs
        return sum(int(runs.within(cell).assumed.sum()) for cell in cells)


def _ways(
    compared: _Compared,
    where: Mapping[str, str],
    measure: Measure,
    method: ErrorMethod,
    resampling: Resampling,
) -> Iterator[EffectContrast]:
    """The difference as it is, with one mix of cases, and as a mean of models."""
    (pair,) = compared.pairs(where).values()
    yield _contrast(compared, where, measure, PLAIN, pair, [1.0], method, resampling)
    if compared.contrasted.mix:
        yield _mixed(compared, where, measure, method, resampling)
    models = compared.arrays.evaluation.models
    if len(models) > 1 and MODEL not in (*compared.by, compared.contrasted.dimension):
        yield _of_models(compared, where, measure, method)


def _contrast(
    compared: _Compared,
    where: Mapping[str, str],
    measure: Measure,
    way: str,
    parts: Sequence[CellRuns],
    weights: Sequence[float],
    method: ErrorMethod,
    resampling: Resampling,
) -> EffectContrast:
    """The weighted sum of differences; ``parts`` holds the first and the second part by turns."""
    factors = {2 * place + side: (w, -w)[side] for place, w in enumerate(weights) for side in (0, 1)}
    sums = compared.sums(measure, parts)
    ((estimate, formula),) = estimates(sums, [factors], method, resampling)
    shown = compared.shown(measure, parts, estimate)
    return EffectContrast(where, measure, way, shown, student_test(formula))


def _mixed(
    compared: _Compared,
    where: Mapping[str, str],
    measure: Measure,
    method: ErrorMethod,
    resampling: Resampling,
) -> EffectContrast:
    """Each label of the mix weighs on both sides as it does among all cases of the row."""
    mix = compared.contrasted.mix
    pairs = compared.pairs(where, mix)
    cells = [cell for cell in compared.cells(mix) if all(cell.where[n] == v for n, v in where.items())]
    cases: Counter[str] = Counter()
    for label, places in _places_of(cells, mix).items():
        cases[label] = len(places)
    left_out = tuple(label for label in cases if (label,) not in pairs)
    way = f"one mix of {mix.replace('_', ' ')}s"
    if not pairs:
        estimate = Estimate.undefined(NO_DATA, 0)
        return EffectContrast(where, measure, way, estimate, student_test(estimate), left_out)
    total = sum(cases[label] for (label,) in pairs)
    parts = [part for pair in pairs.values() for part in pair]
    weights = [cases[label] / total for (label,) in pairs]
    made = _contrast(compared, where, measure, way, parts, weights, method, resampling)
    return replace(made, left_out=left_out)


def _places_of(cells: Sequence[CellRuns], mix: str) -> dict[str, set[int]]:
    places: dict[str, set[int]] = {}
    for cell in cells:
        places.setdefault(cell.where[mix], set()).update(cell.cases.tolist())
    return places


def _of_models(
    compared: _Compared, where: Mapping[str, str], measure: Measure, method: ErrorMethod
) -> EffectContrast:
    """The mean over models of each model's difference; models are the sample, not cases."""
    pairs = list(compared.pairs(where, MODEL).values())
    differences = []
    for pair in pairs:
        first, second = (sums.value for sums in compared.sums(measure, pair))
        if first is not None and second is not None:
            differences.append(first - second)
    reach = measure.most - measure.least
    each = ClusterSums(np.array(differences), np.ones(len(differences)), -reach, reach)
    estimate = combination([each], [1.0], method.level)
    test = student_test(estimate)
    assumed = compared.assumed(measure, [part for pair in pairs for part in pair])
    return EffectContrast(where, measure, MEAN_OF_MODELS, replace(estimate, assumed=assumed), test)
