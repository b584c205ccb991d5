"""Agreement and pass rates of a study, cell by cell, computed from the label rows."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Literal

from reviewer.agreement.bootstrap import bootstrap_all
from reviewer.agreement.coefficient import Coefficient
from reviewer.agreement.means import mean_of
from reviewer.agreement.pass_rates import PassRate, PassRule
from reviewer.agreement.proportions import proportion
from reviewer.agreement.ratings import Ratings
from reviewer.agreement.shares import LabelShare
from reviewer.core.estimate import Estimate
from reviewer.results.labels.coefficient_choice import (
    KNOWN,
    NO_PASSING_LABEL,
    NO_SHARED_ITEM,
    NO_UNANIMITY,
    NOT_COMPUTED,
    LabelWeights,
    check_coefficients,
    first_coefficients,
    keys_of,
    ordered_forms,
)
from reviewer.results.labels.dimensions import ALL
from reviewer.results.labels.divided_items import (
    AnswerForm,
    Key,
    ResultCell,
    StudyLabels,
    answers_of,
    divided,
    summed,
    summed_first,
)
from reviewer.results.labels.skew import Skew, skew_of
from reviewer.results.labels.statistics_cache import StatisticsCache
from reviewer.study.design.seeding import derived_seed
from reviewer.study.design.study_bundle import StudyBundle
from reviewer.study.session.label_rows import LabelRow, items_of

Kind = Literal["cell", "mean of cells", "pooled", "dataset"]
IntervalKind = Literal["bootstrap", "analytic", "none"]


@dataclass(frozen=True)
class Method:
    """Which coefficients to compute, and with which intervals.

    Empty ``coefficients`` mean the usual ones. Where labels have an order, their forms with ``weights``
    between labels take their place, and with ``unweighted`` stand beside them. ``bootstrap`` resamples cases
    with ``seed`` (None: a seed derived from the study's), and so does ``analytic`` where answers of a study
    are about the same case. A proportion over items of all different cases keeps Wilson's interval, because
    the bootstrap interval has no width when all raters agree. ``first`` are the coefficients that the study's
    lead wants to see before the usual ones.
    """

    coefficients: tuple[str, ...] = ()
    interval: IntervalKind = "analytic"
    level: float = 0.95
    seed: int | None = None
    resamples: int = 10_000
    weights: LabelWeights = "quadratic"
    unweighted: bool = False
    first: tuple[str, ...] = ()

    def keys(self, form: AnswerForm, by: Sequence[str]) -> tuple[str, ...]:
        """The coefficients of a cell whose answers are of this form."""
        return keys_of(
            form, self.coefficients, by, self.weights, unweighted=self.unweighted, first=self.first
        )

    def for_study(self, bundle: StudyBundle) -> "Method":
        """The same method with a seed, and with the order of coefficients that the study's lead chose."""
        return replace(self.seeded(bundle.study.seed), first=first_coefficients(bundle))

    def seeded(self, study_seed: int) -> "Method":
        """The same method with a seed."""
        return self if self.seed is not None else replace(self, seed=derived_seed(study_seed, "bootstrap"))

    def resamples_cases(self, *, same: bool) -> bool:
        """Whether intervals resample; formulas hold for no items that are about the ``same`` case."""
        return self.interval == "bootstrap" or (self.interval == "analytic" and same)

    def shown(self, estimate: Estimate, cases: int) -> Estimate:
        """The estimate without an interval if none is wanted; else marked if it rests on few cases."""
        return replace(estimate, interval=None) if self.interval == "none" else estimate.resting_on(cases)


@dataclass(frozen=True)
class AgreementResult:
    """The numbers of one cell, of a mean over cells, of pooled labels, or of a dataset. ``kind`` tells which.

    ``where`` has a value for each dimension; "all" means pooled or averaged over it. ``ratings`` counts
    labels. ``missing`` counts labels that raters who have begun were asked for and have not given.
    ``undecided`` counts items without a majority label; where a label counts as a pass, they do not pass.
    ``skew`` is set if a low kappa is misleading here.
    """

    kind: Kind
    where: Mapping[str, str]
    items: int
    cases: int
    raters: int
    ratings: int
    missing: int
    passing_share: Estimate
    coefficients: Mapping[str, Estimate]
    majority: Estimate
    unanimity: Estimate
    undecided: int
    skew: Skew | None = None
    form: AnswerForm = "nominal"
    apart: Mapping[int, int] = field(default_factory=dict)
    """Where labels have an order: steps between an item's lowest and highest label → how many items."""

    def of(self, key: str) -> Estimate:
        """A coefficient; without a value where answers of this form do not have it."""
        known = self.coefficients.get(key)
        return Estimate.undefined(NOT_COMPUTED[self.form], 0) if known is None else known

    def like(self, key: str) -> str:
        """The coefficient that stands for another one where labels have an order; else that one itself."""
        forms = ordered_forms(key) if self.form == "ordinal" else ()
        return next((name for name in forms if name in self.coefficients), key)

    @property
    def has_number(self) -> bool:
        """Whether a coefficient or a pass rate has a value."""
        rates = (*self.coefficients.values(), self.majority, self.unanimity)
        return any(estimate.value is not None for estimate in rates)

    def without_rate_intervals(self) -> "AgreementResult":
        """The same result without intervals of pass rates, which looking makes invalid."""
        majority, unanimity = (replace(rate, interval=None) for rate in (self.majority, self.unanimity))
        return replace(self, majority=majority, unanimity=unanimity)

    def at(self, by: Sequence[str]) -> str:
        """The cell's values in words."""
        return " · ".join(self.where[dimension] for dimension in by) or ALL


def study_results(
    bundle: StudyBundle,
    labels: StudyLabels,
    by: Sequence[str],
    method: Method | None = None,
    cache: StatisticsCache | None = None,
) -> list[AgreementResult]:
    """A result for each cell; then, if there are several cells, means of cells and pooled values.

    ``cache`` keeps what was computed for other tables of the same rows. Raises RequestError for an unknown
    dimension or coefficient.
    """
    cache = cache or StatisticsCache()
    how = (method or Method()).for_study(bundle)
    check_coefficients(how.coefficients, by)
    answers = answers_of(bundle, labels)
    cells = divided(items_of(bundle), answers, by)
    results = {key: result_of("cell", cell, how, by, cache) for key, cell in cells.items()}
    sums = summed_first(answers, cells, by)
    return [*results.values(), *_summaries(results, sums, how, by, cache)]


def study_totals(
    bundle: StudyBundle,
    rows: Sequence[LabelRow],
    by: Sequence[str],
    method: Method | None = None,
    cache: StatisticsCache | None = None,
) -> dict[str, list[AgreementResult]]:
    """For each value of each dimension after the first: the mean of its cells, and its pooled labels.

    ``study_results`` has those of the first dimension. ``cache`` keeps what was computed for other tables.
    """
    cache = cache or StatisticsCache()
    how = (method or Method()).for_study(bundle)
    check_coefficients(how.coefficients, by)
    answers = answers_of(bundle, rows)
    cells = divided(items_of(bundle), answers, by)
    bare = replace(how, interval="none")  # a mean of cells has no interval
    results = {key: result_of("cell", cell, bare, by, cache) for key, cell in cells.items()}
    return {
        dimension: _summaries(results, summed(answers, cells, by, dimension), how, by, cache)
        for dimension in by[1:]
    }


def _summaries(
    results: Mapping[Key, AgreementResult],
    sums: Iterable[tuple[Sequence[Key], ResultCell]],
    how: Method,
    by: Sequence[str],
    cache: StatisticsCache,
) -> list[AgreementResult]:
    """The mean over the cells of each sum, and their pooled labels."""
    summaries: list[AgreementResult] = []
    for keys, cell in sums:
        pooled = result_of("pooled", cell, how, by, cache)
        summaries += [_mean([results[key] for key in keys], pooled), pooled]
    return summaries


def _mean(cells: Sequence[AgreementResult], pooled: AgreementResult) -> AgreementResult:
    """Unweighted means over the cells that have a value. The counts are those of the pooled labels."""
    keys = dict.fromkeys(key for cell in cells for key in cell.coefficients)
    return replace(
        pooled,
        kind="mean of cells",
        passing_share=mean_of([cell.passing_share for cell in cells]),
        coefficients={key: _mean_coefficient(key, cells) for key in keys},
        majority=mean_of([cell.majority for cell in cells]),
        unanimity=mean_of([cell.unanimity for cell in cells]),
        skew=None,
    )


def _mean_coefficient(key: str, cells: Sequence[AgreementResult]) -> Estimate:
    """The mean over the cells that have the coefficient; it leaves out those whose answers cannot have it."""
    having = [cell.coefficients[key] for cell in cells if key in cell.coefficients]
    mean = mean_of(having)
    return replace(mean, left_out=(mean.left_out or 0) + len(cells) - len(having))


def result_of(
    kind: Kind, cell: ResultCell, how: Method, by: Sequence[str], cache: StatisticsCache
) -> AgreementResult:
    """The numbers of a cell, as figures of the sample."""
    given, keys = cell.given.total(), how.keys(cell.form, by)
    why = NOT_COMPUTED["text" if cell.form == "text" else "mixed"] if cell.items else NO_SHARED_ITEM
    blank = Estimate.undefined(why, len(cell.items))
    bare = AgreementResult(
        kind,
        cell.where,
        len(cell.items),
        len(set(cell.cases)),
        cell.rater_count,
        given,
        sum(cell.missing),
        blank,
        dict.fromkeys(keys, blank),
        blank,
        blank,
        cell.undecided,
        form=cell.form,
        apart=cell.apart,
    )
    if cell.ratings is None:
        return bare
    ratings = cell.ratings
    coefficients = dict(
        zip(keys, _estimates(cell, ratings, [KNOWN[key] for key in keys], how, cache), strict=True)
    )
    skew = _skew(cell, ratings, how, cache)
    if cell.judged is None:
        no_pass = Estimate.undefined(NO_PASSING_LABEL, ratings.n_items)
        return replace(
            bare,
            coefficients=coefficients,
            passing_share=no_pass,
            majority=no_pass,
            unanimity=no_pass,
            skew=skew,
        )
    judged, passing = cell.judged, cell.passing_votes
    rules = PassRule(passing), PassRule(passing, unanimous=True)
    decided = judged if cell.decided is None else cell.decided
    if cell.third is None:
        majority, unanimity = _estimates(cell, judged, rules, how, cache)
    else:
        (majority,) = _estimates(cell, decided, rules[:1], how, cache)
        unanimity = Estimate.undefined(NO_UNANIMITY, majority.n)
    return replace(
        bare,
        coefficients=coefficients,
        passing_share=cache.once(cell, "passing share", lambda: LabelShare(passing)(judged)),
        majority=majority,
        unanimity=unanimity,
        skew=skew,
    )


def _skew(cell: ResultCell, ratings: Ratings, how: Method, cache: StatisticsCache) -> Skew | None:
    if cell.form in ("sets", "ranks", "spans"):
        return None
    weights = how.weights if cell.form == "ordinal" else None
    base = ("fleiss_kappa", "gwet_ac1", "po_pairwise")
    keys = [ordered_forms(key, weights)[0] for key in base] if weights else base
    kappa, ac, agreement = (_analytic(cell, ratings, KNOWN[key], how.level, cache) for key in keys)
    return cache.once(
        cell, ("skew", weights), lambda: skew_of(ratings, kappa, ac, agreement, weights, cell.apart)
    )


def _pass_rate(
    cell: ResultCell, ratings: Ratings, rule: PassRule, level: float, cache: StatisticsCache
) -> PassRate:
    return cache.once(cell, (rule, level), lambda: rule.rate(ratings, level))


def _analytic(
    cell: ResultCell,
    ratings: Ratings,
    statistic: Coefficient | PassRule,
    level: float,
    cache: StatisticsCache,
) -> Estimate:
    if isinstance(statistic, PassRule):
        return _pass_rate(cell, ratings, statistic, level, cache).estimate
    return cache.once(cell, (statistic.key, level), lambda: statistic(ratings, level))


def _estimates(
    cell: ResultCell,
    ratings: Ratings,
    statistics: Sequence[Coefficient | PassRule],
    how: Method,
    cache: StatisticsCache,
) -> list[Estimate]:
    """Each with the interval that was asked for, as people are shown it."""
    known = {statistic: _analytic(cell, ratings, statistic, how.level, cache) for statistic in statistics}
    of_ranks = how.interval == "analytic" and cell.form == "ranks"
    if of_ranks or how.resamples_cases(same=bool(cell.same_case)):
        drawn = zip(known.items(), _resampled(cell, ratings, known, how, cache), strict=True)
        known |= {
            each: _with_width(estimate, cell, how.level) if _is_wilson(point) else estimate
            for (each, point), estimate in drawn
            if cell.clusters or not _is_wilson(point)
        }
    return [how.shown(estimate, min(cell.labelled_cases, estimate.n)) for estimate in known.values()]


def _resampled(
    cell: ResultCell,
    ratings: Ratings,
    points: Mapping[Coefficient | PassRule, Estimate],
    how: Method,
    cache: StatisticsCache,
) -> list[Estimate]:
    """Each estimate with its bootstrap interval; all that are missing are drawn together."""
    keys = {statistic: ("bootstrap", statistic, how.level, how.seed, how.resamples) for statistic in points}
    missing = [statistic for statistic in points if not cache.known(cell, keys[statistic])]
    drawn = bootstrap_all(
        ratings,
        missing,
        seed=how.seed or 0,
        resamples=how.resamples,
        level=how.level,
        cases=cell.clusters,
        points=[points[statistic] for statistic in missing],
    )
    new = dict(zip(missing, drawn, strict=True))
    return [cache.once(cell, keys[statistic], partial(new.__getitem__, statistic)) for statistic in points]


def _with_width(estimate: Estimate, cell: ResultCell, level: float) -> Estimate:
    """A share of 0 or 1 among answers that are about few cases, with Wilson's interval of as many cases."""
    if not cell.same_case or estimate.value not in (0.0, 1.0):
        return estimate
    number = min(len({*cell.clusters}) if cell.clusters else estimate.n, estimate.n)
    return replace(estimate, interval=proportion(round(estimate.value * number), number, level).interval)


def _is_wilson(estimate: Estimate) -> bool:
    return estimate.interval is not None and estimate.interval.method == "Wilson"
