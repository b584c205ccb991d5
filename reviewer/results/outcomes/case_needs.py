"""How many cases an evaluation needs: from what is expected of it, or from the outcomes of a run."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from reviewer.agreement.clustered_ratios import Bools
from reviewer.agreement.sample_sizes import (
    cases_for_difference,
    cases_for_half_width,
    variance_at_hand,
    variance_of_a_case,
    variance_of_difference,
)
from reviewer.core.errors import RequestError
from reviewer.core.number_text import percent
from reviewer.results.outcomes.contrasts import Contrasted, contrast_table
from reviewer.results.outcomes.effect_estimates import effect_table
from reviewer.results.outcomes.effect_rows import MODEL, ErrorMethod, clusters_in_words
from reviewer.results.outcomes.evaluated import Evaluation

_NO_ERROR = "the data at hand give no error above 0"


@dataclass(frozen=True, slots=True)
class CaseNeed:
    """How many cases one measure needs: for an interval, or to find a difference; None and why not."""

    measure: str
    value: float | None
    cases_now: int | None
    purpose: str
    cases: int | None
    why: str = ""


def needs_from_expectation(
    share: float | None,
    repeats: int,
    design_effect: float | None,
    correlation: float,
    half_width: float | None,
    to_find: float | None,
    power: float,
    level: float,
) -> list[CaseNeed]:
    """A plan without data; raises RequestError for what cannot be, or if too little is given."""
    if share is None or (half_width is None and to_find is None):
        raise RequestError("name a RUN; or plan one with --share and one of --half-width and --to-find.")
    try:
        variance = variance_of_a_case(share, repeats, design_effect or repeats)
        needs: list[CaseNeed] = []
        if half_width is not None:
            cases = cases_for_half_width(variance, half_width, level)
            needs.append(CaseNeed("share", share, None, _of_width(half_width, level), cases))
        if to_find is not None:
            other = variance_of_a_case(share + to_find, repeats, design_effect or repeats)
            both = variance_of_difference(variance, other, correlation)
            cases = cases_for_difference(both, to_find, power, level)
            needs.append(CaseNeed("share", share, None, _of_difference(to_find, power), cases))
    except ValueError as error:
        raise RequestError(f"{error}.") from None
    return needs


def expected_in_words(repeats: int, design_effect: float | None) -> list[str]:
    """What a plan from expectations takes for granted about the runs of a case."""
    if repeats == 1:
        return ["The numbers are for one run of each case."]
    if design_effect is None:
        return [
            f"Without --design-effect, the {repeats:,} runs of a case are taken to be alike: then more of "
            "them would not lower these numbers."
        ]
    return [f"The numbers are for {repeats:,} runs of each case, with a design effect of {design_effect:g}."]


def of_run_in_words(evaluation: Evaluation, needs: Sequence[CaseNeed]) -> list[str]:
    """What the numbers of a plan from a run keep and count; [] where there are none."""
    if all(need.cases is None for need in needs):
        return []
    told = ["The numbers keep the runs of each case as they are."]
    if noun := evaluation.plan.cluster_noun:
        told.append(f"They count {clusters_in_words(noun)}, which intervals resample, and not cases.")
    return told


def needs_from_run(
    evaluation: Evaluation,
    chosen: Bools,
    measures: Sequence[str],
    half_width: float | None,
    to_find: float | None,
    power: float,
    level: float,
) -> list[CaseNeed]:
    """A plan from the outcomes of a run: model by model for intervals, pair by pair for differences."""
    method = ErrorMethod("linearised", level)
    try:
        needs: list[CaseNeed] = []
        if half_width is not None:
            needs += _for_widths(evaluation, chosen, measures, half_width, method)
        if to_find is not None:
            needs += _for_differences(evaluation, chosen, measures, to_find, power, method)
    except ValueError as error:
        raise RequestError(f"{error}.") from None
    return needs


def _for_widths(
    evaluation: Evaluation, chosen: Bools, measures: Sequence[str], half_width: float, method: ErrorMethod
) -> Iterator[CaseNeed]:
    table = effect_table(evaluation, by=(MODEL,), measures=measures, among=chosen, method=method)
    for row in table.rows:
        for effect in row.effects.values():
            variance = variance_at_hand(effect.linearised)
            yield CaseNeed(
                f"{effect.measure.title}, {row.where[MODEL]}",
                effect.linearised.value,
                effect.linearised.n,
                _of_width(half_width, method.level),
                cases_for_half_width(variance, half_width, method.level) if variance else None,
                "" if variance else effect.linearised.reason or _NO_ERROR,
            )


def _for_differences(
    evaluation: Evaluation,
    chosen: Bools,
    measures: Sequence[str],
    to_find: float,
    power: float,
    method: ErrorMethod,
) -> Iterator[CaseNeed]:
    """Every two models of the run, by how their decisions on the same cases differ."""
    models = evaluation.models
    if len(models) < 2:
        raise RequestError("a difference between two models needs a run with two models; or leave RUN out.")
    for place, first in enumerate(models):
        for second in models[place + 1 :]:
            pair = Contrasted(MODEL, first, second)
            rows = contrast_table(evaluation, pair, measures=measures, among=chosen, method=method)
            for row in rows:
                variance = variance_at_hand(row.estimate)
                yield CaseNeed(
                    f"{row.measure.title}, {first} minus {second}",
                    row.estimate.value,
                    row.estimate.n,
                    _of_difference(to_find, power),
                    cases_for_difference(variance, to_find, power, method.level) if variance else None,
                    "" if variance else row.estimate.reason or _NO_ERROR,
                )


def _of_width(half_width: float, level: float) -> str:
    return f"half-width {half_width:g} at {percent(level, None)}"


def _of_difference(difference: float, power: float) -> str:
    return f"difference {difference:g} with power {power:g}"
