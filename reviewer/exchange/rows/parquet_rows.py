"""Rows of Parquet files, read and written in batches. pyarrow is loaded here and when a file needs it."""

import io
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime, time
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

from reviewer.core.errors import InputError, RequestError
from reviewer.core.sanitize import one_line, shown
from reviewer.exchange.rows.row_text import FROM_HERE
from reviewer.exchange.rows.source_file import shown_path
from reviewer.protocols.formats import SourceRow, SourceRows
from store.records import JsonValue

PARQUET_MARK = b"PAR1"
_BATCH = 200
_NO_PYARROW = "Parquet files need pyarrow; install it with: pip install 'dilemma-reviewer[parquet]'."


def parquet_rows(path: Path, where: str) -> SourceRows:
    """The rows of a Parquet file. Columns of bytes, which nobody can read, are left out with a notice."""
    schema = _opened(path).schema_arrow
    twice = [name for name, count in Counter(schema.names).items() if count > 1]
    if twice:
        raise InputError(where, f"has two columns {shown(twice[0])!r}", "rename one of the two")
    kept = tuple(field.name for field in schema if not _holds_bytes(field.type))
    notices = tuple(
        f"{where}: column {shown(name)!r} holds bytes, not text, and is left out"
        for name in schema.names
        if name not in kept
    )
    return SourceRows(where, kept, True, notices, partial(_rows, path, where, kept))


def _opened(path: Path) -> Any:
    try:
        import pyarrow
        import pyarrow.parquet
    except ModuleNotFoundError as error:
        raise RequestError(_NO_PYARROW) from error
    try:
        return pyarrow.parquet.ParquetFile(path)
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        wrong = f"is not a Parquet file that can be read ({one_line(str(error), 80)})"
        raise InputError(shown_path(path), wrong, "check that it is the right file and complete") from error


def _holds_bytes(kind: Any) -> bool:
    import pyarrow.types as types

    if types.is_binary(kind) or types.is_large_binary(kind) or types.is_fixed_size_binary(kind):
        return True
    return any(_holds_bytes(kind.field(number).type) for number in range(kind.num_fields))


def _rows(path: Path, where: str, columns: Sequence[str]) -> Iterator[SourceRow]:
    import pyarrow

    count = 0
    with _opened(path) as file:
        batches = file.iter_batches(batch_size=_BATCH, columns=list(columns))
        while True:
            try:
                batch = next(batches, None)
                values = [] if batch is None else batch.to_pylist()
            except (pyarrow.ArrowException, OSError, ValueError) as error:
                at = f"{where}, after row {count}"
                reason = one_line(str(error), 80)
                wrong = f"cannot be read ({reason}), {FROM_HERE}"
                raise InputError(at, wrong, "fetch the file again") from error
            if batch is None:
                return
            for row in values:
                count += 1
                yield SourceRow(count, f"{where}, row {count}", {name: _plain(row[name]) for name in columns})


def _plain(value: Any) -> JsonValue:
    """A value as JSON has it: dates and exact decimals as text, a float that is not a number as missing."""
    match value:
        case float() if value != value:  # NaN, as pandas writes what is missing
            return None
        case datetime() | date() | time():
            return value.isoformat()
        case Decimal():
            return str(value)
        case dict():
            return {str(name): _plain(inner) for name, inner in value.items()}
        case list() | tuple():
            return [_plain(inner) for inner in value]
        case str() | bool() | int() | float() | None:
            return value
    return str(value)


def parquet_content(columns: Sequence[str], rows: Sequence[Mapping[str, JsonValue]]) -> bytes:
    """The bytes of a file with these rows; raises RequestError if a column has values of several types."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ModuleNotFoundError as error:
        raise RequestError(_NO_PYARROW) from error
    arrays = {}
    for name in columns:
        try:
            arrays[name] = pyarrow.array([row.get(name) for row in rows])
        except (pyarrow.ArrowException, ValueError, TypeError) as error:
            raise RequestError(
                f"column {shown(name)!r} has values of several types, which Parquet cannot hold "
                f"({one_line(str(error), 60)}); write JSON Lines instead."
            ) from error
    content = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.table(arrays), content)
    return content.getvalue()
