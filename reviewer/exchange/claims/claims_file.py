"""The file of a paper's numbers: TOML with one ``[[claim]]`` a number, as the paper prints it."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from decimal import ROUND_DOWN, ROUND_HALF_EVEN, ROUND_HALF_UP, Context, Decimal, Inexact
from pathlib import Path
from typing import Any, Final, Literal

from reviewer.core.errors import InputError
from reviewer.core.estimate import Estimate
from reviewer.core.names import closest
from reviewer.core.number_text import short_number
from reviewer.core.sanitize import one_line, shown
from reviewer.core.source_text import read_toml
from reviewer.core.table import as_json

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


MOST_CLAIMS: Final = 5000
_TABLE: Final = "claim"
_OTHER_FILE: Final = "give a file of claims; the page files of the manual shows one"
_ON_NUMBERS: Final = "write one number as it is printed, such as .91, 65.7%, 1,204 or <.001"

Place = Mapping[str, str]
"""Columns of a table with the values that name one row."""


@dataclass(frozen=True, slots=True)
class Claim:
    """One number of a paper: where it stands, as printed, and the cell of a table that gives it.

    ``n``: the number of things of which it is a share, if it is one. No command: nothing here gives it.
    """

    where: str
    printed: str
    number: PrintedNumber
    command: str = ""
    row: Place = field(default_factory=dict)
    column: str = "value"
    rounding: Rounding = "half-up"
    n: int | None = None


_FIELDS: Final = (*(field.name for field in fields(Claim) if field.name != "number"), "times")


def read_claims(path: Path) -> list[Claim]:
    """The claims of a file; raises InputError, naming the claim and its field."""
    file = f"claims {one_line(str(path), 120)!r}"
    content = read_toml(path, file, _OTHER_FILE)
    entries = content.pop(_TABLE, None)
    if content:
        name = next(iter(content))
        raise InputError(f"{file}, {shown(name)}", "is not a claim", f"write each number as [[{_TABLE}]]")
    if not isinstance(entries, list) or not entries:
        raise InputError(file, "has no claims", f"write each number as [[{_TABLE}]]")
    if len(entries) > MOST_CLAIMS:
        wrong = f"has {len(entries):,} claims; at most {MOST_CLAIMS:,} are read"
        raise InputError(file, wrong, "split it")
    return [_claim(entry, f"{file}, claim {number}") for number, entry in enumerate(entries, 1)]


def _claim(entry: object, where: str) -> Claim:
    if not isinstance(entry, dict):
        raise InputError(where, "is not a table", f"write it as [[{_TABLE}]] with its fields below")
    for name in entry:
        if name not in _FIELDS:
            raise InputError(
                where, f"has an unknown field {shown(name)}", closest(name, _FIELDS, "known are")
            )
    times = _whole(entry, "times", where) or 1
    printed = _text(entry, "printed", where)
    number = printed_number(printed, times)
    if number is None:
        raise InputError(f"{where}, printed", f"{shown(printed)} is not one number", _ON_NUMBERS)
    return Claim(
        _text(entry, "where", where),
        printed,
        number,
        _text(entry, "command", where, ""),
        _row(entry.get("row", {}), f"{where}, row"),
        _text(entry, "column", where, "value"),
        _rounding(_text(entry, "rounding", where, "half-up"), f"{where}, rounding"),
        _whole(entry, "n", where),
    )


def _text(entry: Mapping[str, Any], name: str, where: str, default: str | None = None) -> str:
    value = entry.get(name, default)
    if not isinstance(value, str) or (default is None and not value.strip()):
        wrong = "is missing" if value is None else "is not a text"
        quoted = (
            " in quotes, so that its digits stay as they are" if name == "printed" else " as text in quotes"
        )
        raise InputError(f"{where}, {name}", wrong, f"write it{quoted}")
    return value


def _whole(entry: Mapping[str, Any], name: str, where: str) -> int | None:
    value = entry.get(name)
    if value is not None and (type(value) is not int or value < 1):
        raise InputError(f"{where}, {name}", "is not a whole number of at least 1", "write such a number")
    return value


def _rounding(value: str, where: str) -> Rounding:
    for known in ROUNDINGS:
        if value == known:
            return known
    raise InputError(where, f"{shown(value)} is not a way of rounding", f"write {', '.join(ROUNDINGS)}")


def _row(value: object, where: str) -> Place:
    if not isinstance(value, dict) or any(isinstance(cell, (dict, list)) for cell in value.values()):
        raise InputError(where, "does not name columns with their values", 'write it as { group = "name" }')
    return {name: cell_text(cell) for name, cell in value.items()}


def cell_text(cell: object) -> str:
    """A cell as a claim names it: "" for no value."""
    return "" if cell is None else str(cell)


def claims_of_report(claims: Iterable[Claim]) -> str:
    """The text of the file of claims beside a report. Texts in JSON are texts in TOML too."""
    head = "# The numbers of this report. `reviewer claims check` on this file computes each again."
    return f"{head}\n\n" + "\n".join(map(_entry, claims))


def _entry(claim: Claim) -> str:
    place = ", ".join(f"{_key(name)} = {as_json(value)}" for name, value in claim.row.items())
    lines = [
        f"[[{_TABLE}]]",
        f"where = {as_json(claim.where)}",
        f"printed = {as_json(claim.printed)}",
        f"command = {as_json(claim.command)}",
        f"row = {{ {place} }}" if place else "",
        f"column = {as_json(claim.column)}",
        f"n = {claim.n}" if claim.n else "",
    ]
    return "".join(f"{line}\n" for line in lines if line)


def _key(name: str) -> str:
    return name if re.fullmatch("[A-Za-z0-9_-]+", name) else as_json(name)
