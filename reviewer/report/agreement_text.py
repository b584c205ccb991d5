"""A study's numbers as tables for people: short heads, two decimals, and words where there is no value."""

from collections.abc import Sequence

from reviewer.core.estimate import Estimate, Interval
from reviewer.core.table import Cell, Table
from reviewer.study.comparisons import Comparison
from reviewer.study.labels import LabelRow
from reviewer.study.plans import CellPlan
from reviewer.study.raters import RaterResult
from reviewer.study.results import KNOWN, Result
from reviewer.study.skew import short_number

ROW_NAMES = {"cell": "cell", "mean of cells": "mean", "pooled": "pooled"}
# So many coefficients with intervals stand beside two dimensions in 100 columns of a terminal.
_ABREAST = 5
_WIDEST_BY = 2


def agreement_tables(results: Sequence[Result], by: Sequence[str]) -> list[Table]:
    """Tables for a terminal: each value with its interval under it, at most five coefficients abreast.

    Pass rates stand in it where there are no intervals, which leave no room for them.
    """
    keys = list(results[0].coefficients) if results else []
    parts = [keys[start : start + _ABREAST] for start in range(0, len(keys), _ABREAST)] or [[]]
    return [_terminal_table(results, by, part) for part in parts]


def _terminal_table(results: Sequence[Result], by: Sequence[str], keys: Sequence[str]) -> Table:
    bare = not any(result.coefficients[key].interval for result in results for key in keys)
    heads = (*_place_heads(by), "row", "n", "r", "pass", *map(symbol, keys))
    rows: list[list[Cell]] = []
    for result in results:
        estimates = [result.coefficients[key] for key in keys]
        rates = [number(result.majority), number(result.unanimity)] if bare else []
        rows.append([*_head(result, by), *map(number, estimates), *rates])
        if any(estimate.interval for estimate in estimates):
            blanks = [""] * (len(heads) - len(keys))
            rows.append([*blanks, *(_ends(estimate.interval) for estimate in estimates)])
    return Table.of((*heads, *(("maj.", "unan.") if bare else ())), rows)


def agreement_print(results: Sequence[Result], by: Sequence[str]) -> Table:
    """The table for a page: one row a result, the interval in brackets behind each value."""
    keys = list(results[0].coefficients) if results else []
    heads = (*by, "row", "n", "raters", "pass", *map(symbol, keys))
    rows = [
        [*_where(result, by), *_head(result, ()), *map(with_interval, result.coefficients.values())]
        for result in results
    ]
    return Table.of(heads, rows)


def pass_rates_text(results: Sequence[Result], by: Sequence[str]) -> Table:
    """Pass rates by majority and by unanimity with their intervals, and how many items were ties."""
    rows = [
        [
            *_places(result, by),
            ROW_NAMES[result.kind],
            result.items,
            with_interval(result.majority),
            with_interval(result.unanimity),
            result.ties,
        ]
        for result in results
    ]
    return Table.of((*_place_heads(by), "row", "n", "majority", "unanimity", "ties"), rows)


def differences_text(found: Sequence[Comparison], by: Sequence[str]) -> Table:
    """One row a comparison: both rates, their difference with its interval, z, p, and p by Holm."""
    *shared, _ = by
    rows = [
        [
            *(each.where[dimension] for dimension in shared),
            each.measure,
            each.first,
            each.second,
            *map(number, each.rates),
            with_interval(each.difference),
            short_number(each.test.z) if each.test.z is not None else None,
            p_value(each.test.p),
            p_value(each.adjusted),
        ]
        for each in found
    ]
    heads = (*shared, "rate", "first", "second", "1st", "2nd", "1st - 2nd", "z", "p", "Holm")
    return Table.of(heads, rows)


def raters_text(found: Sequence[RaterResult], by: Sequence[str]) -> Table:
    """One row a rater: labels, share that passes, speed, agreement with others and self, and without them."""
    keys = list(found[0].without) if found else []
    rows = [
        [
            *(each.where[dimension] for dimension in by),
            each.rater,
            each.labels,
            each.missing,
            number(each.passing_share),
            None if each.seconds.value is None else f"{each.seconds.value:.1f}",
            number(each.with_others),
            number(each.again.agreement),
            *(number(each.without[key]) for key in keys),
        ]
        for each in found
    ]
    without = (f"{symbol(key)}*" for key in keys)
    return Table.of((*by, "rater", "labels", "missing", "pass", "sec.", "others", "self", *without), rows)


def plans_text(found: Sequence[CellPlan], by: Sequence[str]) -> Table:
    """One row a coefficient of a cell: how wide it is now, and how many cases it would take."""
    rows = [
        [
            " · ".join(each.where[dimension] for dimension in by) or "all",
            ROW_NAMES[each.kind],
            symbol(each.coefficient),
            None if each.plan.value is None else short_number(each.plan.value),
            None if each.half_width is None else short_number(each.half_width),
            each.cases,
            each.plan.cases,
            each.plan.more,
            each.plan.reason or "",
        ]
        for each in found
    ]
    heads = ("cell", "row", "coefficient", "value", "half-width", "cases", "needed", "more", "why not")
    return Table.of(heads, rows)


def legend(results: Sequence[Result]) -> str:
    """What the heads of the columns mean, in one line."""
    keys = list(results[0].coefficients) if results else []
    names = ", ".join(f"{symbol(key)} {KNOWN[key].title}" for key in keys)
    return (
        f"n items; r raters; pass: share of labels that pass; {names}. A mean is the unweighted mean of the "
        "cells; pooled takes all labels together."
    )


def intervals_in_words(results: Sequence[Result]) -> str | None:
    """Which intervals the table shows, None where it shows none."""
    intervals = [each.interval for result in results for each in result.coefficients.values()]
    methods = sorted({interval.method for interval in intervals if interval is not None})
    level = next((interval.level for interval in intervals if interval is not None), None)
    return None if level is None else f"Intervals at {level:.0%}: {', '.join(methods)}."


def stale_in_words(rows: Sequence[LabelRow]) -> list[str]:
    """A sentence on labels that are stale, if any are."""
    stale = sum(row.stale and row.label is not None for row in rows)
    return [f"{stale} verdicts are stale: the case or its question is another by now."] if stale else []


def remarks(results: Sequence[Result], by: Sequence[str]) -> list[str]:
    """A sentence for all that a reader could mistake: undefined values, skew, missing labels."""
    return [sentence for result in results for sentence in _remarks_on(result, by)]


def _remarks_on(result: Result, by: Sequence[str]) -> list[str]:
    if result.kind == "mean of cells":
        return _remarks_on_mean(result, by)
    place, sentences = result.at(by), []
    reasons = {f"{symbol(key)} ({e.reason})" for key, e in result.coefficients.items() if e.reason}
    if reasons and result.ratings:
        sentences.append(f"{place}: undefined are {', '.join(sorted(reasons))}.")
    if result.skew:
        sentences.append(f"{place}: {result.skew}")
    if shares := _undefined_resamples(result):
        sentences.append(f"{place}: {shares}.")
    if result.missing:
        sentences.append(
            f"{place}: {result.missing} of {result.missing + result.ratings} labels are missing."
        )
    return sentences


def _remarks_on_mean(result: Result, by: Sequence[str]) -> list[str]:
    """Which means go without cells, for these are often the very cells on which all raters agree."""
    short = {
        key: mean for key, mean in result.coefficients.items() if mean.value is not None and mean.left_out
    }
    named = ", ".join(
        f"{symbol(key)} over {e.n} of {e.n + (e.left_out or 0)} cells" for key, e in short.items()
    )
    return [f"{result.at(by)}: mean {named}; the others have no value."] if short else []


def tie_remarks(results: Sequence[Result], by: Sequence[str]) -> list[str]:
    """A sentence for each cell with ties."""
    cells = [result for result in results if result.kind == "cell" and result.ties]
    return [f"{each.at(by)}: {each.ties} ties count as not passed by majority." for each in cells]


def _undefined_resamples(result: Result) -> str:
    """Which intervals leave out resamples, from one in a hundred on."""
    shares = {
        symbol(key): estimate.undefined_share
        for key, estimate in result.coefficients.items()
        if estimate.value is not None and (estimate.undefined_share or 0) >= 0.01
    }
    named = ", ".join(f"{share:.0%} for {name}" for name, share in shares.items())
    return f"resamples without a value, left out of the interval: {named}" if named else ""


def symbol(key: str) -> str:
    """The short name of a coefficient."""
    return KNOWN[key].symbol


def number(estimate: Estimate) -> str | None:
    """Two decimals without the leading zero, None where there is no value."""
    return None if estimate.value is None else short_number(estimate.value)


def with_interval(estimate: Estimate) -> str | None:
    """The value with its interval in brackets."""
    if estimate.value is None or estimate.interval is None:
        return number(estimate)
    ends = estimate.interval
    return f"{short_number(estimate.value)} [{short_number(ends.low)}, {short_number(ends.high)}]"


def p_value(p: float | None) -> str | None:
    """Three decimals, and "<.001" below them."""
    if p is None:
        return None
    return "<.001" if p < 0.0005 else short_number(p, 3)


def _ends(interval: Interval | None) -> str:
    return "" if interval is None else f"{short_number(interval.low)}–{short_number(interval.high)}"


def _place_heads(by: Sequence[str]) -> tuple[str, ...]:
    """A column a dimension; where there are many, one column for all of them."""
    return tuple(by) if len(by) <= _WIDEST_BY else (" · ".join(by),)


def _places(result: Result, by: Sequence[str]) -> list[Cell]:
    return [*_where(result, by)] if len(by) <= _WIDEST_BY else [result.at(by)]


def _where(result: Result, by: Sequence[str]) -> list[Cell]:
    return [result.where[dimension] for dimension in by]


def _head(result: Result, by: Sequence[str]) -> list[Cell]:
    places = _places(result, by) if by else []
    return [*places, ROW_NAMES[result.kind], result.items, result.raters, number(result.passing_share)]
