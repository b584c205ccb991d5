"""CSV text: the one writer of every CSV file and table, and the guard against formulas.

Spreadsheets run formulas, and terminals obey control characters. So a text cell that could be a formula gets
an apostrophe in front, and its column is named in the column ``guarded`` of the row. Only there the
apostrophe is taken off again: in all other files it is part of a text, as in ``'-v' is a flag``. Control
characters become visible signs. Numbers are never changed. JSON Lines holds the same values exactly.
"""

import csv
import io
import json
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from reviewer.core.sanitize import agreeing, counted, without_controls

_NAME = "guarded"
# Full-width signs, as on Japanese or Chinese keyboards, begin formulas too. Blanks before them are skipped.
_FORMULA = re.compile(r"[\s']*[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]")
# Some settings split at semicolons or tabs. Then quotes do not protect a text, and its line ends count.
# The item of a list, "- Option A", is not a formula.
_INNER = r"[ '\"]*(?:[=@\uff1d\uff20]|[+\-\uff0b\uff0d](?=\S))"
_INNER_FORMULA = re.compile(rf"(?<=[;\t\r\n])(?={_INNER})")
_INNER_GUARD = re.compile(rf"(?<=[;\t\r\n])'(?={_INNER})")
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")


def guarded(text: str) -> str:
    """The text with an apostrophe before everything that a spreadsheet would treat as a formula."""
    text = _INNER_FORMULA.sub("'", text)
    return f"'{text}" if _is_formula(text) else text


def unguarded(text: str) -> str:
    """The text of a guarded cell without the apostrophes that ``guarded`` added."""
    return _INNER_GUARD.sub("", text[1:] if _may_be_guarded(text) else text)


def _is_formula(text: str) -> bool:
    # Guarded texts count too. Otherwise a reader could not tell a guard from an apostrophe of the text.
    return _FORMULA.match(text) is not None and _NUMBER.fullmatch(text) is None


def _may_be_guarded(text: str) -> bool:
    return text.startswith("'") and _is_formula(text[1:])


def guard_column(columns: Collection[str]) -> str:
    """A name for the column that names the guarded columns of a row, which no other column has."""
    name = _NAME
    while name in columns:
        name = f"reviewer_{name}"
    return name


def named_columns(columns: Iterable[str]) -> str:
    """The cell that names the guarded columns of a row; "" for none."""
    names = list(columns)
    return json.dumps(names, ensure_ascii=False) if names else ""


@dataclass(slots=True)
class FileGuards:
    """The guards of one file: which of its columns names them, and the cells without them.

    ``kept`` counts the cells that begin with an apostrophe before a sign in a file that names no guards.
    """

    columns: tuple[str, ...]
    at: int | None
    kept: int = 0

    @classmethod
    def of(cls, head: Sequence[str], records: Iterable[Sequence[str]]) -> "FileGuards":
        """The guards of a file with this head, which names guards only if all its records fit that."""
        names = [name for name in head if re.fullmatch(rf"(?:reviewer_)*{_NAME}", name)]
        name = max(names, key=len, default="")
        if not name:
            return cls(tuple(head), None)
        at = head.index(name)
        columns = tuple(unguarded(other) for other in (*head[:at], *head[at + 1 :]))
        fits = all(_names(cells[at], columns) is not None for cells in records if len(cells) == len(head))
        return cls(columns, at) if fits else cls(tuple(head), None)

    def without(self, cells: Sequence[str]) -> list[str]:
        """The cells of a record by ``columns``, each as it was before it was guarded."""
        if self.at is None:
            self.kept += sum(map(_may_be_guarded, cells))
            return list(cells)
        names = _names(cells[self.at], self.columns) or ()
        others = [*cells[: self.at], *cells[self.at + 1 :]]
        return [
            unguarded(cell) if name in names else cell
            for name, cell in zip(self.columns, others, strict=True)
        ]

    @property
    def notice(self) -> str | None:
        """A notice on the apostrophes that were kept, None for none."""
        if not self.kept:
            return None
        begin, were = agreeing(self.kept, "begins", "begin"), agreeing(self.kept, "was", "were")
        cells = counted(self.kept, "cell")
        return (
            f"{cells} {begin} with an apostrophe before a sign such as = or -, and {were} kept as in the file"
        )


def _names(cell: str, columns: Collection[str]) -> tuple[str, ...] | None:
    """The columns that a cell names as guarded; None if it is not such a cell."""
    if not cell.strip():
        return ()
    try:
        names = json.loads(cell)
    except (ValueError, RecursionError):
        return None
    if not isinstance(names, list) or not all(isinstance(name, str) and name in columns for name in names):
        return None
    return tuple(names)


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
