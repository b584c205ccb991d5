"""How well models recognise labels, where one label of a case is known to be right, and at what cost.

Macro-F1 is the mean over labels of 2 TP / (known + given): Sokolova, M. and Lapalme, G. (2009), Information
Processing & Management 45, 427-437. It is over the labels that some case is known to have: others have no
case that could show them, so a 0 of theirs would be no measurement.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

import numpy as np

from reviewer.agreement.clustered_ratios import Bools, ClusterSums, Resampling, combination, with_resamples
from reviewer.agreement.rating_patterns import Floats, Ints
from reviewer.core.errors import RequestError
from reviewer.core.estimate import NO_DATA, Estimate
from reviewer.core.sanitize import agreeing, counted, enumerated
from reviewer.protocols.evaluation import Condition
from reviewer.results.outcomes.effect_rows import COIN, ErrorMethod
from reviewer.results.outcomes.evaluated import UNREADABLE, Evaluation
from store.calls import CallUse, use_of_requests
from store.database import Database
from store.evaluations import Evaluations

TOP: Final = 3
"""The known label may be among this number of the likeliest ones."""
_MOST_NAMED: Final = 5
"""More labels are not listed in a sentence."""
ONE_LABEL: Final = "answers name one label"
BY_CHANCE: Final = "it differs from throw to throw"


@dataclass(frozen=True, slots=True)
class Recognition:
    """How well an answerer recognises labels under a condition; "" for one that does not read.

    ``cases`` are those with a known label and a readable answer. ``calls``, ``tokens`` and ``cost`` are means
    over answers; None where nothing was asked, or where a call has no price.
    """

    answerer: str
    condition: str
    cases: int
    unreadable: int
    accuracy: Estimate
    macro_f1: Estimate
    top: Estimate
    calls: float | None = None
    tokens: float | None = None
    cost: float | None = None


@dataclass(frozen=True, slots=True)
class Confusion:
    """How many answers to cases with a known label gave another one or the same; None: unreadable."""

    model: str
    condition: str
    known: str
    given: str | None
    answers: int
    share: float


_Place = tuple[str, str]
"""A model, and the key of a condition."""


@dataclass(frozen=True, slots=True)
class KeptAnswers:
    """What answers ranked, by case, the digests of the requests of each, and what these took."""

    ranked: Mapping[_Place, Mapping[int, Sequence[Sequence[str]]]] = field(default_factory=dict)
    requests: Mapping[_Place, Sequence[Sequence[str]]] = field(default_factory=dict)
    uses: Mapping[str, CallUse] = field(default_factory=dict)

    def means(self, place: _Place) -> tuple[float | None, float | None, float | None]:
        """Calls, tokens and cost of an answer; None where something is not known.

        A call that several answers share counts for each.
        """
        requests = self.requests.get(place, ())
        if not requests:
            return None, None, None
        number = len(requests)
        uses = [self.uses.get(digest) for each in requests for digest in each]
        known = [use for use in uses if use is not None]
        calls = len(uses) / number
        if len(known) < len(uses):
            return calls, None, None
        costs = [use.cost for use in known if use.cost is not None]
        cost = sum(costs) / number if len(costs) == len(known) else None
        return calls, sum(use.tokens for use in known) / number, cost


@dataclass(frozen=True, eq=False)
class KnownLabels:
    """A run with the known labels of its cases; raises RequestError if none is known."""

    evaluation: Evaluation
    method: ErrorMethod
    chosen: Bools
    """The cases that count."""

    def __post_init__(self) -> None:
        if not any(self._known):
            raise RequestError(
                f"run {self.evaluation.run.name!r} has no case that counts and whose right label is known; "
                "import cases with it, or choose others."
            )

    @cached_property
    def _known(self) -> list[str | None]:
        cases = zip(self.evaluation.cases, self.chosen, strict=True)
        return [self.evaluation.plan.known_label(case.facts) if counts else None for case, counts in cases]

    @cached_property
    def labels(self) -> list[str]:
        """The labels that some case is known to have, in the order of the plan."""
        known = set(self._known)
        return [label for label in self._possible if label in known]

    @cached_property
    def _possible(self) -> Sequence[str]:
        """The labels that an answer may give, in the order of the plan."""
        return list(dict.fromkeys(label for case in self.evaluation.cases for label in case.labels))

    def recognitions(self, kept: KeptAnswers) -> list[Recognition]:
        """A row for each model and condition, then a coin and the most frequent label."""
        rows = [
            self._of_model(model, condition, kept)
            for model in self.evaluation.models
            for condition in self.evaluation.conditions
        ]
        return [*rows, self._of_coin(), self._of_most_frequent()]

    def sentences(self, rows: Sequence[Recognition]) -> list[str]:
        """What a reader of the rows must know."""
        unknown = int(self.chosen.sum()) - sum(map(bool, self._known))
        unread = sum(row.unreadable for row in rows)
        untested = len(self._possible) - len(self.labels)
        said = {
            f"Macro-F1 is the mean over {self._tested}.": True,
            f"{untested} of {len(self._possible)} labels {agreeing(untested, 'is', 'are')} not tested, "
            "since no case is known to have one. These do not count as 0; an answer that gives one is only "
            "an error.": untested,
            f"The right label of {counted(unknown, 'case')} is not known; they do not count.": unknown,
            f"{counted(unread, 'answer')} cannot be read and {agreeing(unread, 'has', 'have')} no part in "
            "any share.": unread,
        }
        return [sentence for sentence, holds in said.items() if holds]

    @property
    def _tested(self) -> str:
        """How many labels are tested, and which if they are few."""
        some = f"{counted(len(self.labels), 'label')} that some case is known to have"
        return f"{some}: {enumerated(self.labels)}" if len(self.labels) <= _MOST_NAMED else some

    def confusions(self) -> Iterator[Confusion]:
        """Which labels the cases of each known label got, the most frequent first."""
        for model in self.evaluation.models:
            for condition in self.evaluation.conditions:
                pairs = [(known, given) for _, known, given in self._pairs(model, condition)]
                totals = Counter(known for known, _ in pairs)
                counts = sorted(Counter(pairs).items(), key=lambda each: (-each[1], str(each[0][1])))
                for label in self.labels:
                    for (known, given), number in counts:
                        if known == label:
                            share = number / totals[known]
                            yield Confusion(model, condition.key, known, given, number, share)

    def _pairs(self, model: str, condition: Condition) -> Iterator[tuple[int, str, str | None]]:
        """For every answer to a case with a known label: the case, that label, and the one that was given."""
        at = self.evaluation.conditions.index(condition)
        for case, codes in enumerate(self.evaluation.labels[model][:, at, :].tolist()):
            if known := self._known[case]:
                labels = self.evaluation.cases[case].labels
                for code in codes:
                    if code >= UNREADABLE:
                        yield case, known, labels[code] if code >= 0 else None

    def _of_model(self, model: str, condition: Condition, kept: KeptAnswers) -> Recognition:
        number, width = len(self.evaluation.cases), len(self.labels)
        right, readable, top, ranked = (np.zeros(number) for _ in range(4))
        doubled, either = np.zeros((number, width)), np.zeros((number, width))
        column = {label: place for place, label in enumerate(self.labels)}
        place, unreadable = (model, condition.key), 0
        for case, known, given in self._pairs(model, condition):
            if given is None:
                unreadable += 1
                continue
            readable[case] += 1
            right[case] += given == known
            either[case, column[known]] += 1
            if given in column:
                either[case, column[given]] += 1
                doubled[case, column[given]] += 2 * (given == known)
        for case, rankings in kept.ranked.get(place, {}).items():
            if right_label := self._known[case]:
                ranked[case] = len(rankings)
                top[case] = sum(right_label in ranking[:TOP] for ranking in rankings)
        measured = [
            self._clustered(sums, weights)
            for sums, weights in ((right, readable), (top, ranked), *zip(doubled.T, either.T, strict=True))
        ]
        sampled = self._resampling.ratios(measured)  # one drawing for all, since it takes longest
        return Recognition(
            *place,
            int((readable > 0).sum()),
            unreadable,
            self._ratio(measured[0], sampled[:, 0]),
            self._mean_of_ratios(measured[2:], sampled[:, 2:]),
            self._ratio(measured[1], sampled[:, 1]) if ranked.any() else Estimate.undefined(ONE_LABEL, 0),
            *kept.means(place),
        )

    def _ratio(self, measured: ClusterSums, sampled: Floats) -> Estimate:
        point = combination([measured], [1.0], self.method.level)
        linearised = self.method.interval == "linearised"
        return point if linearised else with_resamples(point, sampled, self.method.level)

    def _mean_of_ratios(self, measured: Sequence[ClusterSums], sampled: Floats) -> Estimate:
        """The mean of the ratios; one without a weight in a resample is left out of it."""
        values = {place: ratio.value for place, ratio in enumerate(measured) if ratio.value is not None}
        if not values:
            return Estimate.undefined(NO_DATA, 0)
        clusters = np.any([ratio.weights > 0 for ratio in measured], axis=0)
        point = Estimate(float(np.mean(list(values.values()))), int(clusters.sum()))
        return with_resamples(point, np.nanmean(sampled[:, list(values)], axis=1), self.method.level)

    @cached_property
    def _resampling(self) -> Resampling:
        return Resampling(self.method.seed, self.method.resamples)

    @cached_property
    def _cluster_of(self) -> Ints:
        """The number of the cluster of each case."""
        if not self.evaluation.plan.cluster_noun:
            return np.arange(len(self.evaluation.cases))
        names = [case.cluster for case in self.evaluation.cases]
        numbers = {name: number for number, name in enumerate(dict.fromkeys(names))}
        return np.array([numbers[name] for name in names], dtype=np.int64)

    def _clustered(self, sums: Floats, weights: Floats) -> ClusterSums:
        number = int(self._cluster_of.max(initial=-1)) + 1
        x, n = (np.bincount(self._cluster_of, array, number) for array in (sums, weights))
        return ClusterSums(x.astype(np.float64), n.astype(np.float64), 0.0, 1.0)

    def _of_coin(self) -> Recognition:
        guesses = [
            len(case.guesses or case.labels)
            for case, known in zip(self.evaluation.cases, self._known, strict=True)
            if known
        ]
        once, three = (
            float(np.mean([min(1.0, number / labels) for labels in guesses])) for number in (1, TOP)
        )
        no_f1 = Estimate.undefined(BY_CHANCE, 0)
        return Recognition(COIN, "", len(guesses), 0, Estimate(once, 0), no_f1, Estimate(three, 0))

    def _of_most_frequent(self) -> Recognition:
        known = Counter(label for label in self._known if label)
        (label, number), total = known.most_common(1)[0], known.total()
        share = number / total
        macro = Estimate(2 * share / (1 + share) / len(self.labels), 0)
        undefined = Estimate.undefined(ONE_LABEL, 0)
        return Recognition(f"always {label}", "", total, 0, Estimate(share, 0), macro, undefined)


def kept_answers(database: Database, evaluation: Evaluation) -> KeptAnswers:
    """What the store keeps of the answers of a run."""
    conditions = {condition.key: condition for condition in evaluation.conditions}
    evaluations, name = Evaluations(database), evaluation.run.name
    cases = evaluations.cases(name)
    ranked: dict[_Place, dict[int, list[Sequence[str]]]] = {}
    requests: dict[_Place, list[Sequence[str]]] = {}
    for outcome in evaluations.outcomes(name):
        place, condition = (outcome.model, outcome.condition), conditions[outcome.condition]
        if outcome.request:
            requests.setdefault(place, []).append(outcome.request.split())
        if outcome.label:
            case = cases[evaluation.cases[outcome.case].digest]
            if ranking := evaluation.plan.ranking(case, condition, outcome.reply):
                ranked.setdefault(place, {}).setdefault(outcome.case, []).append(ranking)
    digests = {digest for some in requests.values() for each in some for digest in each}
    with database.read() as session:
        return KeptAnswers(ranked, requests, use_of_requests(session, sorted(digests)))
