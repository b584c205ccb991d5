"""The table of agreement for a terminal: intervals below their values, a few coefficients abreast."""

from collections.abc import Sequence
from itertools import takewhile

from reviewer.core.number_text import DIGITS, interval_text, number
from reviewer.core.table import Cell, Table
from reviewer.core.table_spec import Column
from reviewer.results.labels.agreement_results import AgreementResult
from reviewer.results.labels.coefficient_choice import KNOWN
from reviewer.results.tables.agreement_tables import agreement_in_terminal, by_scale

# A terminal of 100 columns has room for five coefficients with intervals beside two dimensions.
_ABREAST = 5
_Columns = Sequence[Column[AgreementResult]]


def agreement_tables(
    results: Sequence[AgreementResult], by: Sequence[str], digits: int = DIGITS
) -> list[Table]:
    """Tables for a terminal: each value with its interval below it, at most five coefficients in each.

    Every table begins and ends with the columns that have no interval. Answers of different kinds have
    tables of their own.
    """
    return [table for part in by_scale(results) for table in _part_tables(part, by, digits)]


def _part_tables(results: Sequence[AgreementResult], by: Sequence[str], digits: int) -> list[Table]:
    columns = agreement_in_terminal(by, results).visible
    first = [*takewhile(lambda column: not column.interval, columns)]
    wide = [column for column in columns if column.interval]
    last = [column for column in columns[len(first) :] if not column.interval]
    parts = [wide[start : start + _ABREAST] for start in range(0, len(wide), _ABREAST)] or [[]]
    return [_terminal_table(results, [*first, *part, *last], digits) for part in parts]


def _terminal_table(results: Sequence[AgreementResult], columns: _Columns, digits: int) -> Table:
    rows: list[list[Cell]] = []
    for result in results:
        rows.append([_value(column, result, digits) for column in columns])
        ends = _ends(columns, result, digits)
        if any(ends):
            rows.append(ends)
    return Table.of([column.short or column.head or "" for column in columns], rows)


def _value(column: Column[AgreementResult], result: AgreementResult, digits: int) -> Cell:
    if column.interval and column.estimate:
        return number(column.estimate(result), digits)
    return column.shown(result, digits)


def _ends(columns: _Columns, result: AgreementResult, digits: int) -> list[Cell]:
    """The intervals of a row, empty for a column or a value without one.

    The first value that has too few cases for an interval says so for the others too.
    """
    ends: list[Cell] = []
    for column in columns:
        estimate = column.estimate(result) if column.interval and column.estimate else None
        text = interval_text(estimate, digits, "–") if estimate else ""
        ends.append("" if estimate and estimate.too_few and text in ends else text)
    return ends


def symbol(key: str) -> str:
    """The short name of a coefficient."""
    return KNOWN[key].symbol
