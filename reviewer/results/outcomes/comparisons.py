"""What runs bring to a measure, as arrays: every distinct comparison is judged once.

All arrays have the shape (models, cases, rests, repeats): a rest is what the conditions of one comparison
share, so that with a version and an order there are two, one for each order.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np

from reviewer.agreement.clustered_ratios import Bools
from reviewer.agreement.patterns import Floats, Ints
from reviewer.protocols.evaluation import Answerer, Condition, Measure
from reviewer.results.outcomes.evaluated import (
    MISSING,
    NOT_ASKED,
    UNREADABLE,
    EvaluatedCase,
    Evaluation,
    Int8Array,
)

_SHIFT = -NOT_ASKED
"""What makes every code of a label 0 or more."""

Compared = Mapping[str, Condition]
"""The values of the compared factor with their conditions; "" if nothing is compared."""


def compared_conditions(
    conditions: Sequence[Condition], over: str, among: Sequence[str] = ()
) -> dict[Condition, Compared]:
    """For each rest its conditions by value; a rest that lacks one of the values is not a comparison.

    ``over`` and ``among`` are those of a measure; with several factors, a value names one of each.
    """
    if not over:
        return {condition: {"": condition} for condition in conditions}
    factors = over.split("/")
    together: dict[Condition, dict[str, Condition]] = {}
    for condition in conditions:
        value = "/".join(condition[factor] for factor in factors)
        if among and value not in among:
            continue
        together.setdefault(condition.without(*factors), {})[value] = condition
    values = {value for by in together.values() for value in by}
    return {rest: by for rest, by in together.items() if len(values) > 1 and by.keys() == values}


@dataclass(frozen=True, eq=False)
class MeasuredRuns:
    """What each comparison brings to one measure.

    ``sums`` and ``weights`` are 0 where a reply is unreadable or absent. ``least`` and ``most`` are the sums
    if unreadable replies were the least or most favourable label, with ``full`` weights. ``unread`` says
    which comparisons are left out for an unreadable reply, ``assumed`` which count it as an answer
    (``unread_as`` of the measure), and ``present`` which have a reply under every value.
    """

    measure: Measure
    rests: tuple[Condition, ...]
    sums: Floats
    weights: Floats
    least: Floats
    most: Floats
    full: Floats
    unread: Bools
    assumed: Bools
    present: Bools


@dataclass(frozen=True, eq=False)
class NullSums:
    """What each kind of case brings to a measure if somebody answers so; arrays of shape (cases, rests)."""

    sums: Floats
    weights: Floats


@dataclass(frozen=True, eq=False)
class Comparisons:
    """The comparisons of one measure in an evaluation."""

    evaluation: Evaluation
    measure: Measure

    @cached_property
    def compared(self) -> dict[Condition, Compared]:
        """The conditions that are compared, by what they share."""
        return compared_conditions(self.evaluation.conditions, self.measure.over, self.measure.among)

    def runs(self) -> MeasuredRuns:
        """What every comparison brings."""
        values = len(next(iter(self.compared.values()), {"": None}))
        codes = self._codes(values)
        base = int(codes.max(initial=0)) + _SHIFT + 1
        digits = base ** np.arange(values, dtype=np.int64)
        combined = ((codes.astype(np.int64) + _SHIFT) * digits).sum(axis=-1)
        _, kind_of = self.evaluation.kinds
        kinds = kind_of[None, :, None, None] * max(1, len(self.compared))
        where = kinds + np.arange(len(self.compared))[None, None, :, None]
        distinct, which = np.unique(where * base**values + combined, return_inverse=True)
        judged = np.array([self._judged(int(key), base, values) for key in distinct], dtype=np.float64)
        taken = judged.reshape(-1, 8)[which.reshape(combined.shape)]
        sums, weights, least, most, full, *states = np.moveaxis(taken, -1, 0)
        unread, assumed, present = (state > 0 for state in states)
        rests = tuple(self.compared)
        return MeasuredRuns(self.measure, rests, sums, weights, least, most, full, unread, assumed, present)

    def _codes(self, values: int) -> Int8Array:
        """Shape (models, cases, rests, repeats, values)."""
        evaluation = self.evaluation
        places = {condition: place for place, condition in enumerate(evaluation.conditions)}
        chosen = [[places[condition] for condition in by.values()] for by in self.compared.values()]
        index = np.array(chosen, dtype=np.int64).reshape(len(chosen), values)
        labels = stacked_labels(evaluation)
        return np.ascontiguousarray(np.moveaxis(labels[:, :, index, :], 3, -1))

    def _judged(self, key: int, base: int, values: int) -> tuple[float, ...]:
        where, combined = divmod(key, base**values)
        kind, rest = divmod(where, max(1, len(self.compared)))
        codes = [combined // base**place % base - _SHIFT for place in range(values)]
        if min(codes) <= MISSING:
            return (0.0,) * 8
        case, put = self.evaluation.kinds[0][kind], list(self.compared)[rest]
        named = self.compared[put]
        options = [case.labels if code == UNREADABLE else (case.labels[code],) for code in codes]
        brought = [
            self._brought(case, put, dict(zip(named, filled, strict=True))) for filled in product(*options)
        ]
        sums, weights = [value for value, _ in brought], [weight for _, weight in brought]
        ends = min(sums), max(sums), max(weights)
        if UNREADABLE in codes:
            return self._judged_unread(case, put, codes, ends)
        return (sums[0], weights[0], *ends, 0.0, 0.0, 1.0)

    def _judged_unread(
        self, case: EvaluatedCase, put: Condition, codes: Sequence[int], ends: tuple[float, float, float]
    ) -> tuple[float, ...]:
        """A comparison with an unreadable reply counts only if the measure has a label for such a reply."""
        stands_for = self.measure.unread_as
        if stands_for is None:
            return (0.0, 0.0, *ends, 1.0, 0.0, 1.0)
        labels = [stands_for if code == UNREADABLE else case.labels[code] for code in codes]
        named = self.compared[put]
        assumed = float(not self.measure.of_reading)
        return (
            *self._brought(case, put, dict(zip(named, labels, strict=True))),
            *ends,
            0.0,
            assumed,
            1.0,
        )

    def _brought(
        self, case: EvaluatedCase, rest: Condition, labels: Mapping[str, str]
    ) -> tuple[float, float]:
        return _brought(self.measure, case, rest, labels)

    @property
    def unread(self) -> "UnreadAnswers":
        """The same comparisons for those who answer without reading."""
        return UnreadAnswers(self.measure, self.compared, self.evaluation.kinds)


@dataclass(frozen=True, eq=False)
class UnreadAnswers:
    """What somebody brings to a measure who answers without reading; ``kinds`` as in an evaluation."""

    measure: Measure
    compared: Mapping[Condition, Compared]
    kinds: tuple[list[EvaluatedCase], Ints]

    def of_answerer(self, answerer: Answerer) -> NullSums:
        """What somebody brings who answers each condition so, exactly."""
        return self._nulls(
            lambda case, named: [{value: answerer.answer(case.facts, put) for value, put in named.items()}]
        )

    def of_coin(self) -> NullSums:
        """What somebody brings who takes every guess equally often, exactly: all tuples are counted."""

        def throws(case: EvaluatedCase, named: Compared) -> Iterator[dict[str, str]]:
            for throw in product(case.guesses or case.labels, repeat=len(named)):
                yield dict(zip(named, throw, strict=True))

        return self._nulls(throws)

    def _nulls(self, answers: Callable[[EvaluatedCase, Compared], Iterable[Mapping[str, str]]]) -> NullSums:
        examples, kind_of = self.kinds
        means = np.zeros((len(examples), len(self.compared), 2))
        for kind, case in enumerate(examples):
            for place, (rest, named) in enumerate(self.compared.items()):
                brought = [
                    _brought(self.measure, case, rest, labels) if all(labels.values()) else (0.0, 0.0)
                    for labels in answers(case, named)
                ]
                means[kind, place] = np.mean(brought, axis=0)
        return NullSums(means[kind_of, :, 0], means[kind_of, :, 1])


def _brought(
    measure: Measure, case: EvaluatedCase, rest: Condition, labels: Mapping[str, str]
) -> tuple[float, float]:
    brought = measure.value(case.facts, rest, labels)
    return brought.value * brought.weight, brought.weight


def stacked_labels(evaluation: Evaluation) -> Int8Array:
    """The labels of all models, of shape (models, cases, conditions, repeats)."""
    return np.stack([evaluation.labels[model] for model in evaluation.models])
