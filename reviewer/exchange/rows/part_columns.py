"""Which columns of a file hold the parts of a case: options, outputs, or spans of a text."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from reviewer.core.errors import InputError
from reviewer.core.spans import RESERVED
from reviewer.core.strict_json import parse
from reviewer.exchange.rows.column_survey import ColumnSurvey, SurveyedColumn
from reviewer.protocols.declared.declaration import PointsBy
from reviewer.protocols.declared.mapping import value_at
from reviewer.protocols.declared.row_values import (
    LETTERS,
    option_names,
    pointed_at,
    value_of_cell,
    value_of_type,
)
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
    """The columns of options, the most that a row has, and the column that points to the right one, and how.

    One column is a list of options; several hold an option each. ``stands_for`` is then the letter of each
    value that points, and empty if values are texts of options. ``unsure``: places could be counted from 0
    and from 1.
    """

    columns: tuple[str, ...]
    most: int
    right: str
    by: PointsBy
    counts_from: int
    unsure: bool
    stands_for: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_list(self) -> bool:
        """Whether one column has all options."""
        return len(self.columns) == 1

    @property
    def names(self) -> str:
        """The column beside that of the texts that names the options, as a label each."""
        return f"{self.columns[0].rpartition('.')[0]}.label" if self.is_list else ""

    @property
    def letters(self) -> tuple[str, ...]:
        """The letters of the options."""
        return LETTERS[: self.most]


def option_columns(rows: SourceRows, survey: ColumnSurvey) -> OptionColumns | None:
    """The options of a file, if a column points in every row into a list or into columns of one stem.

    Columns with the usual names come first. Values of others have to be letters or texts of options.
    """
    able = [column for column in survey.columns.values() if _may_point(survey, column)]
    rights = sorted(able, key=lambda column: not _RIGHT.search(column.name))
    found = (way for right in rights for way in _pointing(rows, survey, right.name))
    return next(found, None)


def _may_point(survey: ColumnSurvey, column: SurveyedColumn) -> bool:
    if _RIGHT.search(column.name):
        return column.kind in ("text", "number")
    return column.kind == "text" and survey.is_everywhere(column) and not survey.is_unique(column)


def _pointing(rows: SourceRows, survey: ColumnSurvey, right: str) -> Iterator[OptionColumns]:
    is_named = _RIGHT.search(right) is not None
    lists = [column.name for column in survey.columns.values() if column.kind == "list"]
    for options in sorted(lists, key=lambda name: not _OPTIONS.search(name)):
        listed = [*_rows_with(rows, options, right)]
        yield from _by_ways(listed, (options,), right, any_way=is_named and bool(_OPTIONS.search(options)))
    for alike in alike_columns(survey):
        if right not in alike.names and alike.in_series:
            apart = [*_rows_apart(rows, alike.names, alike.marks, right)]
            yield from _by_ways(apart, alike.names, right, any_way=is_named)


def _rows_with(rows: SourceRows, options: str, right: str) -> Iterator[_Row]:
    read = value_of_type if rows.typed else value_of_cell
    for content, value in _pointers(rows, right):
        yield *_listed(content, options, read), value


def _rows_apart(rows: SourceRows, columns: Sequence[str], marks: Sequence[str], right: str) -> Iterator[_Row]:
    """Rows with an option in each column, which its mark names."""
    for content, value in _pointers(rows, right):
        names = columns if value in columns else marks
        yield [str(value_at(content, column)) for column in columns], [*names], value


def _pointers(rows: SourceRows, right: str) -> Iterator[tuple[Mapping[str, JsonValue], JsonValue]]:
    for number, row in enumerate(rows.read()):
        if number == _MOST_ROWS or isinstance(row.content, InputError):
            return
        value = value_at(row.content, right)
        if isinstance(value, str | int | float) and value != "":
            yield row.content, value


def _listed(row: Mapping[str, JsonValue], options: str, read: object) -> tuple[list[str], list[str]]:
    raw = value_at(row, options)
    try:
        texts = read(raw, "list") if callable(read) else []
    except ValueError:
        return [], []
    beside = value_at(row, f"{options.rpartition('.')[0]}.label") if "." in options else None
    return [str(text) for text in texts], option_names(raw, beside)


def _by_ways(
    rows: list[_Row], columns: tuple[str, ...], right: str, *, any_way: bool
) -> Iterator[OptionColumns]:
    """How the values point, if they do in all rows."""
    most = max((len(texts) for texts, _, _ in rows), default=0)
    if not 2 <= most <= len(LETTERS):
        return
    ways = [way for way in _WAYS if any_way or way[0] != "place"]
    fitting = [way for way in ways if all(_place(row, way) is not None for row in rows)]
    if all(isinstance(value, int) for _, _, value in rows):
        fitting.sort(key=lambda way: way[0] != "place")
    if fitting:
        (by, counts_from), *_ = fitting
        unsure = by == "place" and {("place", 0), ("place", 1)} <= {*fitting}
        letters = {} if len(columns) == 1 or by == "text" else _letters(rows, fitting[0])
        yield OptionColumns(columns, most, right, by, counts_from, unsure, letters)


def _letters(rows: list[_Row], way: tuple[PointsBy, int]) -> dict[str, str]:
    """The letter of each value that points."""
    return {str(row[2]): LETTERS[place] for row in rows if (place := _place(row, way)) is not None}


def _place(row: _Row, way: tuple[PointsBy, int]) -> int | None:
    texts, names, value = row
    return pointed_at(value, way[0], texts, names, way[1])


_FEWEST, _MOST = 3, 9
_SERIES = ("abcdefghi", "ABCDEFGHI", "123456789", "012345678", "甲乙丙丁戊己庚辛壬", "①②③④⑤⑥⑦⑧⑨")
_MARKED = re.compile(rf"(.*?)([_.\s-]*)([{''.join(dict.fromkeys(''.join(_SERIES)))}])", re.DOTALL)
_BEFORE = re.compile(r"([A-Ia-i1-9])[_.\s-](.+)", re.DOTALL)
_PARTS = re.compile(r"[_.\s-]+")


@dataclass(frozen=True, slots=True)
class AlikeColumns:
    """Three to nine columns of one stem, and the mark of each; whether these are a series (1, 2, 3)."""

    names: tuple[str, ...]
    marks: tuple[str, ...]
    in_series: bool


def alike_columns(survey: ColumnSurvey) -> Iterator[AlikeColumns]:
    """All sets of columns with a common stem that every row has; those in series come first."""
    able = [
        column.name
        for column in survey.columns.values()
        if survey.is_everywhere(column) and column.kind in ("text", "number")
    ]
    yield from _in_series(able)
    yield from _with_other_part(able)


def _in_series(names: list[str]) -> Iterator[AlikeColumns]:
    stems: dict[str, dict[str, str]] = defaultdict(dict)
    for name in names:
        if marked := _MARKED.fullmatch(name):
            stem, between, mark = marked.groups()
            if not (mark.isascii() and mark.islower() and not between and stem[-1:].isascii() and stem):
                stems[f"{stem}{between}"][mark] = name
        if before := _BEFORE.fullmatch(name):
            stems[f" {before[2]}"][before[1]] = name
    for marked_names in stems.values():
        for series in _SERIES:
            marks = [mark for mark in marked_names if mark in series]
            if _FEWEST <= len(marks) <= _MOST and {*marks} == {*series[: len(marks)]}:
                marks.sort(key=series.index)
                yield AlikeColumns(tuple(marked_names[mark] for mark in marks), tuple(marks), True)


def _with_other_part(names: list[str]) -> Iterator[AlikeColumns]:
    """Columns whose names are the same but for one part: atlas_output, boreal_output, cumulus_output."""
    stems: dict[tuple[str, ...], dict[str, str]] = defaultdict(dict)
    for name in names:
        parts = _PARTS.split(name)
        for place, part in enumerate(parts):
            if len(parts) > 1 and part:
                stems[(*parts[:place], "", *parts[place + 1 :])][part] = name
    for others in stems.values():
        if _FEWEST <= len(others) <= _MOST:
            yield AlikeColumns(tuple(others.values()), tuple(others), False)


_STARTS = ("start", "begin", "start_offset", "startOffset", "start_char", "from")
_ENDS = ("end", "stop", "end_offset", "endOffset", "end_char", "to")
_LABELS = ("label", "labels", "type", "category", "tag", "entity", "entity_type", "value")
_MOST_LABELS = 30
_NO_LABEL = "marked"

_Span = tuple[int, int, str]


@dataclass(frozen=True, slots=True)
class SpanColumns:
    """The column of spans, the column of the text that they are of, and their labels."""

    spans: str
    text: str
    labels: tuple[str, ...]


def span_columns(rows: SourceRows, survey: ColumnSurvey) -> SpanColumns | None:
    """The spans of a file, if all lists of a column hold spans that fit into a text."""
    texts = [column for column in survey.columns.values() if column.kind == "text" and column.present]
    texts.sort(key=lambda column: -column.mean_length)
    for column in survey.columns.values():
        if column.kind in (None, "text") and column.samples and column.samples[0].lstrip().startswith("["):
            found = _spans_of(rows, column.name, [text.name for text in texts if text is not column])
            if found:
                return found
    return None


def _spans_of(rows: SourceRows, column: str, texts: list[str]) -> SpanColumns | None:
    fitting, labels = [*texts], set[str]()
    for row in rows.read():
        if isinstance(row.content, InputError):
            continue
        try:
            spans = [*_spans_in(value_at(row.content, column))]
        except ValueError:
            return None
        labels |= {label for _, _, label in spans}
        last = max((end for _, end, _ in spans), default=0)
        fitting = [text for text in fitting if last <= len(str(value_at(row.content, text)))]
    told = tuple(sorted(label for label in labels if label and not {*label} & {*RESERVED}))
    if not labels or not fitting or len(told) > _MOST_LABELS:
        return None
    return SpanColumns(column, fitting[0], told or (_NO_LABEL,))


def _spans_in(value: JsonValue) -> Iterator[_Span]:
    """The spans of one row; raises ValueError if a value is none."""
    if isinstance(value, str) and value.strip():
        try:
            value = parse(value, "")
        except InputError as error:
            raise ValueError(error.wrong) from None
    for span in value if isinstance(value, list) else ():
        yield _span(span)


def _span(value: JsonValue) -> _Span:
    match value:
        case [int(start), int(end), *rest] if len(rest) < 2:
            label: JsonValue = rest[0] if rest else ""
        case Mapping():
            start, end, label = (_first(value, names) for names in (_STARTS, _ENDS, _LABELS))
        case _:
            raise ValueError("is not a span")
    if isinstance(label, list):
        label = label[0] if label else ""
    if type(start) is not int or type(end) is not int or not 0 <= start <= end:
        raise ValueError("is not a span")
    return start, end, str(label or "").strip()


def _first(value: Mapping[str, JsonValue], names: tuple[str, ...]) -> JsonValue:
    return next((value[name] for name in names if value.get(name) is not None), None)
