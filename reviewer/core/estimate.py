"""A number with its uncertainty, or the reason why there is none."""

from dataclasses import dataclass


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

    def __post_init__(self) -> None:
        if (self.value is None) == (self.reason is None):
            raise ValueError("an estimate has either a value or the reason why there is none")
        if self.se is not None and (self.value is None or self.se_reason is not None):
            raise ValueError("a standard error needs a value, and excludes a reason why there is none")

    @classmethod
    def undefined(cls, reason: str, n: int) -> "Estimate":
        """No value, and why."""
        return cls(None, n, reason)
