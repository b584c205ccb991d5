"""What the values of a file say of its cases: items of several lines, options, outputs, spans, entries."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from itertools import chain

from reviewer.exchange.rows.column_survey import ColumnSurvey, SurveyedColumn, survey_columns
from reviewer.exchange.rows.item_lines import NO_OUTPUTS, ItemLines, item_lines
from reviewer.exchange.rows.option_columns import OptionColumns, option_columns
from reviewer.exchange.rows.output_columns import AlikeColumns, alike_columns
from reviewer.exchange.rows.span_columns import SpanColumns, span_columns
from reviewer.exchange.rows.text_columns import KEY, LONG, SHOWN, may_be_compared
from reviewer.protocols.declared.declaration import MOST_ENTRIES
from reviewer.protocols.formats import SourceRows

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
    able = (column for column in survey.columns.values() if column.name not in taken)
    return next((column.name for column in able if _has_sentences(column)), "")


def _has_sentences(column: SurveyedColumn) -> bool:
    return column.kind == "list" and 2 * column.sentences > column.present and column.entries <= MOST_ENTRIES
