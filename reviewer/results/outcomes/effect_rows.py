"""The rows of a table of effects, as plain values: what screens, pages and files are made from."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from reviewer.agreement.intervals import DEFAULT_LEVEL
from reviewer.agreement.proportions import ZTest
from reviewer.core.estimate import Estimate
from reviewer.protocols.evaluation import EvaluationPlan, Measure

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
