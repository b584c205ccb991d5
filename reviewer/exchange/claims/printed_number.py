"""A number as a paper prints it, and whether a value is printed so."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import ROUND_DOWN, ROUND_HALF_EVEN, ROUND_HALF_UP, Context, Decimal, Inexact
from typing import Final, Literal

from reviewer.core.estimate import Estimate
from reviewer.core.number_text import short_number

Rounding = Literal["half-up", "half-even", "down"]
ROUNDINGS: Final[Mapping[Rounding, str]] = {
    "half-up": ROUND_HALF_UP,
    "half-even": ROUND_HALF_EVEN,
    "down": ROUND_DOWN,
}
MOST_DIGITS: Final = 12
"""Digits of a printed number that are compared: further ones depend on the order of a computation."""
_EXACT: Final = Context(prec=400, traps=[Inexact])
_NUMBER: Final = re.compile(
    r"(?P<below><)?\s*(?P<sign>-)?(?P<digits>\d{1,3}(?:,\d{3})+|\d+)?(?P<rest>\.\d+)?%?", re.ASCII
)


@dataclass(frozen=True, slots=True)
class PrintedNumber:
    """A printed number: its value and decimals as printed, and the factor for a value that is compared.

    ``below``: printed with "<", so that the value is less.
    """

    value: Decimal
    decimals: int
    times: int
    percent: bool = False
    below: bool = False
    bare: bool = False
    """Whether it is printed without the zero before its point."""

    def fits(self, value: float, rounding: Rounding) -> bool:
        """Whether a value is printed so, as far as its digits are compared."""
        exact = self._scaled(value)
        if self.below:
            return exact < self.value
        return self._rounded(exact, rounding) == self._rounded(self.value, rounding)

    def text(self, value: float, rounding: Rounding) -> str:
        """A value with the decimals that are printed, and with a percent sign if it is a percentage."""
        text = f"{self._rounded(self._scaled(value), rounding):f}"
        shortened = text.replace("0.", ".", 1) if text.lstrip("-").startswith("0.") and self.bare else text
        return shortened + "%" * self.percent

    def share_of(self, n: int, rounding: Rounding) -> int | None:
        """The least whole number whose share of n is printed so; None if there is none.

        The test is that of Brown and Heathers (2017), there for means of whole numbers (GRIM).
        """
        about = int(self.value / self.times * n)
        within = range(max(0, about - 2), min(n, about + 3) + 1)
        return next((count for count in within if self.fits(count / n, rounding)), None)

    @property
    def remark(self) -> str:
        """That not all its digits are compared; "" where they are."""
        return f"only {MOST_DIGITS} digits are compared" if self._compared < self.decimals else ""

    @property
    def _compared(self) -> int:
        """The decimals that are compared."""
        whole = max(0, self.value.adjusted() + 1) if self.value else 0
        return min(self.decimals, max(0, MOST_DIGITS - whole))

    def _scaled(self, value: float) -> Decimal:
        return _EXACT.multiply(Decimal(repr(float(value))), Decimal(self.times))

    def _rounded(self, value: Decimal, rounding: Rounding) -> Decimal:
        context = Context(prec=400, rounding=ROUNDINGS[rounding])
        return context.plus(context.quantize(value, Decimal(1).scaleb(-self._compared)))


def printed_number(text: str, times: int = 1) -> PrintedNumber | None:
    """The number that a text prints, such as .91, 65.7%, 1,204 or <.001; None if it prints something else."""
    plain = text.strip().replace("−", "-").replace(" %", "%")
    found = _NUMBER.fullmatch(plain)
    if not found or (found["digits"] is None and found["rest"] is None):
        return None
    digits, rest, percent = (
        (found["digits"] or "0").replace(",", ""),
        found["rest"] or "",
        plain.endswith("%"),
    )
    return PrintedNumber(
        Decimal(f"{found['sign'] or ''}{digits}{rest}"),
        max(0, len(rest) - 1),
        100 if percent else times,
        percent,
        found["below"] is not None,
        found["digits"] is None,
    )


def printed_estimate(
    name: str, estimate: Estimate, digits: int, *, interval: bool = True
) -> Iterator[tuple[str, str]]:
    """The value as printed, and the ends of its interval where it is shown."""
    if estimate.value is None:
        return
    yield name, short_number(estimate.value, digits)
    if interval and (ends := estimate.shown_interval):
        yield f"{name}_low", short_number(ends.low, digits)
        yield f"{name}_high", short_number(ends.high, digits)
