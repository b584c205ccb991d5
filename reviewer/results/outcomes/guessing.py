"""What a random and each constant answerer score on cases, before any model was asked about them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from reviewer.protocols.evaluation import EvaluationPlan, Measure, conditions_of
from reviewer.results.outcomes.comparisons import UnreadAnswers, compared_conditions
from reviewer.results.outcomes.effect_rows import COIN, titles_without_reading
from reviewer.results.outcomes.evaluated import EvaluatedCase, kinds_of
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
    compared = [compared_conditions(conditions, one.over, one.among) for one in plan.measures]
    return [
        _guessed(plan, UnreadAnswers(measure, by_rest, kinds))
        for measure, by_rest in zip(plan.measures, compared, strict=True)
    ]


def _guessed(plan: EvaluationPlan, unread: UnreadAnswers) -> GuessedMeasure:
    titles = titles_without_reading(plan) | {COIN: "random guesses"}
    sums = {COIN: unread.of_coin()}
    sums |= {answerer.key: unread.of_answerer(answerer) for answerer in plan.answerers}
    values = {
        titles[key]: float(null.sums.sum() / null.weights.sum()) if null.weights.sum() else None
        for key, null in sums.items()
    }
    judged = int((sums[COIN].weights.sum(axis=1) > 0).sum())
    return GuessedMeasure(unread.measure, judged, values)
