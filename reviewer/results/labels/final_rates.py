"""How many items pass with their final labels: among the sample, and among all cases that could be drawn."""

from collections.abc import Sequence
from dataclasses import replace

from reviewer.agreement.bootstrap import bootstrap
from reviewer.agreement.pass_rates import PassRule
from reviewer.agreement.proportions import proportion
from reviewer.agreement.ratings import Ratings
from reviewer.agreement.stratified import StratumCounts, stratified_share_of_items
from reviewer.core.estimate import Estimate
from reviewer.results.labels.agreement_results import Method
from reviewer.results.labels.final_labels import FinalLabel
from reviewer.study.design.inclusion import weighted_strata
from reviewer.study.design.study_bundle import StudyBundle


def final_rate_by_cases(finals: Sequence[FinalLabel], bundle: StudyBundle, method: Method) -> Estimate:
    """The share of items that pass among those with a final label, with an interval as the majority has it:
    where a case has several items, whole cases are resampled.
    """
    judged, how = [final for final in finals if final.passes is not None], method.for_study(bundle)
    about = [bundle.same_case.get(final.place.case, final.place.case) for final in judged]
    cases, passed = len({*about}), sum(final.passes is True for final in judged)
    rate = proportion(passed, len(judged), how.level)
    if 0 < passed < len(judged) and cases < len(judged):
        ratings = Ratings.from_labels([[final.passes] for final in judged], (True, False))
        rule, draws = PassRule((True,)), how.resamples
        rate = bootstrap(ratings, rule, seed=how.seed or 0, resamples=draws, level=how.level, cases=about)
    elif judged and cases < len(judged):  # resamples would never vary
        rate = replace(rate, interval=proportion(cases if passed else 0, cases, how.level).interval)
    return how.shown(rate, min(cases, len(judged)))


def weighted_final_rate(finals: Sequence[FinalLabel], bundle: StudyBundle, method: Method) -> Estimate:
    """The share among all cases that could be drawn, of a study whose cases have weights."""
    held: dict[str, tuple[int, int]] = {}
    judged = [final for final in finals if bool(final.question.passing)]
    for final in judged:
        passed, labelled = held.get(final.place.case, (0, 0))
        settled = final.passes is not None
        held[final.place.case] = (passed + (final.passes is True), labelled + settled)
    strata, items = [], []
    for stratum in weighted_strata(bundle):
        concerned = [case for case in stratum.cases if case in held]
        items.append([held[case] for case in concerned if held[case][1]])
        strata.append(StratumCounts(stratum.size, stratum.drawn, len(concerned), len(items[-1])))
    level = None if method.interval == "none" else method.level
    rate = stratified_share_of_items(strata, items, level)
    return method.shown(rate, sum(map(len, items)))
