"""The rows of a table of effects, as plain values: what screens, pages and files are made from.

A table is divided by models, by what is known of cases, and by factors of conditions.
"""

from bisect import bisect_left
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Final, Literal

import numpy as np

from reviewer.agreement.clustered_ratios import Bools
from reviewer.agreement.intervals import DEFAULT_LEVEL
from reviewer.agreement.proportions import ZTest
from reviewer.agreement.rating_patterns import Ints
from reviewer.core.errors import RequestError
from reviewer.core.estimate import Estimate
from reviewer.core.number_text import significant
from reviewer.protocols.evaluation import Condition, EvaluationPlan, Measure
from reviewer.results.outcomes.evaluated import EvaluatedCase, Evaluation

COIN: Final = "coin"


def titles_without_reading(plan: EvaluationPlan) -> dict[str, str]:
    """A coin and the constant answerers by their keys, as people name them."""
    return {COIN: "a coin"} | {answerer.key: answerer.title for answerer in plan.answerers}


_SMALLEST_SHIFT: Final = 1e-9


@dataclass(frozen=True, slots=True)
class ErrorMethod:
    """How errors are computed: by resampling clusters, or by formula ("linearised"), at a level."""

    interval: Literal["bootstrap", "linearised"] = "bootstrap"
    level: float = DEFAULT_LEVEL
    seed: int = 0
    resamples: int = 10_000


@dataclass(frozen=True, slots=True)
class Effect:
    """One measure in one row of a table.

    ``estimate`` has the interval that was asked for; its n counts clusters, and ``cases`` counts the cases
    behind it. ``linearised`` is the same value with the error by formula. ``runs`` are the comparisons behind
    it, ``unreadable`` those that an unreadable reply keeps out, and ``absent`` those with a reply that is
    missing or was not asked for. ``bounds`` are what the
    unreadable ones leave open. ``forward`` and ``backward`` are the runs that go either way in a measure with
    a sign (from right to wrong, from wrong to right). ``test`` is the clustered test of no effect, and
    ``holm`` its p over the whole table; both are for measures with a sign only. ``nulls`` is the measure for
    a coin ("coin") and for each constant answerer, by key. ``compared`` is the value over the wider choice of
    cases that the table is compared with, if there is one.
    """

    measure: Measure
    estimate: Estimate
    linearised: Estimate
    cases: int
    runs: int
    unreadable: int
    absent: int
    bounds: tuple[float | None, float | None]
    forward: float
    backward: float
    error_of_runs: float | None
    design_effect: float | None
    test: ZTest
    nulls: Mapping[str, float | None]
    holm: float | None = None
    compared: float | None = None

    @property
    def unread(self) -> int:
        """Comparisons with an unreadable reply, left out or taken for an answer."""
        return self.unreadable + self.estimate.assumed

    @property
    def is_unread(self) -> bool:
        """Whether there is a value although no reply could be read."""
        return self.estimate.value is not None and 0 < self.runs <= self.estimate.assumed

    @property
    def shifted_coin(self) -> float | None:
        """What a coin scores in a measure with a sign if that is not 0: then 0 does not mean "no effect"."""
        coin = self.nulls.get(COIN) if self.measure.least < 0 else None
        return coin if coin is not None and abs(coin) > _SMALLEST_SHIFT else None

    @property
    def moved(self) -> float | None:
        """How far the value lies from that over the wider choice of cases."""
        value = self.estimate.value
        return None if value is None or self.compared is None else value - self.compared


@dataclass(frozen=True, slots=True)
class EffectRow:
    """One part of the outcomes: its labels by dimension, the number of cases, and effects by measure.

    ``noise`` is how often two runs of one text differ, ``cross`` how often runs of the two texts that are
    compared differ, and ``above_noise`` how far the second lies above the first over the cases that have
    both. The n of each counts the clusters behind it.
    """

    where: Mapping[str, str]
    cases: int
    effects: Mapping[str, Effect]
    noise: Estimate
    cross: Estimate
    above_noise: Estimate


@dataclass(frozen=True, slots=True)
class EffectTable:
    """Rows divided ``by`` dimensions, over ``cases`` of all the cases of the run.

    ``clusters`` says what was resampled: "case", "family", "none", or what the
    protocol says that cases share. ``sentences`` say what the numbers alone
    could hide. ``compared`` names the wider choice of cases that values are
    compared with; "" if there is none.
    """

    by: tuple[str, ...]
    measures: tuple[Measure, ...]
    rows: tuple[EffectRow, ...]
    cases: int
    clusters: str
    method: ErrorMethod
    sentences: tuple[str, ...] = ()
    compared: str = ""


_PLURALS: Final = {"family": "families", "none": "runs"}


def clusters_in_words(clusters: str) -> str:
    """What intervals resample, in the plural: "cases", "families", "runs", "questions"."""
    return _PLURALS.get(clusters, f"{clusters}s")


ClusterKind = Literal["case", "family", "none"]


@dataclass(frozen=True, slots=True)
class Clusters:
    """What is resampled: each case ("case"), families of cases by name ("family"), or each run ("none").

    Cases that share what the protocol names, such as a question, are resampled together as one case.

    ``names`` holds the family of each case of the run, in their order.
    """

    kind: ClusterKind = "case"
    names: Sequence[Hashable] | None = None


BY_CASE: Final = Clusters()


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
