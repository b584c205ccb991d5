"""An estimate as columns of a machine table, and what these columns mean."""

from collections.abc import Mapping

from reviewer.core.estimate import Estimate
from reviewer.core.table import Cell

SUFFIXES: Mapping[str, tuple[str, str]] = {
    "": ("number", "the value"),
    "low": ("number", "lower end of the interval"),
    "high": ("number", "upper end of the interval"),
    "level": ("number", "confidence level of the interval"),
    "method": ("string", "how the interval was computed: bootstrap, analytic, Wilson or Newcombe"),
    "se": ("number", "standard error, computed by the same method as the interval"),
    "expected": ("number", "agreement expected by chance"),
    "n": ("integer", "number of items behind the value (for a mean of cells: number of cells with a value)"),
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
"""Suffix of the column's name → its type and meaning; "" is the value itself."""

RATE_SUFFIXES = ("", "low", "high", "level", "method", "n", "undefined")
BARE_SUFFIXES = ("", "n", "undefined")


def column_names(name: str, suffixes: tuple[str, ...] = tuple(SUFFIXES)) -> list[str]:
    """The names of an estimate's columns."""
    return [f"{name}_{suffix}" if suffix else name for suffix in suffixes]


def cells_of(estimate: Estimate, suffixes: tuple[str, ...] = tuple(SUFFIXES)) -> list[Cell]:
    """The cells of an estimate's columns; None where something does not apply."""
    interval = estimate.interval
    cells: dict[str, Cell] = {
        "": rounded(estimate.value),
        "low": rounded(interval.low) if interval else None,
        "high": rounded(interval.high) if interval else None,
        "level": interval.level if interval else None,
        "method": interval.method if interval else None,
        "se": rounded(estimate.se),
        "expected": rounded(estimate.expected),
        "n": estimate.n,
        "undefined_resamples": rounded(estimate.undefined_share),
        "left_out": estimate.left_out,
        "undefined": estimate.reason,
    }
    return [cells[suffix] for suffix in suffixes]


def rounded(value: float | None) -> float | None:
    """The value to twelve decimals, so that the last bits of different machines do not matter."""
    return None if value is None else round(value, 12) + 0.0
