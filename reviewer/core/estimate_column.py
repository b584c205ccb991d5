"""An estimate as a column of a declared table: one head for people, a field for each part for programs."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from reviewer.core.estimate import FEWEST_CASES, Estimate
from reviewer.core.number_text import all_digits, number, p_value, short_number, with_interval
from reviewer.core.table import Cell, Column, Field, RowType, plain_column

_PARTS: Mapping[str, tuple[str, str]] = {
    "": ("number", "the value"),
    "low": (
        "number",
        f"lower end of the interval; with fewer than {FEWEST_CASES} cases it looks more exact than it is, "
        "and tables for people do not show it",
    ),
    "high": ("number", "upper end of the interval; see the lower end on few cases"),
    "level": ("number", "confidence level of the interval"),
    "method": ("string", "how the interval was computed: bootstrap, analytic, Wilson or Newcombe"),
    "se": ("number", "standard error, computed by the same method as the interval"),
    "expected": ("number", "agreement expected by chance"),
    "n": ("integer", "number of {units} behind the value"),
    "undefined_resamples": (
        "number",
        "share of bootstrap resamples without a value, which the interval leaves out",
    ),
    "left_out": (
        "integer",
        "number of cells or pairs of raters without a value that a mean leaves out; empty for other values",
    ),
    "undefined": ("string", "why there is no value; empty if there is one"),
}
"""Ending of the field's name → its type and meaning; "" is the value itself."""

ALL_PARTS = tuple(_PARTS)
RATE_PARTS = ("", "low", "high", "level", "method", "n", "undefined")
BARE_PARTS = ("", "n", "undefined")
VALUE_ONLY = ("",)


def estimate_column(
    name: str,
    meaning: str,
    of: Callable[[RowType], Estimate],
    head: str | None = None,
    *,
    parts: tuple[str, ...] = RATE_PARTS,
    short: str | None = None,
    told: str = "",
    interval: bool = True,
    shown: Callable[[Estimate, int], Cell] | None = None,
    units: str = "items (for a mean of cells: number of cells with a value)",
) -> Column[RowType]:
    """A column of estimates. People see the value, with its ``interval`` or without; n counts ``units``."""
    text = shown or (with_interval if interval else number)
    return Column(
        tuple(_field(name, meaning, part, units) for part in parts),
        lambda row: _cells(of(row), parts),
        head,
        short,
        told,
        lambda row, digits: text(of(row), digits),
        of,
        interval,
    )


def without_interval(column: Column[RowType]) -> Column[RowType]:
    """The same column where people see the value alone; raises ValueError if it holds no estimates."""
    of = column.estimate
    if of is None:
        raise ValueError(f"column {column.head!r} holds no estimates")
    return replace(column, interval=False, shown=lambda row, digits: number(of(row), digits))


def number_column(
    name: str,
    meaning: str,
    of: Callable[[RowType], float | None],
    head: str | None = None,
    *,
    told: str = "",
    text: Callable[[float, int], str] = short_number,
) -> Column[RowType]:
    """A column of numbers: 15 significant digits for programs, few decimals for people."""

    def shown(row: RowType, digits: int) -> Cell:
        value = of(row)
        return None if value is None else text(value, digits)

    return plain_column(
        name, "number", meaning, lambda row: all_digits(of(row)), head, told=told, shown=shown
    )


def p_column(
    name: str, meaning: str, of: Callable[[RowType], float | None], head: str | None = None, *, told: str = ""
) -> Column[RowType]:
    """A column of p values, which people see with three decimals."""
    return number_column(name, meaning, of, head, told=told, text=lambda p, _digits: p_value(p) or "")


def _field(name: str, meaning: str, part: str, units: str) -> Field:
    kind, what = _PARTS[part]
    if not part:
        return Field(name, kind, meaning)
    return Field(f"{name}_{part}", kind, f"{meaning}: {what.format(units=units)}")


def _cells(estimate: Estimate, parts: tuple[str, ...]) -> list[Cell]:
    """Parts of an estimate; None where one does not apply."""
    interval = estimate.interval
    cells: dict[str, Cell] = {
        "": all_digits(estimate.value),
        "low": all_digits(interval.low) if interval else None,
        "high": all_digits(interval.high) if interval else None,
        "level": interval.level if interval else None,
        "method": interval.method if interval else None,
        "se": all_digits(estimate.se),
        "expected": all_digits(estimate.expected),
        "n": estimate.n,
        "undefined_resamples": all_digits(estimate.undefined_share),
        "left_out": estimate.left_out,
        "undefined": estimate.reason,
    }
    return [cells[part] for part in parts]
