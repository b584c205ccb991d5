"""Which column of a file holds the options of a question, and which one points to the right option."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from reviewer.core.errors import InputError
from reviewer.exchange.rows.column_survey import ColumnSurvey
from reviewer.protocols.declared.declaration import PointsBy
from reviewer.protocols.declared.mapping import value_at
from reviewer.protocols.declared.options import LETTERS, option_names, pointed_at
from reviewer.protocols.declared.row_values import value_of_cell, value_of_type
from reviewer.protocols.formats import SourceRows
from store.records import JsonValue

_OPTIONS = re.compile(r"(choices?|options?|candidates|alternatives|endings|answers)(\.text)?$", re.IGNORECASE)
_RIGHT = re.compile(
    r"(^|[_.\s])(answer|answer_?key|answer_?idx|gold|correct\w*|label|target|key|solution|right\w*|ground_truth)$",
    re.IGNORECASE,
)
_MOST_ROWS = 5_000
_WAYS: tuple[tuple[PointsBy, int], ...] = (
    *(("name", 0), ("letter", 0), ("text", 0), ("place", 0), ("place", 1)),
)
_Row = tuple[list[str], list[str], JsonValue]
"""The texts of the options, their names, and the value that points."""


@dataclass(frozen=True, slots=True)
class OptionColumns:
    """The column of options, the most that a row has, and the column that points to the right one, and how.

    ``unsure``: places could be counted from 0 and from 1.
    """

    options: str
    most: int
    right: str
    by: PointsBy
    counts_from: int
    unsure: bool

    @property
    def names(self) -> str:
        """The column beside that of the texts that names the options, as a label each."""
        return f"{self.options.rpartition('.')[0]}.label"

    @property
    def letters(self) -> tuple[str, ...]:
        """The letters of the options."""
        return LETTERS[: self.most]


def option_columns(rows: SourceRows, survey: ColumnSurvey) -> OptionColumns | None:
    """The options of a file, if a list is named like options and a column points into it in every row."""
    columns = survey.columns.values()
    lists = [column.name for column in columns if column.kind == "list" and _OPTIONS.search(column.name)]
    rights = [c.name for c in columns if c.kind in ("text", "number") and _RIGHT.search(c.name)]
    pairs = ((options, right) for options in lists for right in rights)
    found = (_pointing([*_rows_with(rows, *pair)], *pair) for pair in pairs)
    return next(filter(None, found), None)


def _rows_with(rows: SourceRows, options: str, right: str) -> Iterator[_Row]:
    read = value_of_type if rows.typed else value_of_cell
    for number, row in enumerate(rows.read()):
        if number == _MOST_ROWS or isinstance(row.content, InputError):
            return
        value = value_at(row.content, right)
        if isinstance(value, str | int | float) and value != "":
            yield *_listed(row.content, options, read), value


def _listed(row: Mapping[str, JsonValue], options: str, read: object) -> tuple[list[str], list[str]]:
    raw = value_at(row, options)
    try:
        texts = read(raw, "list") if callable(read) else []
    except ValueError:
        return [], []
    beside = value_at(row, f"{options.rpartition('.')[0]}.label") if "." in options else None
    return [str(text) for text in texts], option_names(raw, beside)


def _pointing(rows: list[_Row], options: str, right: str) -> OptionColumns | None:
    most = max((len(texts) for texts, _, _ in rows), default=0)
    if not 2 <= most <= len(LETTERS):
        return None
    fitting = [way for way in _WAYS if all(_fits(row, way) for row in rows)]
    if all(isinstance(value, int) for _, _, value in rows):
        fitting.sort(key=lambda way: way[0] != "place")
    if not fitting:
        return None
    (by, counts_from), *_ = fitting
    unsure = by == "place" and {("place", 0), ("place", 1)} <= {*fitting}
    return OptionColumns(options, most, right, by, counts_from, unsure)


def _fits(row: _Row, way: tuple[PointsBy, int]) -> bool:
    texts, names, value = row
    return pointed_at(value, way[0], texts, names, way[1]) is not None
