"""Columns of a file under other names than a format has: renamed, or the same value in each row."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from reviewer.core.errors import InputError, RequestError
from reviewer.core.sanitize import one_line, shown
from reviewer.core.suggestions import closest
from reviewer.protocols.formats import SourceRow, SourceRows
from store.records import JsonValue


@dataclass(frozen=True, slots=True)
class NamedColumn:
    """The name of a column in a format, and the column of the file that it is, or the value of each row."""

    name: str
    column: str
    is_value: bool


def named_columns(given: Sequence[str]) -> tuple[NamedColumn, ...]:
    """What OURS=THEIRS and OURS==VALUE mean; raises RequestError for another form, or a name given twice."""
    columns: dict[str, NamedColumn] = {}
    for text in given:
        name, sign, rest = text.partition("=")
        column = NamedColumn(name.strip(), rest.removeprefix("=").strip(), rest.startswith("="))
        if not (sign and column.name and column.column):
            raise RequestError(f"--column {one_line(text)!r} is not of the form OURS=THEIRS or OURS==VALUE.")
        if columns.setdefault(column.name, column) is not column:
            raise RequestError(f"--column names {shown(column.name)!r} twice; leave one of them out.")
    return tuple(columns.values())


def with_names(rows: SourceRows, columns: Sequence[NamedColumn]) -> SourceRows:
    """The rows with these columns under the names of a format."""

    def read() -> Iterator[SourceRow]:
        for row in rows.read():
            content = row.content
            yield (
                row
                if isinstance(content, InputError)
                else replace(row, content=_named(content, columns, row.where))
            )

    theirs = {column.column for column in columns if not column.is_value}
    kept = [name for name in rows.columns or () if name not in theirs]
    known = None if rows.columns is None else (*kept, *(column.name for column in columns))
    return replace(rows, columns=known, read=read)


def _named(
    row: Mapping[str, JsonValue], columns: Sequence[NamedColumn], where: str
) -> Mapping[str, JsonValue] | InputError:
    theirs = {column.column for column in columns if not column.is_value}
    named = {name: value for name, value in row.items() if name not in theirs}
    for column in columns:
        if not column.is_value and column.column not in row:
            wrong = f"has no column {shown(column.column)!r}"
            return InputError(where, wrong, closest(column.column, [*row], "name one of"))
        if column.name in named:
            wrong = f"has a column {shown(column.name)!r} already"
            return InputError(where, wrong, "leave it out of --column, or rename it in the file")
        named[column.name] = column.column if column.is_value else row[column.column]
    return named
