"""What labels amount to: for each measure a sum and a weight a case, with noise, nulls and bounds."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product

from reviewer.agreement.clustered_ratios import ClusterSums
from reviewer.protocols.evaluation import Answerer, Brought, Condition, Measure

Label = str | None
"""None: the reply was unreadable."""
Runs = Mapping[Condition, Sequence[Label]]
"""The labels of one case under each condition, run by run."""


@dataclass(frozen=True, slots=True)
class EvaluatedCase:
    """A case as measures see it: what they know of it, the labels there are, and its runs."""

    digest: str
    facts: Hashable
    labels: tuple[str, ...]
    runs: Runs


@dataclass(frozen=True, slots=True)
class Comparison:
    """The labels of one run under each value of the compared factor; the key "" if none is compared."""

    rest: Condition
    labels: Mapping[str, Label]

    @property
    def unread(self) -> tuple[str, ...]:
        """The values whose reply was unreadable."""
        return tuple(value for value, label in self.labels.items() if label is None)

    def fillings(self, labels: Sequence[str]) -> Iterator[Mapping[str, str]]:
        """Every way in which the unreadable replies may have been meant; one if all are readable."""
        for filling in product(labels, repeat=len(self.unread)):
            yield {**self.labels, **dict(zip(self.unread, filling, strict=True))}  # type: ignore[dict-item]


def comparisons(runs: Runs, over: str) -> Iterator[Comparison]:
    """Run by run what a measure compares; a run that lacks one of the values is no comparison."""
    if not over:
        for condition, labels in runs.items():
            yield from (Comparison(condition, {"": label}) for label in labels)
        return
    together: dict[Condition, dict[str, Sequence[Label]]] = {}
    for condition, labels in runs.items():
        together.setdefault(condition.without(over), {})[condition[over]] = labels
    values = {condition[over] for condition in runs}
    for rest, by_value in together.items():
        if by_value.keys() == values and len(values) > 1:
            for run in zip(*by_value.values(), strict=False):
                yield Comparison(rest, dict(zip(by_value, run, strict=True)))


@dataclass(frozen=True, eq=False)
class Effects:
    """The measures over some cases; every sum is by case, in their order."""

    cases: Sequence[EvaluatedCase]

    @cached_property
    def _judged(self) -> dict[tuple[str, Hashable, Condition, tuple[tuple[str, str], ...]], Brought]:
        return {}

    def measured(self, measure: Measure, clusters: Sequence[Hashable] | None = None) -> ClusterSums:
        """Sums and weights of the readable comparisons."""
        return self._sums(measure, clusters, lambda case, each: None if each.unread else [each.labels])

    def bounds(self, measure: Measure) -> tuple[float | None, float | None]:
        """The least and the greatest value if each unreadable reply had been readable; None without data."""
        return self._extreme(measure, min), self._extreme(measure, max)

    def unreadable(self) -> int:
        """How many replies were unreadable."""
        return sum(label is None for case in self.cases for labels in case.runs.values() for label in labels)

    def noise(self, over: str) -> ClusterSums:
        """For each case the share of pairs of runs of one and the same text that differ, averaged over texts.

        2s(m−s)/(m(m−1)) for s of m with two labels; a text with fewer than two readable runs has none.
        """
        shares = [
            [
                share
                for condition, labels in case.runs.items()
                if (share := differing_share([label for label in labels if label is not None])) is not None
            ]
            for case in self.cases
        ]
        means = [sum(each) / len(each) if each else 0.0 for each in shares]
        return ClusterSums.of_cases(means, [float(bool(each)) for each in shares], least=0.0)

    def cross(self, over: str) -> ClusterSums:
        """For each case the share of pairs of one run of either compared text whose labels differ."""
        sums, weights = [], []
        for case in self.cases:
            differ = pairs = 0
            for one, other in _compared_texts(case.runs, over):
                for (label, n), (another, k) in product(one.items(), other.items()):
                    pairs += n * k
                    differ += n * k * (label != another)
            sums.append(differ / pairs if pairs else 0.0)
            weights.append(float(bool(pairs)))
        return ClusterSums.of_cases(sums, weights, least=0.0)

    def of_answerer(self, measure: Measure, answerer: Answerer) -> float | None:
        """The measure for somebody who answers each condition so, exactly."""

        def answered(case: EvaluatedCase, each: Comparison) -> list[Mapping[str, Label]]:
            return [
                {
                    value: answerer.answer(case.facts, _put(each.rest, measure.over, value))
                    for value in each.labels
                }
            ]

        return self._sums(measure, None, answered).value

    def of_coin(self, measure: Measure) -> float | None:
        """The measure for somebody who takes every label equally often, exactly: all tuples are counted."""

        def thrown(case: EvaluatedCase, each: Comparison) -> list[Mapping[str, Label]]:
            throws = product(case.labels, repeat=len(each.labels))
            return [dict(zip(each.labels, throw, strict=True)) for throw in throws]

        return self._sums(measure, None, thrown).value

    def _sums(
        self,
        measure: Measure,
        clusters: Sequence[Hashable] | None,
        taken: Callable[[EvaluatedCase, Comparison], Iterable[Mapping[str, Label]] | None],
    ) -> ClusterSums:
        sums, weights = [], []
        for case in self.cases:
            total = weight = 0.0
            for each in comparisons(case.runs, measure.over):
                brought = [
                    self._brought(measure, case, each.rest, labels) for labels in taken(case, each) or ()
                ]
                if brought:
                    total += sum(one.value * one.weight for one in brought) / len(brought)
                    weight += sum(one.weight for one in brought) / len(brought)
            sums.append(total)
            weights.append(weight)
        return ClusterSums.of_cases(sums, weights, clusters, least=measure.least, most=measure.most)

    def _extreme(self, measure: Measure, choose: Callable[[Iterable[float]], float]) -> float | None:
        total = weight = 0.0
        for case in self.cases:
            for each in comparisons(case.runs, measure.over):
                filled = [
                    self._brought(measure, case, each.rest, labels) for labels in each.fillings(case.labels)
                ]
                total += choose(one.value * one.weight for one in filled)
                weight += max(one.weight for one in filled)
        return total / weight if weight else None

    def _brought(
        self, measure: Measure, case: EvaluatedCase, rest: Condition, labels: Mapping[str, Label]
    ) -> Brought:
        key = measure.key, case.facts, rest, tuple(labels.items())
        if key not in self._judged:
            self._judged[key] = measure.value(case.facts, rest, labels)  # type: ignore[arg-type, index]
        return self._judged[key]  # type: ignore[index]


def differing_share(labels: Sequence[str]) -> float | None:
    """The share of pairs that differ among m labels; None for fewer than two."""
    m = len(labels)
    if m < 2:
        return None
    return 1 - sum(n * (n - 1) for n in Counter(labels).values()) / (m * (m - 1))


def _compared_texts(runs: Runs, over: str) -> Iterator[tuple[Counter[str], Counter[str]]]:
    """The readable labels of every two texts that differ only in the compared factor."""
    together: dict[Condition, list[Counter[str]]] = {}
    for condition, labels in runs.items():
        read = Counter(label for label in labels if label is not None)
        together.setdefault(condition.without(over), []).append(read)
    for texts in together.values():
        yield from ((one, other) for place, one in enumerate(texts) for other in texts[place + 1 :])


def _put(rest: Condition, over: str, value: str) -> Condition:
    return Condition((*rest.values, (over, value))) if over else rest
