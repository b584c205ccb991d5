"""A study's numbers as tables for people: short heads, few decimals, a dash for no value."""

from collections.abc import Sequence

from reviewer.core.estimate import Estimate, Interval
from reviewer.core.table import Cell, Table
from reviewer.study.statistics.agreement_results import KNOWN, AgreementResult
from reviewer.study.statistics.pass_rate_differences import PassRateDifference
from reviewer.study.statistics.rater_results import RaterResult
from reviewer.study.statistics.sample_size import CellPlan
from reviewer.study.statistics.skew import short_number

ROW_NAMES = {"cell": "cell", "mean of cells": "mean", "pooled": "pooled"}
# A terminal of 100 columns has room for five coefficients with intervals beside two dimensions.
_ABREAST = 5
_WIDEST_BY = 2
DIGITS = 2
"""Decimals that are shown by default."""
_MARK = "†"


def agreement_tables(
    results: Sequence[AgreementResult], by: Sequence[str], digits: int = DIGITS
) -> list[Table]:
    """Tables for a terminal: each value with its interval below it, at most five coefficients in each.

    Without intervals there is room for pass rates too.
    """
    keys = list(results[0].coefficients) if results else []
    parts = [keys[start : start + _ABREAST] for start in range(0, len(keys), _ABREAST)] or [[]]
    return [_terminal_table(results, by, part, digits) for part in parts]


def _terminal_table(
    results: Sequence[AgreementResult], by: Sequence[str], keys: Sequence[str], digits: int
) -> Table:
    bare = not any(result.coefficients[key].interval for result in results for key in keys)
    heads = (*_place_heads(by), "row", "n", "r", "passing", *map(symbol, keys))
    rows: list[list[Cell]] = []
    for result in results:
        estimates = [result.coefficients[key] for key in keys]
        rates = [number(rate, digits) for rate in (result.majority, result.unanimity) if bare]
        rows.append([*_head(result, by, digits), *(number(each, digits) for each in estimates), *rates])
        if any(estimate.interval for estimate in estimates):
            blanks = [""] * (len(heads) - len(keys))
            rows.append([*blanks, *(_ends(estimate.interval, digits) for estimate in estimates)])
    return Table.of((*heads, *(("maj.", "unan.") if bare else ())), rows)


def agreement_print(results: Sequence[AgreementResult], by: Sequence[str], digits: int = DIGITS) -> Table:
    """The table for a page: one row for each result, the interval in brackets after each value."""
    keys = list(results[0].coefficients) if results else []
    heads = (*by, "row", "n", "raters", "passing", *map(symbol, keys))
    rows = [
        [
            *_where(result, by),
            *_head(result, (), digits),
            *(with_interval(estimate, digits) for estimate in result.coefficients.values()),
        ]
        for result in results
    ]
    return Table.of(heads, rows)


def pass_rates_text(results: Sequence[AgreementResult], by: Sequence[str], digits: int = DIGITS) -> Table:
    """Pass rates by majority and by unanimity with their intervals, and the number of ties."""
    rows = [
        [
            *_places(result, by),
            ROW_NAMES[result.kind],
            result.items,
            with_interval(result.majority, digits),
            with_interval(result.unanimity, digits),
            result.ties,
        ]
        for result in results
    ]
    return Table.of((*_place_heads(by), "row", "n", "majority", "unanimity", "ties"), rows)


def totals_text(results: Sequence[AgreementResult], dimension: str, digits: int = DIGITS) -> Table:
    """The aggregates of each value of a dimension: pass rates and agreement, one row for each."""
    keys = list(results[0].coefficients) if results else []
    rows = [
        [
            result.where[dimension],
            *_head(result, (), digits),
            with_interval(result.majority, digits),
            with_interval(result.unanimity, digits),
            *(with_interval(estimate, digits) for estimate in result.coefficients.values()),
        ]
        for result in results
    ]
    heads = (dimension, "row", "n", "raters", "passing", "majority", "unanimity", *map(symbol, keys))
    return Table.of(heads, rows)


def differences_text(found: Sequence[PassRateDifference], by: Sequence[str], digits: int = DIGITS) -> Table:
    """One row for each comparison: both rates, their difference with its interval, z, p, and p by Holm."""
    *shared, _ = by
    rows = [
        [
            *(each.where[dimension] for dimension in shared),
            each.measure,
            each.first,
            each.second,
            *(number(rate, digits) for rate in each.rates),
            with_interval(each.difference, digits),
            short_number(each.test.z, digits) if each.test.z is not None else None,
            p_value(each.test.p),
            p_value(each.adjusted),
        ]
        for each in found
    ]
    heads = (*shared, "rate", "first", "second", "1st", "2nd", "1st - 2nd", "z", "p", "Holm")
    return Table.of(heads, rows)


def raters_text(found: Sequence[RaterResult], by: Sequence[str], digits: int = DIGITS) -> Table:
    """One row for each rater: labels, speed, agreement with others and self, and of the others alone."""
    keys = list(found[0].without) if found else []
    rows = [
        [
            *(each.where[dimension] for dimension in by),
            each.rater,
            each.labels,
            each.missing,
            number(each.passing_share, digits),
            None if each.seconds.value is None else f"{each.seconds.value:.1f}",
            number(each.with_others, digits),
            number(each.again.agreement, digits),
            *(number(each.without[key], digits) for key in keys),
        ]
        for each in found
    ]
    without = (f"{symbol(key)}*" for key in keys)
    return Table.of((*by, "rater", "labels", "missing", "passing", "sec.", "others", "self", *without), rows)


def plans_text(found: Sequence[CellPlan], by: Sequence[str], digits: int = DIGITS) -> Table:
    """One row for each coefficient of a cell: its half-width now, and how many cases a smaller one needs."""
    rows = [
        [
            " · ".join(each.where[dimension] for dimension in by) or "all",
            ROW_NAMES[each.kind],
            symbol(each.coefficient),
            None if each.plan.value is None else short_number(each.plan.value, digits),
            None if each.half_width is None else short_number(each.half_width, digits),
            each.cases,
            each.plan.cases,
            each.plan.more,
            each.plan.reason or "",
        ]
        for each in found
    ]
    heads = ("cell", "row", "coefficient", "value", "half-width", "cases", "needed", "more", "why not")
    return Table.of(heads, rows)


def leaves_out(estimate: Estimate) -> bool:
    """Whether the value is a mean that leaves out parts without a value."""
    return estimate.value is not None and bool(estimate.left_out)


def symbol(key: str) -> str:
    """The short name of a coefficient."""
    return KNOWN[key].symbol


def number(estimate: Estimate, digits: int = DIGITS) -> str | None:
    """A few decimals without the leading zero, None for no value; a mean that leaves out parts is marked."""
    if estimate.value is None:
        return None
    return short_number(estimate.value, digits) + (_MARK if leaves_out(estimate) else "")


def with_interval(estimate: Estimate, digits: int = DIGITS) -> str | None:
    """The value with its interval in brackets."""
    value = number(estimate, digits)
    if value is None or estimate.interval is None:
        return value
    ends = estimate.interval
    return f"{value} [{short_number(ends.low, digits)}, {short_number(ends.high, digits)}]"


def p_value(p: float | None) -> str | None:
    """Three decimals, and "<.001" below them."""
    if p is None:
        return None
    return "<.001" if p < 0.0005 else short_number(p, 3)


def _ends(interval: Interval | None, digits: int) -> str:
    if interval is None:
        return ""
    return f"{short_number(interval.low, digits)}–{short_number(interval.high, digits)}"


def _place_heads(by: Sequence[str]) -> tuple[str, ...]:
    """A column for each dimension; if there are many, one column for all of them."""
    return tuple(by) if len(by) <= _WIDEST_BY else (" · ".join(by),)


def _places(result: AgreementResult, by: Sequence[str]) -> list[Cell]:
    return [*_where(result, by)] if len(by) <= _WIDEST_BY else [result.at(by)]


def _where(result: AgreementResult, by: Sequence[str]) -> list[Cell]:
    return [result.where[dimension] for dimension in by]


def _head(result: AgreementResult, by: Sequence[str], digits: int) -> list[Cell]:
    places = _places(result, by) if by else []
    share = number(result.passing_share, digits)
    return [*places, ROW_NAMES[result.kind], result.items, result.raters, share]
