"""What a random and each constant answerer score on cases, before any model was asked about them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from reviewer.protocols.evaluation import Condition, EvaluationPlan, Measure, conditions_of
from reviewer.results.outcomes.comparisons import compared_conditions, sums_without_reading
from reviewer.results.outcomes.effect_rows import COIN, titles_without_reading
from reviewer.results.outcomes.evaluated import EvaluatedCase, Kinds, kinds_of
from store.records import Case, JsonValue


@dataclass(frozen=True)
class GuessedMeasure:
    """A measure for those who answer without reading, by their titles; over the ``cases`` that it judges.

    A value is None if no case can be judged.
    """

    measure: Measure
    cases: int
    values: Mapping[str, float | None]


def guessed_measures(
    plan: EvaluationPlan, cases: Iterable[tuple[Case, Mapping[str, JsonValue]]]
) -> list[GuessedMeasure]:
    """Each measure of a protocol over cases with their values by name, under the usual conditions."""
    held = [*cases]
    plan = plan.for_sample([case for case, _ in held])
    evaluated = [
        EvaluatedCase(
            place=place,
            dataset="",
            key="",
            digest=case.digest,
            group=case.group,
            generator="",
            facts=plan.facts(case, values),
            labels=plan.labels(case),
            sizes={},
            stale=False,
            guesses=plan.guesses(case),
        )
        for place, (case, values) in enumerate(held)
    ]
    kinds, conditions = kinds_of(evaluated), conditions_of(plan.factors, {})
    return [_guessed(plan, measure, conditions, kinds) for measure in plan.measures]


def _guessed(
    plan: EvaluationPlan, measure: Measure, conditions: Sequence[Condition], kinds: Kinds
) -> GuessedMeasure:
    titles = titles_without_reading(plan) | {COIN: "random guesses"}
    compared = compared_conditions(conditions, measure.over, measure.among)
    brought = sums_without_reading(plan, measure, compared, kinds)
    values = {
        title: float(sums.sum() / weights.sum()) if weights.sum() else None
        for title, (sums, weights) in zip(titles.values(), brought, strict=True)
    }
    judged = int((brought[0, 1].sum(axis=1) > 0).sum())  # a coin answers everything
    return GuessedMeasure(measure, judged, values)
