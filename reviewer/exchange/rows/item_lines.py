"""Lines of a file that are of one item, each with the output of another system, found by their values."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from reviewer.core.errors import InputError
from reviewer.exchange.rows.column_survey import ColumnSurvey, SurveyedColumn
from reviewer.exchange.rows.text_columns import (
    GENERATOR,
    KEY,
    LONGEST_NAME,
    SCORE,
    SHOWN,
    is_content,
    is_read,
)
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
    texts = [column for column in others if _may_be_output(survey, column) or _may_be_of_item(column)]
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


def _may_be_of_item(column: SurveyedColumn) -> bool:
    """Whether a column may hold a text that all lines of an item have."""
    return column.kind == "text" and is_content(column)


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
