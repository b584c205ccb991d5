"""The guard against formulas: put on cells that a spreadsheet would run, and taken off where a file names it.

Spreadsheets treat a text that begins with a certain sign as a formula. Our CSV exports put an apostrophe
before such a text and name its column in the column ``guarded`` of the row. Only there the apostrophe is
taken off again: in all other files it is part of a text, as in ``'-v' is a flag``.
"""

import json
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from reviewer.core.sanitize import agreeing, counted

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
