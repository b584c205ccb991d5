"""Columns of texts that belong together by their names, such as output_1, output_2 and output_3."""

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from reviewer.exchange.rows.column_survey import ColumnSurvey, SurveyedColumn

_FEWEST, _MOST = 3, 9
_SERIES = ("abcdefghi", "ABCDEFGHI", "123456789", "012345678", "甲乙丙丁戊己庚辛壬", "①②③④⑤⑥⑦⑧⑨")
_MARKED = re.compile(rf"(.*?)([_.\s-]*)([{''.join(dict.fromkeys(''.join(_SERIES)))}])", re.DOTALL)
_BEFORE = re.compile(r"([A-Ia-i1-9])[_.\s-](.+)", re.DOTALL)
_PARTS = re.compile(r"[_.\s-]+")


@dataclass(frozen=True, slots=True)
class AlikeColumns:
    """Three to nine columns of one stem, and what tells each apart; whether these are a series (1, 2, 3)."""

    names: tuple[str, ...]
    marks: tuple[str, ...]
    in_series: bool


def alike_columns(survey: ColumnSurvey) -> Iterator[AlikeColumns]:
    """All sets of columns with a common stem that every row has; those in series come first."""
    able = [column.name for column in survey.columns.values() if _may_belong(survey, column)]
    yield from _in_series(able)
    yield from _with_other_part(able)


def _may_belong(survey: ColumnSurvey, column: SurveyedColumn) -> bool:
    return survey.is_everywhere(column) and column.kind in ("text", "number")


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
