"""What the values of a file say of its cases: items of several lines, options, outputs, spans, entries.

Lines are of one item where each has the output of another system.
"""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from itertools import chain, product

from reviewer.core.errors import InputError
from reviewer.exchange.rows.column_survey import (
    GENERATOR,
    KEY,
    LONG,
    LONGEST_NAME,
    SCORE,
    SHOWN,
    ColumnSurvey,
    SurveyedColumn,
    is_content,
    is_read,
    may_be_compared,
    survey_columns,
)
from reviewer.exchange.rows.part_columns import (
    AlikeColumns,
    OptionColumns,
    SpanColumns,
    alike_columns,
    option_columns,
    span_columns,
)
from reviewer.protocols.declared.declaration import MOST_ENTRIES
from reviewer.protocols.declared.variant_lines import joined_by
from reviewer.protocols.formats import SourceRows
from store.records import JsonValue

_FEWEST, _MOST = 2, 9
_WHOLE = 0.8
"""The share of all lines, one for each item and variant, that a file has to have."""
_VARIANT = re.compile(r"(system|variant|version|candidate|engine)", re.IGNORECASE)
NO_OUTPUTS = re.compile(r"(annotator|rater|worker|coder|judge|turn|step|split|page|rank)", re.IGNORECASE)
"""Columns that tell lines of an item apart, but no outputs: people who answered, or parts of a text."""


@dataclass(frozen=True, slots=True)
class ItemLines:
    """The columns that say which lines are one item, and which of its variants a line is; and the outputs.

    ``outputs`` are the columns with other texts in each line of an item. ``lacking`` items have not all of
    the variants.
    """

    item: str
    variant: str
    outputs: tuple[str, ...]
    variants: tuple[str, ...]
    lacking: int

    def joined(self, rows: SourceRows) -> SourceRows:
        """The rows with one for each item; an item may lack a variant."""
        columns = {name: dict.fromkeys(self.variants, False) for name in self.outputs}
        return joined_by(rows, self.item, self.variant, columns)


def item_lines(rows: SourceRows, survey: ColumnSurvey) -> ItemLines | None:
    """The lines of items, if a repeated value and one of a few tell all rows apart, and texts differ."""
    able = [column for column in survey.columns.values() if survey.is_everywhere(column)]
    items = sorted(filter(_may_name_items, able), key=lambda column: not KEY.search(column.name))
    variants = sorted(filter(_may_name_variants, able), key=lambda column: not _names_systems(column))
    pairs = ((item, variant) for item, variant in product(items, variants) if item is not variant)
    found = (_lines_by(rows, survey, *pair) for pair in pairs if _are_as_many(survey, *pair))
    return next(filter(None, found), None)


def _may_name_items(column: SurveyedColumn) -> bool:
    return column.kind in ("text", "number") and column.distinct > 1 and "." not in column.name


def _may_name_variants(column: SurveyedColumn) -> bool:
    few = column.values is not None and _FEWEST <= len(column.values) <= _MOST
    named = column.kind == "text" or _names_systems(column)
    short = column.longest <= LONGEST_NAME and not SCORE.search(column.name)
    return few and named and short and not NO_OUTPUTS.search(column.name) and "." not in column.name


def _names_systems(column: SurveyedColumn) -> bool:
    return bool(GENERATOR.search(column.name) or _VARIANT.search(column.name))


def _are_as_many(survey: ColumnSurvey, item: SurveyedColumn, variant: SurveyedColumn) -> bool:
    """Whether there are about as many rows as items with all variants."""
    whole = item.distinct * variant.distinct
    return item.distinct < survey.rows and whole * _WHOLE <= survey.rows <= whole


def _lines_by(
    rows: SourceRows, survey: ColumnSurvey, item: SurveyedColumn, variant: SurveyedColumn
) -> ItemLines | None:
    """The lines of items by these two columns, if the texts of the file are of items and of variants."""
    others = (column for column in survey.columns.values() if column not in (item, variant))
    texts = [
        column
        for column in others
        if _may_be_output(survey, column) or (column.kind == "text" and is_content(column))
    ]
    firsts: dict[str, tuple[int, ...]] = {}
    lines: set[tuple[str, str]] = set()
    differing: dict[str, set[str]] = {column.name: set() for column in texts}
    for name, which, values in _values(rows, item.name, variant.name, [column.name for column in texts]):
        if (name, which) in lines:
            return None
        lines.add((name, which))
        first = firsts.setdefault(name, values)
        for column, value, known in zip(texts, values, first, strict=True):
            if value != known:
                differing[column.name].add(name)
    differ = (column for column in texts if 2 * len(differing[column.name]) > len(firsts))
    outputs = [column.name for column in differ if _may_be_output(survey, column)]
    of_items = [column for column in texts if not differing[column.name] and column.distinct > 1]
    if not outputs or not (KEY.search(item.name) or is_read(survey, item) or of_items):
        return None
    variants = tuple(sorted({which for _, which in lines}))
    counts = [sum((name, which) in lines for which in variants) for name in firsts]
    lacking = sum(count < len(variants) for count in counts)
    return ItemLines(item.name, variant.name, tuple(outputs), variants, lacking)


def _may_be_output(survey: ColumnSurvey, column: SurveyedColumn) -> bool:
    named = column.kind == "text" and SHOWN.search(column.name) and not SCORE.search(column.name)
    return "." not in column.name and bool(is_read(survey, column) or named)


def _values(
    rows: SourceRows, item: str, variant: str, texts: list[str]
) -> Iterator[tuple[str, str, tuple[int, ...]]]:
    for row in rows.read():
        if not isinstance(row.content, InputError):
            content = row.content
            hashed = tuple(hash(str(content.get(name))) for name in texts)
            yield _name(content.get(item)), _name(content.get(variant)), hashed


def _name(value: JsonValue) -> str:
    return str(value).strip()


_WIDEST_RATIO = 3.0
"""How much longer the texts of one output may be than those of another."""


@dataclass(frozen=True, slots=True)
class FileLayout:
    """What the parts of a case are; empty where the values do not say so.

    ``outputs`` are the columns of two to nine outputs of one case. ``entries`` is the column with a list for
    each of whose entries raters may be asked. ``beside`` are columns that hold something else of each output.
    """

    lines: ItemLines | None = None
    options: OptionColumns | None = None
    outputs: tuple[str, ...] = ()
    by_words: bool = False
    """Whether the outputs were found by a common part of the names of their columns alone."""
    spans: SpanColumns | None = None
    entries: str = ""
    beside: tuple[str, ...] = ()

    def of_columns(self, columns: Collection[str]) -> "FileLayout":
        """The parts that are in these columns."""
        return replace(
            self,
            options=self.options if self.options and {*self.options.columns} <= {*columns} else None,
            spans=self.spans if self.spans and self.spans.text in columns else None,
            entries=self.entries if self.entries in columns else "",
        )


NO_LAYOUT = FileLayout()


def surveyed_layout(rows: SourceRows, survey: ColumnSurvey) -> tuple[SourceRows, ColumnSurvey, FileLayout]:
    """The cases of a file, their columns, and their layout: lines of one item are joined into one row."""
    if lines := item_lines(rows, survey):
        joined = lines.joined(rows)
        return joined, survey_columns(joined), _of_lines(lines, survey)
    options = option_columns(rows, survey)
    alike = (
        None
        if options
        else next(filter(None, (_outputs(survey, able) for able in alike_columns(survey))), None)
    )
    spans = span_columns(rows, survey)
    layout = FileLayout(
        None,
        options,
        alike.names if alike else (),
        alike is not None and not alike.in_series,
        spans,
        _entries(survey, options),
    )
    return rows, survey, layout


def _of_lines(lines: ItemLines, survey: ColumnSurvey) -> FileLayout:
    longest = max(lines.outputs, key=lambda name: survey.columns[name].mean_length)
    by_variant = [[f"{name}.{variant}" for variant in lines.variants] for name in lines.outputs]
    outputs = tuple(f"{longest}.{variant}" for variant in lines.variants)
    beside = tuple(name for name in chain.from_iterable(by_variant) if name not in outputs)
    return FileLayout(lines, outputs=outputs, beside=beside)


def _outputs(survey: ColumnSurvey, alike: AlikeColumns) -> AlikeColumns | None:
    """The columns, if all hold texts that may be compared: of like length, if no series tells them apart."""
    columns = [survey.columns[name] for name in alike.names]
    if any(NO_OUTPUTS.search(name) for name in alike.names) or not all(map(may_be_compared, columns)):
        return None
    lengths = [column.mean_length for column in columns]
    are_parts = any(SHOWN.search(mark) or KEY.search(mark) for mark in alike.marks)
    are_alike = not are_parts and min(lengths) > LONG and max(lengths) < _WIDEST_RATIO * min(lengths)
    return alike if alike.in_series or are_alike else None


def _entries(survey: ColumnSurvey, options: OptionColumns | None) -> str:
    """The list whose entries are sentences, about each of which raters can be asked; "" if there is none."""
    taken = options.columns if options else ()
    able = (
        column for column in survey.columns.values() if column.kind == "list" and column.name not in taken
    )
    has_sentences = (
        column.name
        for column in able
        if 2 * column.sentences > column.present and column.entries <= MOST_ENTRIES
    )
    return next(has_sentences, "")
