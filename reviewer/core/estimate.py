"""A number with its uncertainty, or the reason why there is none."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

FEWEST_CASES: Final = 10
"""People see an interval only if at least this many cases are behind it (or clusters of cases)."""
FEWEST_LABELS: Final = 30
"""The least number of experts' labels where a judge labelled the other cases of a dataset."""
FEWEST: Final[Mapping[str, int]] = {"labels": FEWEST_LABELS}
"""The least number of each thing of which there can be too few; for any other, that of cases."""
TOO_FEW: Final = "too few"
"""What people see in place of an interval from fewer, before what there are too few of."""

# Why a value is missing: the fixed phrases that tables and exports print.
NO_DATA: Final = "no data"
ONE_RATER: Final = "one rater"
NO_ITEM_WITH_TWO_RATINGS: Final = "no item with two ratings"
ONE_CATEGORY: Final = "one category"
ONE_ITEM: Final = "one item"
ALL_TIED: Final = "all outputs tied"
NOT_TWO_RATERS: Final = "not two raters"
SETS: Final = "sets of labels"
NO_SETS: Final = "one label answers"
NO_SPANS: Final = "no spans"
OVERLAPPING_SPANS: Final = "spans of one rater overlap"
WHOLE_TEXTS: Final = "everything is marked"
STRATUM_WITHOUT_ANSWERS: Final = "a stratum without answers"
FEW_RATERS_TO_REPLACE: Final = "fewer than three raters"
FEW_ITEMS_TO_REPLACE: Final = "fewer than thirty items"
NO_SUCH_ITEM: Final = "no such item"
NOT_TWO_LABELS: Final = "not two labels"
NO_BETTER_THAN_CHANCE: Final = "no better than chance"

# Why a value has no standard error, or a plan no number.
NO_FORMULA: Final = "no analytic formula"
NO_STANDARD_ERROR: Final = "no standard error"
ONE_CASE_OF_A_STRATUM: Final = "one case of a stratum"
NO_SPREAD: Final = "standard error is 0"


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval: its ends, level (such as .95) and method ("Wilson", "bootstrap", …)."""

    low: float
    high: float
    level: float
    method: str

    @property
    def width(self) -> float:
        """The distance between the ends."""
        return self.high - self.low

    @property
    def half_width(self) -> float:
        """Half the distance between the ends."""
        return self.width / 2


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value with its interval and the n behind it, or no value and the reason why.

    Exactly one of ``value`` and ``reason`` is None; an undefined value is never 0, 1 or nan.
    ``se`` is the standard error; if a value has none, ``se_reason`` says why. ``expected`` is the agreement
    expected by chance, ``undefined_share`` the share of bootstrap resamples without a value, and ``left_out``
    the number of undefined parts that a mean leaves out. Each of the three is None if it does not apply.
    ``few`` names what there are too few of behind the value, such as "cases"; "" if there are enough.
    ``assumed`` counts unreadable replies that the value takes for an answer.
    """

    value: float | None
    n: int
    reason: str | None = None
    interval: Interval | None = None
    se: float | None = None
    se_reason: str | None = None
    expected: float | None = None
    undefined_share: float | None = None
    left_out: int | None = None
    few: str = ""
    assumed: int = 0

    def __post_init__(self) -> None:
        if (self.value is None) == (self.reason is None):
            raise ValueError("an estimate has either a value or the reason why there is none")
        if self.se is not None and (self.value is None or self.se_reason is not None):
            raise ValueError("a standard error needs a value, and excludes a reason why there is none")

    @property
    def too_few(self) -> str:
        """The words in place of an interval, also where there is none; "" if enough is behind it."""
        return f"{TOO_FEW} {self.few}" if self.few and self.value is not None else ""

    @property
    def shown_interval(self) -> Interval | None:
        """The interval for people; None if there is none, or if too few cases are behind it."""
        return None if self.few else self.interval

    def resting_on(self, number: int, of: str = "cases") -> "Estimate":
        """The same, with a note for people if this number of cases (or clusters of them) is small."""
        return replace(self, few=of if number < FEWEST.get(of, FEWEST_CASES) else "")

    @classmethod
    def undefined(cls, reason: str, n: int) -> "Estimate":
        """No value, and why."""
        return cls(None, n, reason)
