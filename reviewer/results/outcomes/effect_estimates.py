"""The table of effects: for each row and measure a ratio, with an interval that resamples clusters."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from reviewer.agreement.clustered_ratios import (
    Bools,
    ClusterSums,
    Resampling,
    clustered_mcnemar,
    combination,
    design_effect,
    error_of_runs,
    with_resamples,
)
from reviewer.agreement.proportions import ZTest, holm, sign_test
from reviewer.core.estimate import Estimate
from reviewer.protocols.evaluation import Measure
from reviewer.results.outcomes.comparisons import EffectArrays, MeasuredRuns, comparisons_of
from reviewer.results.outcomes.effect_rows import (
    BY_CASE,
    CellRuns,
    Clusters,
    Effect,
    EffectRow,
    EffectTable,
    ErrorMethod,
    Tiers,
    cells_of,
    titles_without_reading,
)
from reviewer.results.outcomes.effect_sentences import table_sentences
from reviewer.results.outcomes.evaluated import Evaluation

BOOTSTRAPPED: Final = ErrorMethod()
AMONG: Final = "among"
NO_SIGN: Final = "the measure has no sign"


def effect_table(
    evaluation: Evaluation,
    *,
    by: Sequence[str] = (),
    measures: Sequence[str] = (),
    among: Bools | None = None,
    clusters: Clusters = BY_CASE,
    tiers: Tiers | None = None,
    method: ErrorMethod = BOOTSTRAPPED,
    compared: tuple[str, Bools] | None = None,
) -> EffectTable:
    """Effects divided by dimensions (none: one row), over the chosen cases (None: all).

    ``measures`` are keys (none: all measures of the protocol). ``compared`` names a wider choice of cases;
    each effect then has its value over these too. Raises RequestError for an unknown measure or dimension.
    """
    arrays = EffectArrays(evaluation, tuple(measures), clusters)
    chosen = arrays.everything if among is None else among
    resampling = Resampling(method.seed, method.resamples)
    rows = [_row(arrays, cell, method, resampling) for cell in cells_of(evaluation, by, chosen, tiers)]
    table = EffectTable(
        tuple(by), arrays.measures, with_holm(rows), int(chosen.sum()), arrays.resampled, method
    )
    table = replace(table, sentences=tuple(table_sentences(evaluation, table, chosen)))
    if compared is None:
        return table
    title, wider = compared
    values = {_labels(cell.where): _values(arrays, cell) for cell in cells_of(evaluation, by, wider, tiers)}
    rows = [_beside(row, values.get(_labels(row.where), {})) for row in table.rows]
    return replace(table, rows=tuple(rows), compared=title)


def _labels(where: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    return tuple(where.items())


def _values(arrays: EffectArrays, cell: CellRuns) -> dict[str, float | None]:
    return {measure.key: arrays.measured(measure, cell).value for measure in arrays.measures}


def _beside(row: EffectRow, values: Mapping[str, float | None]) -> EffectRow:
    """The row with its values over the wider choice of cases."""
    return replace(
        row,
        effects={key: replace(effect, compared=values.get(key)) for key, effect in row.effects.items()},
    )


def ladder_table(
    evaluation: Evaluation,
    rungs: Sequence[tuple[str, Bools]],
    *,
    by: Sequence[str] = (),
    measures: Sequence[str] = (),
    clusters: Clusters = BY_CASE,
    tiers: Tiers | None = None,
    method: ErrorMethod = BOOTSTRAPPED,
) -> EffectTable:
    """The same effects over one choice of cases after the other, whose names stand under "among"."""
    tables = [
        effect_table(
            evaluation,
            by=by,
            measures=measures,
            among=chosen,
            clusters=clusters,
            tiers=tiers,
            method=method,
        )
        for _, chosen in rungs
    ]
    rows = [
        replace(row, where={AMONG: title, **row.where})
        for (title, _), table in zip(rungs, tables, strict=True)
        for row in table.rows
    ]
    return replace(tables[0], by=(AMONG, *by), rows=with_holm(rows))


@dataclass(frozen=True, eq=False)
class _Measured:
    """What the runs of a row bring to a measure, and their sums by cluster and run by run."""

    runs: MeasuredRuns
    by_cluster: ClusterSums
    by_run: ClusterSums


def _row(arrays: EffectArrays, cell: CellRuns, method: ErrorMethod, resampling: Resampling) -> EffectRow:
    """All that one row says; its intervals come from the same resamples."""
    measured = [_measured(arrays, measure, cell) for measure in arrays.measures]
    clustered = [each.by_cluster for each in measured]
    repeated, k = arrays.repeated(cell), len(clustered)
    if arrays.clusters.kind == "none":  # noise and what lies above it compare runs within cases
        main = [
            estimate for sums in clustered for estimate in estimates([sums], [{0: 1.0}], method, resampling)
        ]
        rest = estimates(repeated, _of_repeated(0), method, resampling)
    else:
        wanted = [{place: 1.0} for place in range(k)]
        both = estimates([*clustered, *repeated], [*wanted, *_of_repeated(k)], method, resampling)
        main, rest = both[:k], both[k:]
    effects = {
        each.runs.measure.key: _effect(arrays, each, cell, *pair)
        for each, pair in zip(measured, main, strict=True)
    }
    noise, cross, above = (arrays.shown(estimate) for estimate, _ in rest)
    return EffectRow(cell.where, len(cell.cases), effects, noise, cross, above)


def _of_repeated(k: int) -> list[dict[int, float]]:
    """Noise, cross, and how far cross lies above noise, of the sums of ``repeated`` from place ``k`` on."""
    return [{k: 1.0}, {k + 1: 1.0}, {k + 2: -1.0, k + 3: 1.0}]


def estimates(
    measured: Sequence[ClusterSums],
    combined: Sequence[Mapping[int, float]],
    method: ErrorMethod,
    resampling: Resampling,
) -> list[tuple[Estimate, Estimate]]:
    """Each combination of the ratios, given as factors by place: by the method, and by formula."""
    points = [
        combination([measured[place] for place in factors], list(factors.values()), method.level)
        for factors in combined
    ]
    if method.interval == "linearised":
        return [(point, point) for point in points]
    values = resampling.ratios(measured)
    resampled = (
        with_resamples(point, values[:, list(factors)] @ np.array(list(factors.values())), method.level)
        for point, factors in zip(points, combined, strict=True)
    )
    return list(zip(resampled, points, strict=True))


def _measured(arrays: EffectArrays, measure: Measure, cell: CellRuns) -> _Measured:
    runs, bounds = comparisons_of(arrays.evaluation, measure).runs.within(cell), (measure.least, measure.most)
    by_run = ClusterSums(runs.sums.ravel(), runs.weights.ravel(), *bounds)
    if arrays.clusters.kind == "none":
        return _Measured(runs, by_run, by_run)
    return _Measured(runs, arrays.clustered(runs.sums, runs.weights, cell, bounds), by_run)


def _effect(
    arrays: EffectArrays, measured: _Measured, cell: CellRuns, estimate: Estimate, formula: Estimate
) -> Effect:
    runs, by_run, weighs = measured.runs, measured.by_run, measured.runs.weights > 0
    least, most, full = (float(each.sum()) for each in (runs.least, runs.most, runs.full))
    return Effect(
        runs.measure,
        replace(arrays.shown(estimate), assumed=int(runs.assumed.sum())),
        formula,
        cases=int(weighs.any(axis=(0, 2, 3)).sum()),
        runs=int(weighs.sum()),
        unreadable=int(runs.unread.sum()),
        absent=int((~runs.present).sum()),
        bounds=(least / full, most / full) if full else (None, None),
        forward=float(runs.sums[runs.sums > 0].sum()),
        backward=float(abs(runs.sums[runs.sums < 0].sum())),
        error_of_runs=error_of_runs(by_run),
        design_effect=design_effect(formula.se, by_run),
        test=_test(runs.measure, measured.by_cluster),
        nulls=dict(_nulls(arrays, runs, cell)),
    )


def _test(measure: Measure, clusters: ClusterSums) -> ZTest:
    """Whether changes go one way more than the other."""
    if measure.least >= 0:
        return ZTest(None, None, NO_SIGN)
    if measure.test == "exact":
        return sign_test(int((clusters.sums > 0).sum()), int((clusters.sums < 0).sum()))
    present = clusters.weights > 0
    return clustered_mcnemar(clusters.sums[present] / clusters.weights[present])


def _nulls(arrays: EffectArrays, runs: MeasuredRuns, cell: CellRuns) -> Iterator[tuple[str, float | None]]:
    """The measure for a coin and the constant answerers, over the comparisons that the models answered."""
    comparisons = comparisons_of(arrays.evaluation, runs.measure)
    rests = cell.places(comparisons.runs.rests)
    nulls = comparisons.nulls[:, :, cell.cases[:, None], rests[None, :]]
    brought = nulls * runs.present.sum(axis=(0, 3))
    totals = brought.sum(axis=(2, 3)).tolist()
    for answerer, (sums, weights) in zip(titles_without_reading(arrays.evaluation.plan), totals, strict=True):
        yield answerer, sums / weights if weights else None


def with_holm(rows: Sequence[EffectRow]) -> tuple[EffectRow, ...]:
    """Every p corrected for all the tests of the table."""
    corrected = iter(holm([effect.test.p for row in rows for effect in row.effects.values()]))
    return tuple(
        replace(
            row, effects={key: replace(effect, holm=next(corrected)) for key, effect in row.effects.items()}
        )
        for row in rows
    )
