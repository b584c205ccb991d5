"""Which column of a file holds spans of a text, as objects or lists with a start, an end and a label."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from reviewer.core.errors import InputError
from reviewer.core.spans import RESERVED
from reviewer.core.strict_json import parse
from reviewer.exchange.rows.column_survey import ColumnSurvey
from reviewer.protocols.declared.mapping import value_at
from reviewer.protocols.formats import SourceRows
from store.records import JsonValue

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
