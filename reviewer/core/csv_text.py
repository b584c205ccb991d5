"""CSV text: the one writer of every CSV file and table, and the function that readers undo its guards with.

Spreadsheets treat a text that begins with a certain sign as a formula, and terminals obey control characters.
So a text cell that could be a formula gets an apostrophe in front, which readers remove, and control
characters become visible signs. Numbers are never changed. JSON Lines holds the same values exactly.
"""

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence

from reviewer.core.sanitize import without_controls

Cell = str | int | float | bool | None

# Full-width signs, as on Japanese or Chinese keyboards, begin formulas too. Blanks before them are skipped.
_FORMULA = re.compile(r"[\s']*[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]")
# Some settings split at semicolons or tabs. Then quotes do not protect a text, and its line ends count.
# The item of a list, "- Option A", is not a formula.
_INNER = r"[ '\"]*(?:[=@\uff1d\uff20]|[+\-\uff0b\uff0d](?=\S))"
_INNER_FORMULA = re.compile(rf"(?<=[;\t\r\n])(?={_INNER})")
_INNER_GUARD = re.compile(rf"(?<=[;\t\r\n])'(?={_INNER})")
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")


def csv_text(rows: Iterable[Sequence[Cell]], separator: str = ",") -> str:
    """RFC 4180 text of rows, header included, with LF line ends; None is an empty field."""
    return "".join(csv_lines(rows, separator))


def csv_lines(rows: Iterable[Sequence[Cell]], separator: str = ",") -> Iterator[str]:
    """The lines of ``csv_text``, with their ends."""
    return (_line(row, separator) for row in rows)


def guarded(text: str) -> str:
    """The text with an apostrophe before everything that a spreadsheet would treat as a formula."""
    text = _INNER_FORMULA.sub("'", text)
    return f"'{text}" if _is_formula(text) else text


def unguarded(text: str) -> str:
    """The text of a cell without the apostrophes that ``guarded`` added."""
    return _INNER_GUARD.sub("", text[1:] if text.startswith("'") and _is_formula(text[1:]) else text)


def _is_formula(text: str) -> bool:
    # Guarded texts count too. Otherwise a reader could not tell a guard from an apostrophe of the text.
    return _FORMULA.match(text) is not None and _NUMBER.fullmatch(text) is None


def _line(cells: Sequence[Cell], separator: str) -> str:
    # The writer quotes what its line end holds: with CRLF, a lone CR in a cell is quoted on every Python.
    text = io.StringIO()
    safe = [without_controls(guarded(cell)) if isinstance(cell, str) else cell for cell in cells]
    csv.writer(text, lineterminator="\r\n", delimiter=separator).writerow(safe)
    return text.getvalue().removesuffix("\r\n") + "\n"
