"""The published table of scripts: a row for each script, with its bias and its text in Markdown."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Final

from reviewer.core.errors import InputError, RequestError
from reviewer.core.sanitize import shown
from reviewer.protocols.formats import (
    ReadCase,
    RowsFormat,
    Source,
    SourceRow,
    SourceRows,
    StoredCase,
)
from reviewer.protocols.intake import (
    UNSTATED_GENERATOR,
    checked_columns,
    known_group,
    origin_of,
    text_of_cell,
    valid_case,
)
from reviewer.protocols.staged_dialogues.biases import bias_named
from reviewer.protocols.staged_dialogues.script_markdown import read_markdown
from store.records import JsonValue

if TYPE_CHECKING:
    from reviewer.protocols.base import Protocol

_BIAS: Final = "Bias Name"
_SCRIPT: Final = "Script"
_ROW: Final = "row"
OTHER_TEXT: Final = "other_text"
PLACES: Final = "lines"
"""What is kept beside a script of the published form: texts outside its sections, and lines of its pieces."""


class PublishedScripts(RowsFormat):
    """The published table: a row for each script, with its bias and its text in Markdown."""

    name = "the published table of scripts (CSV)"
    endings = (".csv", ".tsv")

    def reader(
        self, rows: SourceRows, protocol: "Protocol", source: Source
    ) -> Callable[[SourceRow], ReadCase]:
        """Rows with a bias and a script."""
        return lambda row: _case_of(row, protocol, source, rows.notice)

    def is_record(self, raw: JsonValue) -> bool:
        """An object with the column of a script."""
        return isinstance(raw, dict) and _SCRIPT in raw

    def write(self, cases: Iterable[StoredCase], protocol: "Protocol") -> Iterator[Mapping[str, JsonValue]]:
        """The row of each case as it was imported; raises RequestError for a case from elsewhere."""
        for stored in cases:
            if not isinstance(stored.raw, dict):
                raise RequestError(
                    f"case {shown(stored.place.key)!r} is not from the published table, which is only read; "
                    "give a file whose name ends in .toml or .jsonl."
                )
            yield stored.raw


def _case_of(
    row: SourceRow, protocol: "Protocol", source: Source, notice: Callable[[str], object]
) -> ReadCase:
    content, where = checked_columns(row), row.where
    if missing := [name for name in (_BIAS, _SCRIPT) if name not in content]:
        remedy = source.or_name_protocol("add it, or name the column that holds it with --column")
        raise InputError(where, f"has no column {missing[0]!r}", remedy)
    bias, text = (text_of_cell(content[name], f"{where}, column {name!r}") for name in (_BIAS, _SCRIPT))
    read = read_markdown(text, where)
    group = known_group(protocol, bias.strip(), where)
    if (known := bias_named(group)) and known.name != group:
        notice(f"{source.shown}: the bias {shown(group)!r} is named {known.name!r} here")
        group = known.name
    extra = {name: value for name, value in content.items() if name not in (_BIAS, _SCRIPT) and value}
    if other := [text.splitlines()[number - 1] for number in read.ignored]:
        extra[OTHER_TEXT] = list(other)
    generator = source.generator or UNSTATED_GENERATOR
    return ReadCase(
        case=valid_case(protocol, group, read.payload, where),
        key=f"{group}/{content.get(_ROW) or row.number}",
        position=row.number - 1,
        generator=generator,
        origin=origin_of(generator),
        extra={PLACES: dict(read.places), **extra},
        raw=content,
    )
