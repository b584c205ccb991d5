"""A number with its uncertainty, or the reason why there is none."""

from dataclasses import dataclass
from typing import Final

FEWEST_CASES: Final = 10
"""People see an interval only if at least this many cases are behind it."""
TOO_FEW_CASES: Final = "too few cases"
"""What people see in place of an interval from fewer cases."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval: its ends, level (such as .95) and method ("Wilson", "bootstrap", …)."""

    low: float
    high: float
    level: float
    method: str

    @property
    def half_width(self) -> float:
        """Half the distance between the ends."""
        return (self.high - self.low) / 2


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value with its interval and the n behind it, or no value and the reason why.

    Exactly one of ``value`` and ``reason`` is None; an undefined value is never 0, 1 or nan.
    ``se`` is the standard error; if a value has none, ``se_reason`` says why. ``expected`` is the agreement
    expected by chance, ``undefined_share`` the share of bootstrap resamples without a value, and ``left_out``
    the number of undefined parts that a mean leaves out. Each of the three is None if it does not apply.
    ``few_cases``: too few cases are behind the value for people to be shown its interval.
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
    few_cases: bool = False

    def __post_init__(self) -> None:
        if (self.value is None) == (self.reason is None):
            raise ValueError("an estimate has either a value or the reason why there is none")
        if self.se is not None and (self.value is None or self.se_reason is not None):
            raise ValueError("a standard error needs a value, and excludes a reason why there is none")

    @property
    def shown_interval(self) -> Interval | None:
        """The interval for people; None if there is none, or if too few cases are behind it."""
        return None if self.few_cases else self.interval

    @property
    def hides_interval(self) -> bool:
        """Whether there is an interval that people are not shown."""
        return self.few_cases and self.interval is not None

    @classmethod
    def undefined(cls, reason: str, n: int) -> "Estimate":
        """No value, and why."""
        return cls(None, n, reason)
