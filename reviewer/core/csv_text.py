"""CSV text: the one writer of every CSV file and table.

Spreadsheets run formulas, and terminals obey control characters. So a text cell that could be a formula gets
an apostrophe in front (see ``formula_guard``), and control characters become visible signs. Numbers are never
changed. JSON Lines holds the same values exactly.
"""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence

from reviewer.core.formula_guard import guard_column, guarded, named_columns
from reviewer.core.sanitize import without_controls

Cell = str | int | float | bool | None


def csv_lines(columns: Sequence[str], rows: Iterable[Sequence[Cell]], separator: str = ",") -> Iterator[str]:
    """The lines of a table with their ends; None is an empty field.

    A column at the end names the guarded columns of each row. A table without any guard has no such column,
    unless its rows come as a stream: its first line is written before its texts are known.
    """
    if isinstance(rows, Sequence):
        texts = (cell for row in (columns, *rows) for cell in row if isinstance(cell, str))
        if all(guarded(text) == text for text in texts):
            yield from map(_line, (columns, *rows), [separator] * (1 + len(rows)))
            return
    yield _line([*map(guarded, columns), guard_column(columns)], separator)
    for row in rows:
        cells = _guarded_cells(row)
        names = [name for name, cell, safe in zip(columns, row, cells, strict=True) if safe != cell]
        yield _line([*cells, named_columns(names)], separator)


def sheet_text(rows: Iterable[Sequence[Cell]]) -> str:
    """A spreadsheet for raters, in the layout of a benchmark: guarded, and known by its digests."""
    return "".join(_line(_guarded_cells(row)) for row in rows)


def exact_csv(rows: Iterable[Sequence[Cell]], separator: str = ",") -> str:
    """A file for scripts of other people, which know nothing of guards: every text as it is."""
    return "".join(_written(row, separator) for row in rows)


def _guarded_cells(row: Sequence[Cell]) -> list[Cell]:
    return [guarded(cell) if isinstance(cell, str) else cell for cell in row]


def _line(cells: Sequence[Cell], separator: str = ",") -> str:
    return _written([without_controls(cell) if isinstance(cell, str) else cell for cell in cells], separator)


def _written(cells: Sequence[Cell], separator: str) -> str:
    # The writer quotes what its line end holds: with CRLF, a lone CR in a cell is quoted on every Python.
    text = io.StringIO()
    csv.writer(text, lineterminator="\r\n", delimiter=separator).writerow(cells)
    return text.getvalue().removesuffix("\r\n") + "\n"
