"""By what a table of effects is divided: models, what is known of cases, and factors of conditions."""

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Final

import numpy as np

from reviewer.agreement.clustered_ratios import Bools
from reviewer.agreement.rating_patterns import Ints
from reviewer.core.errors import RequestError
from reviewer.core.number_text import significant
from reviewer.protocols.evaluation import Condition, EvaluationPlan
from reviewer.results.outcomes.evaluated import EvaluatedCase, Evaluation

MODEL, TIER = "model", "tier"
OF_CASES: Final[Mapping[str, Callable[[EvaluatedCase], str]]] = {
    "group": lambda case: case.group,
    "generator": lambda case: case.generator,
    "dataset": lambda case: case.dataset,
}
TIER_NAMES = ("low", "mid-low", "mid-high", "high")
NOT_MEASURED = "not measured"
_TIER_ORDER = (*TIER_NAMES, NOT_MEASURED)


@dataclass(frozen=True, slots=True)
class Tiers:
    """Four tiers of a measurement: at most Q1, at most Q2, at most Q3, and above."""

    measurement: str
    quartiles: tuple[float, float, float]

    @property
    def ends(self) -> list[str]:
        """The quartiles as people read them."""
        return [significant(quartile, 6) for quartile in self.quartiles]

    def of(self, case: EvaluatedCase) -> str:
        """The tier of a case, or that the case was not measured."""
        size = case.sizes.get(self.measurement)
        return NOT_MEASURED if size is None else TIER_NAMES[bisect_left(self.quartiles, size)]


@dataclass(frozen=True, eq=False)
class CellRuns:
    """Which runs belong to one row of a table: places of models and of cases, and values of factors.

    The cases are those that one of the models was asked.
    """

    where: Mapping[str, str]
    models: Ints
    cases: Ints
    factors: Mapping[str, str]

    def has(self, condition: Condition) -> bool:
        """Whether a condition, or what conditions of a comparison share, belongs to the row.

        A comparison of the values of a factor belongs to no row of that factor.
        """
        values = dict(condition.values)
        return all(values.get(factor) == value for factor, value in self.factors.items())

    def places(self, conditions: Sequence[Condition]) -> Ints:
        """The places of those conditions that belong to the row."""
        return np.array([place for place, held in enumerate(conditions) if self.has(held)], dtype=np.int64)


def dimensions_of(plan: EvaluationPlan) -> tuple[str, ...]:
    """Everything by which effects of this protocol can be divided."""
    own = (division.key for division in plan.divisions)
    return (MODEL, *OF_CASES, TIER, *own, *(factor.name for factor in plan.factors))


def cells_of(
    evaluation: Evaluation, by: Sequence[str], chosen: Bools, tiers: Tiers | None = None
) -> Iterator[CellRuns]:
    """The rows of a table in the order of their labels; raises RequestError for an unknown dimension."""
    labellers = _labellers(evaluation.plan, tiers)
    for name in by:
        if name == TIER and name not in labellers:
            raise RequestError("no measurement divides the cases into tiers; name one.")
        if name not in dimensions_of(evaluation.plan):
            known = ", ".join(dimensions_of(evaluation.plan))
            raise RequestError(f"effects cannot be divided by {name!r}; use {known}.")
    of_cases = [name for name in by if name in labellers]
    places = _places([labellers[name] for name in of_cases], evaluation.cases, chosen)
    options = [_labels(evaluation, name, of_cases, list(places)) for name in by]
    for values in product(*options):
        where = dict(zip(by, values, strict=True))
        cases = places.get(tuple(where[name] for name in of_cases))
        if cases is not None:
            models = [place for place, name in enumerate(evaluation.models) if where.get(MODEL, name) == name]
            factors = {name: where[name] for name in by if name != MODEL and name not in labellers}
            asked = evaluation.asked[np.ix_(models, cases)].any(axis=0)
            yield CellRuns(where, np.array(models, np.int64), np.array(cases, np.int64)[asked], factors)


def _labellers(plan: EvaluationPlan, tiers: Tiers | None) -> dict[str, Callable[[EvaluatedCase], str]]:
    labellers = dict(OF_CASES)
    for division in plan.divisions:
        labellers[division.key] = lambda case, of=division.of: of(case.facts)  # type: ignore[misc]
    if tiers:
        labellers[TIER] = tiers.of
    return labellers


def _places(
    labellers: Sequence[Callable[[EvaluatedCase], str]], cases: Sequence[EvaluatedCase], chosen: Bools
) -> dict[tuple[str, ...], list[int]]:
    """The places of the chosen cases by their labels."""
    places: dict[tuple[str, ...], list[int]] = {}
    for place, (case, taken) in enumerate(zip(cases, chosen, strict=True)):
        if taken:
            places.setdefault(tuple(label(case) for label in labellers), []).append(place)
    return places


def _labels(
    evaluation: Evaluation, name: str, of_cases: Sequence[str], labelled: Sequence[tuple[str, ...]]
) -> Sequence[str]:
    """The labels of one dimension in their order."""
    if name == MODEL:
        return evaluation.models
    if name not in of_cases:
        return list(dict.fromkeys(condition[name] for condition in evaluation.conditions))
    labels = {each[of_cases.index(name)] for each in labelled}
    return [label for label in _TIER_ORDER if label in labels] if name == TIER else sorted(labels)
