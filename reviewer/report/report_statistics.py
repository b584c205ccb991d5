"""What a report prints, computed once for its pages and its figures."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from reviewer.agreement.coefficient import COHEN
from reviewer.core.estimate import Estimate
from reviewer.protocols.base import DatasetFinding
from reviewer.report.anonymous_raters import anonymised
from reviewer.report.report_choices import BY, USUAL, Look
from reviewer.results.labels.agreement_results import AgreementResult, Method, study_results, study_totals
from reviewer.results.labels.anchoring import Anchoring, anchoring
from reviewer.results.labels.asked_judges import AskedJudge
from reviewer.results.labels.dataset_results import dataset_results
from reviewer.results.labels.dimensions import ALL, PAIR, STRATUM
from reviewer.results.labels.disagreements import VotedItem, disagreements
from reviewer.results.labels.final_labels import FinalLabel, final_labels
from reviewer.results.labels.final_rates import final_rate_by_cases, weighted_final_rate
from reviewer.results.labels.judge_results import JudgeResult, judge_results
from reviewer.results.labels.known_answer_accuracy import KnownAnswerAccuracy, known_answer_accuracy
from reviewer.results.labels.known_labels import HumanLevel, human_levels
from reviewer.results.labels.label_spread import (
    LabelAgreement,
    LabelSpread,
    label_agreement,
    label_spreads,
)
from reviewer.results.labels.opinion_statistics import NO_SOURCES, OpinionSources, OpinionStatistics
from reviewer.results.labels.output_quality import RankedOutput, ranked_outputs
from reviewer.results.labels.pass_rate_differences import PassRateDifference, pass_rate_differences
from reviewer.results.labels.rater_results import BothWays, RaterResult, both_ways, raters_of_study
from reviewer.results.labels.rater_warnings import RaterWarning, rater_warnings
from reviewer.results.labels.rater_work import Remark, remarks_of
from reviewer.results.labels.second_verdicts import SecondVerdicts, second_verdicts
from reviewer.results.labels.statistics_cache import StatisticsCache
from reviewer.study.design.inclusion import strata_by_case, weighted_strata
from reviewer.study.design.study_bundle import StudyBundle
from reviewer.study.session.label_rows import LabelRow, label_rows
from store.records import Event

_FEWEST_RATERS_OF_PAIRS = 3
_ALIKE = 1.1
"""Probabilities that are apart by less than this factor give nearly the same weights."""


@dataclass(frozen=True)
class ReportStatistics:
    """The statistics of a report.

    ``results``, and those of the dataset that are ``weighted``, are divided as the report is, ``charted`` as
    its figures are: by question and generator. ``totals`` holds the aggregates by each dimension but the
    first. ``questions``, ``pairs`` and ``groups`` are divided by one dimension; ``questions`` and ``raters``
    have no intervals from resampling. ``pairs`` is empty for two raters, whose agreement ``results`` hold,
    and ``groups`` for a single group.
    """

    bundle: StudyBundle
    events: tuple[Event, ...]
    rows: tuple[LabelRow, ...]
    finals: tuple[FinalLabel, ...]
    method: Method
    look: Look
    results: tuple[AgreementResult, ...]
    weighted: tuple[AgreementResult, ...]
    charted: tuple[AgreementResult, ...]
    totals: Mapping[str, Sequence[AgreementResult]]
    questions: tuple[AgreementResult, ...]
    pairs: tuple[AgreementResult, ...]
    groups: tuple[AgreementResult, ...]
    raters: tuple[RaterResult, ...]
    differences: tuple[PassRateDifference, ...]
    disagreements: tuple[VotedItem, ...]
    second: tuple[SecondVerdicts, ...]
    known: tuple[KnownAnswerAccuracy, ...]
    warnings: tuple[RaterWarning, ...]
    spreads: tuple[LabelSpread, ...]
    """Labels by group, of questions whose labels have an order or that take several."""
    by_label: tuple[LabelAgreement, ...]
    judges: tuple[JudgeResult, ...]
    """Opinions against labels by group, then each over all cases and beside raters; empty if still hidden."""
    compared: tuple[BothWays, ...]
    """Results without and with the raters who are left out; empty if none is."""
    without_doubted: tuple[AgreementResult, ...]
    """Results by question without the raters whose care is in doubt; empty if nobody's is."""
    datasets: Mapping[str, Sequence[DatasetFinding]] = field(default_factory=dict)
    """What the checks of whole datasets find, by dataset."""
    human: tuple[HumanLevel, ...] = ()
    """How often raters gave the published answer; empty if opinions are still hidden."""
    anchored: tuple[Anchoring, ...] = ()
    """How far a machine rater moved raters; empty without one, and while it is hidden."""
    remarks: tuple[Remark, ...] = ()
    """The comments, flags and notes of raters, with what the lead answered."""
    opinions: OpinionStatistics | None = None
    """Opinions on labels, in the place of raters, in the whole dataset; None if none may be seen."""

    ranked: tuple[RankedOutput, ...] = ()
    """The outputs of questions that rank any, with their scores."""

    strata: tuple[AgreementResult, ...] = ()
    """Results by stratum of the draw; empty where each stratum is a group, or where none may be named."""

    @property
    def by(self) -> tuple[str, ...]:
        """What tables are divided by: not by a dimension that has the same value in every row."""
        return tuple(name for name in self.look.by if name not in self.single) or self.look.by[:1]

    @property
    def single(self) -> Mapping[str, str]:
        """The dimensions of the report with a single value, with this value."""
        cells = [result.where for result in self.results if result.kind == "cell"]
        values = {name: {where[name] for where in cells} for name in self.look.by}
        return {name: one.pop() for name, one in values.items() if len(one) == 1}

    def final_rate(self, finals: Sequence[FinalLabel]) -> Estimate:
        """The share of these items that pass, among those with a final label."""
        return final_rate_by_cases(finals, self.bundle, self.method)

    @property
    def weighted_final_rate(self) -> Estimate:
        """The same share among all cases that could be drawn, of a study whose cases have weights."""
        return weighted_final_rate(self.finals, self.bundle, self.method)

    @property
    def groups_by(self) -> tuple[str, ...]:
        """What ``groups`` are divided by."""
        return _divided_by(self.bundle, "group")

    @property
    def strata_by(self) -> tuple[str, ...]:
        """What ``strata`` are divided by."""
        return _divided_by(self.bundle, STRATUM)


def compute_statistics(
    bundle: StudyBundle,
    events: Sequence[Event],
    method: Method,
    look: Look = USUAL,
    *,
    with_opinions: bool = False,
    sources: OpinionSources = NO_SOURCES,
) -> ReportStatistics:
    """Compute what the report prints; raises RequestError as the tables do.

    Pass ``with_opinions`` if everybody may see how opinions compare with labels, and as ``sources`` those
    that only the store has.
    """
    if look.anonymous:
        bundle, events = anonymised(bundle, events)
    rows = tuple(label_rows(bundle, events))
    finals = final_labels(bundle, events, look.rule, rows)
    cache = StatisticsCache()
    beside, bare = _beside(method), replace(method, coefficients=())
    results = _without_means(study_results(bundle, rows, look.by, method, cache))
    weighted = tuple(dataset_results(bundle, rows, look.by, method, cache))
    if weights_hardly_differ(bundle) and weighted and {*weighted[-1].where.values()} <= {ALL}:
        weighted = weighted[-1:]
    several = len({row.rater for row in rows}) >= _FEWEST_RATERS_OF_PAIRS
    pairs = study_results(bundle, rows, (PAIR,), bare, cache) if several else []
    groups = _without_means(study_results(bundle, rows, _divided_by(bundle, "group"), beside, cache))
    warnings = tuple(rater_warnings(bundle, rows))
    judges = tuple(_judges(bundle, finals, method, sources.asked)) if with_opinions else ()
    return ReportStatistics(
        bundle,
        tuple(events),
        rows,
        tuple(finals),
        method,
        look,
        results,
        weighted,
        _charted(bundle, results if look.by == BY else study_results(bundle, rows, BY, bare, cache)),
        {
            name: _without_means(totals)
            for name, totals in study_totals(bundle, rows, look.by, method, cache).items()
        },
        _without_means(study_results(bundle, rows, ("question",), replace(beside, interval="none"), cache)),
        tuple(result for result in pairs if result.kind == "cell"),
        groups if len({result.where["group"] for result in groups} - {ALL}) > 1 else (),
        tuple(raters_of_study(bundle, rows, beside)),
        _differences((*results, *weighted), look.by, method.level),
        tuple(disagreements(bundle, rows)),
        tuple(second_verdicts(bundle, rows, method.level)),
        tuple(known_answer_accuracy(bundle, rows, method.level)),
        warnings,
        tuple(spread for spread in label_spreads(bundle, rows) if spread.question.counts_labels),
        tuple(label_agreement(bundle, rows, method)),
        judges,
        tuple(both_ways(bundle, events, ("question",), beside)),
        _without(bundle, rows, {warning.rater for warning in warnings if warning.doubts_care}, beside),
        human=tuple(human_levels(bundle, finals, method)) if with_opinions else (),
        remarks=remarks_of(bundle, events),
        opinions=OpinionStatistics.compute(bundle, finals, method, sources) if judges else None,
        ranked=tuple(ranked_outputs(bundle, rows, method)),
        strata=_strata(bundle, rows, beside, cache),
        anchored=tuple(anchoring(bundle, rows, sources.asked, method.level)) if with_opinions else (),
    )


def weights_hardly_differ(bundle: StudyBundle) -> bool:
    """Whether rows of the dataset would repeat those of the sample, but for the row over all items."""
    chances = [stratum.probability for stratum in weighted_strata(bundle)]
    return bool(chances) and max(chances) <= _ALIKE * min(chances)


def _without_means(results: Sequence[AgreementResult]) -> tuple[AgreementResult, ...]:
    """The results without means of cells, which a reader of a report takes for those over all items."""
    return tuple(result for result in results if result.kind != "mean of cells")


def _charted(bundle: StudyBundle, results: Sequence[AgreementResult]) -> tuple[AgreementResult, ...]:
    """What figures draw: of a study that could be stopped by looking, no intervals of pass rates."""
    return tuple(each.without_rate_intervals() if bundle.stoppable else each for each in results)


def _without(
    bundle: StudyBundle, rows: Sequence[LabelRow], raters: Collection[str], method: Method
) -> tuple[AgreementResult, ...]:
    """Results by question without these raters; empty without any."""
    if not raters:
        return ()
    others = [row for row in rows if row.rater not in raters]
    return tuple(study_results(bundle, others, ("question",), method))


def _divided_by(bundle: StudyBundle, dimension: str) -> tuple[str, ...]:
    """By this; also by question where questions have different labels, which no coefficient can join."""
    labels = {(question.kind, question.labels, question.ordinal) for question in bundle.questions}
    return (dimension,) if len(labels) == 1 else ("question", dimension)


def _strata(
    bundle: StudyBundle, rows: Sequence[LabelRow], method: Method, cache: StatisticsCache
) -> tuple[AgreementResult, ...]:
    """Results by stratum, unless the section on groups has the same rows."""
    pairs = {(stratum, bundle.places[case].group) for case, stratum in strata_by_case(bundle).items()}
    strata, groups = ({pair[at] for pair in pairs} for at in (0, 1))
    if len(strata) <= 1 or len(pairs) == len(strata) == len(groups):
        return ()
    return _without_means(study_results(bundle, rows, _divided_by(bundle, STRATUM), method, cache))


def _judges(
    bundle: StudyBundle, finals: Sequence[FinalLabel], method: Method, asked: Sequence[AskedJudge]
) -> list[JudgeResult]:
    divided = judge_results(bundle, finals, ("group",), method, asked=asked)
    return [*divided, *judge_results(bundle, finals, (), method, with_raters=True, asked=asked)]


def _beside(method: Method) -> Method:
    """The method of tables that are not divided by pair: without what pairs of raters alone have."""
    kept = tuple(key for key in method.coefficients if key != COHEN.key)
    return replace(method, coefficients=kept)


def _differences(
    results: Sequence[AgreementResult], by: Sequence[str], level: float
) -> tuple[PassRateDifference, ...]:
    """Between the values of the last dimension, where the report is divided by one that has them."""
    return tuple(pass_rate_differences(results, by, level)) if by and PAIR not in by else ()
