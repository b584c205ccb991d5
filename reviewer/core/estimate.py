"""A number that can say how sure it is, or why it is not there."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval: its ends, level (such as .95) and method ("Wilson", "bootstrap", …)."""

    low: float
    high: float
    level: float
    method: str


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value with its interval and the n behind it, or no value and the reason why.

    Exactly one of ``value`` and ``reason`` is None; an undefined value is never 0, 1 or nan.
    """

    value: float | None
    n: int
    reason: str | None = None
    interval: Interval | None = None

    def __post_init__(self) -> None:
        if (self.value is None) == (self.reason is None):
            raise ValueError("an estimate has either a value or the reason why there is none")

    @classmethod
    def undefined(cls, reason: str, n: int) -> "Estimate":
        """No value, and why."""
        return cls(None, n, reason)
