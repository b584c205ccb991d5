"""A study's agreement as a table for people: short heads, two decimals, and words where there is no value."""

from collections.abc import Sequence

from reviewer.agreement import COEFFICIENTS
from reviewer.core.estimate import Estimate
from reviewer.core.table import Cell, Table
from reviewer.study.results import Result

_ROWS = {"cell": "cell", "mean of cells": "mean", "pooled": "pooled"}


def agreement_text(results: Sequence[Result], by: Sequence[str]) -> Table:
    """The rows of the machine table; ``legend`` explains the heads, ``remarks`` what is missing."""
    keys = list(results[0].coefficients) if results else []
    heads = [COEFFICIENTS[key].symbol for key in keys]
    return Table.of(
        (*by, "row", "n", "raters", "pass", *heads, "maj.", "unan."),
        [_row(result, by) for result in results],
    )


def legend(results: Sequence[Result]) -> str:
    """What the heads of the columns mean, in one line."""
    keys = list(results[0].coefficients) if results else []
    names = ", ".join(f"{COEFFICIENTS[key].symbol} {COEFFICIENTS[key].title}" for key in keys)
    return (
        f"n cases; pass: share of labels that pass; {names}; maj. and unan.: pass rates by majority and by "
        "unanimity. A mean is the unweighted mean of the cells; pooled takes all labels together."
    )


def remarks(results: Sequence[Result], by: Sequence[str]) -> list[str]:
    """A sentence for all that a reader could mistake: undefined values, missing labels, ties."""
    sentences = []
    for result in results:
        if result.kind == "mean of cells":
            continue
        place = " · ".join(result.where[dimension] for dimension in by) or "all"
        reasons = {f"{_symbol(key)} ({e.reason})" for key, e in result.coefficients.items() if e.reason}
        if reasons and result.ratings:
            sentences.append(f"{place}: undefined are {', '.join(sorted(reasons))}.")
        if result.missing:
            sentences.append(
                f"{place}: {result.missing} of {result.missing + result.ratings} labels are missing."
            )
        if result.ties:
            sentences.append(f"{place}: {result.ties} ties count as not passed by majority.")
    return sentences


def _symbol(key: str) -> str:
    return COEFFICIENTS[key].symbol


def _row(result: Result, by: Sequence[str]) -> list[Cell]:
    estimates = [*result.coefficients.values(), result.majority, result.unanimity]
    return [
        *(result.where[dimension] for dimension in by),
        _ROWS[result.kind],
        result.items,
        result.raters,
        _number(result.passing_share),
        *(_number(estimate) for estimate in estimates),
    ]


def _number(estimate: Estimate) -> str | None:
    if estimate.value is None:
        return None
    rounded = round(estimate.value, 2) + 0.0  # never "-.00"
    return f"{rounded:.2f}".replace("0.", ".", 1)
