"""Rows of Parquet files, read and written in batches. pyarrow is loaded here and when a file needs it."""

import io
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime, time
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

from reviewer.core.errors import InputError, RequestError
from reviewer.core.sanitize import one_line, shown
from reviewer.exchange.rows.parquet_bounds import ROWS_AT_ONCE, BeyondBounds, checked_leaves
from reviewer.exchange.rows.source_file import FROM_HERE, shown_path
from reviewer.protocols.formats import SourceRow, SourceRows
from store.records import JsonValue

PARQUET_MARK = b"PAR1"
_MOST_AT_ONCE = 32_000_000
_MOST_IN_ALL = 256_000_000
_MOST_FOR_A_BYTE = 64
_BYTES_OF_A_VALUE = 64
_NO_PYARROW = "Parquet files need pyarrow; install it with: pip install 'dilemma-reviewer[parquet]'."
_ANOTHER = "check that it is the right file and complete"
_FAULTS = (OSError, ValueError, ArithmeticError)


def parquet_rows(path: Path, where: str) -> SourceRows:
    """The rows of a Parquet file. Columns of bytes, which nobody can read, are left out with a notice."""
    with path.open("rb") as content, opened_parquet(content, shown_path(path)) as file:
        schema = file.schema_arrow
    twice = [name for name, count in Counter(schema.names).items() if count > 1]
    if twice:
        raise InputError(where, f"has two columns {shown(twice[0])!r}", "rename one of the two")
    kept = tuple(field.name for field in schema if not _holds_bytes(field.type))
    notices = tuple(
        f"{where}: column {shown(name)!r} holds bytes, not text, and is left out"
        for name in schema.names
        if name not in kept
    )
    return SourceRows(where, kept, True, list(notices), partial(_rows, path, where, kept))


def opened_parquet(content: BinaryIO, where: str) -> Any:
    """A file within bounds, its texts kept apart from the rows that have them; raises ReviewerError."""
    pyarrow = _pyarrow()
    try:
        leaves = checked_leaves(content)
        content.seek(0)
        texts = [leaf.path for leaf in leaves if leaf.is_text]
        return pyarrow.parquet.ParquetFile(content, read_dictionary=texts)
    except BeyondBounds as error:
        raise InputError(where, str(error), _ANOTHER) from None
    except (pyarrow.ArrowException, *_FAULTS) as error:
        wrong = f"is not a Parquet file that can be read ({one_line(str(error), 80)})"
        raise InputError(where, wrong, _ANOTHER) from error


def _pyarrow() -> Any:
    """pyarrow with its reader; raises RequestError where it is missing."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ModuleNotFoundError as error:
        raise RequestError(_NO_PYARROW) from error
    return pyarrow


def _holds_bytes(kind: Any) -> bool:
    import pyarrow.types as types

    if types.is_binary(kind) or types.is_large_binary(kind) or types.is_fixed_size_binary(kind):
        return True
    return any(_holds_bytes(kind.field(number).type) for number in range(kind.num_fields))


def holds_only_texts(schema: Any) -> bool:
    """Whether every column has a text, or nothing, in each row."""
    import pyarrow.types as types

    kinds = [field.type.value_type if types.is_dictionary(field.type) else field.type for field in schema]
    return all(types.is_string(kind) or types.is_large_string(kind) for kind in kinds)


def _rows(path: Path, where: str, columns: Sequence[str]) -> Iterator[SourceRow]:
    with path.open("rb") as content, opened_parquet(content, shown_path(path)) as file:
        for count, row in enumerate(records_of(file, where, columns, path.stat().st_size), 1):
            yield SourceRow(count, f"{where}, row {count}", {name: _plain(row[name]) for name in columns})


def records_of(file: Any, where: str, columns: Sequence[str], size: int) -> Iterator[dict[str, Any]]:
    """The rows of an opened file of this size; raises InputError behind the last that can be read."""
    import pyarrow

    count, left = 0, _MOST_IN_ALL + _MOST_FOR_A_BYTE * size
    batches = file.iter_batches(batch_size=ROWS_AT_ONCE, columns=list(columns), use_threads=False)
    while True:
        try:
            batch = next(batches, None)
            for part, weight in () if batch is None else _parts(batch):
                left -= weight
                if left < 0:
                    raise ValueError("it unpacks to far more than its size")
                rows = part.to_pylist()
                count += len(rows)
                yield from rows
        except (pyarrow.ArrowException, *_FAULTS) as error:
            wrong = f"cannot be read ({one_line(str(error), 80)}), {FROM_HERE}"
            raise InputError(f"{where}, after row {count}", wrong, "fetch the file again") from error
        if batch is None:
            return


def _parts(batch: Any) -> Iterator[tuple[Any, int]]:
    """The batch whole, or row by row if its rows together are long, each with its bytes in Python.

    Raises ValueError for a row that is too long.
    """
    weight = _weight(batch)
    if weight <= _MOST_AT_ONCE:
        yield batch, weight
        return
    for number in range(batch.num_rows):
        row = batch.slice(number, 1)
        if (weight := _weight(row)) > _MOST_AT_ONCE:
            raise ValueError("the next row is too long")
        yield row, weight


def _weight(batch: Any) -> int:
    return sum(map(_weight_of, batch.columns))


def _weight_of(array: Any) -> int:
    """About the bytes that the values of an array take in Python."""
    import pyarrow.compute as compute
    import pyarrow.types as types

    own = len(array) * _BYTES_OF_A_VALUE
    kind = array.type
    if types.is_dictionary(kind):
        lengths = compute.binary_length(array.dictionary).take(array.indices)
        return own + (compute.sum(lengths).as_py() or 0)
    if types.is_string(kind) or types.is_large_string(kind):
        return own + (compute.sum(compute.binary_length(array)).as_py() or 0)
    if types.is_struct(kind):
        return own + sum(map(_weight_of, array.flatten()))
    if types.is_map(kind):
        begin, end = array.offsets[0].as_py(), array.offsets[-1].as_py()
        return own + sum(_weight_of(side.slice(begin, end - begin)) for side in (array.keys, array.items))
    if kind.num_fields:
        return own + _weight_of(array.flatten())
    return own


def _plain(value: Any) -> JsonValue:
    """A value as JSON has it: dates and exact decimals as text, a float that is not a number as missing."""
    match value:
        case float() if value != value:  # NaN, as pandas writes missing values
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


def parquet_content(
    columns: Sequence[str], rows: Sequence[Mapping[str, JsonValue]], *, as_texts: bool = False
) -> bytes:
    """The bytes of a file with these rows; raises RequestError if a column has values of several types.

    ``as_texts``: every value is a text or missing, also in a column without any, and texts may be long.
    """
    pyarrow = _pyarrow()
    arrays = {}
    for name in columns:
        try:
            arrays[name] = pyarrow.array(
                [row.get(name) for row in rows], type=pyarrow.string() if as_texts else None
            )
        except (pyarrow.ArrowException, ValueError, TypeError) as error:
            raise RequestError(
                f"column {shown(name)!r} has values of several types, which Parquet cannot hold "
                f"({one_line(str(error), 60)}); write JSON Lines instead."
            ) from error
    content = io.BytesIO()
    compression = "zstd" if as_texts else "snappy"
    pyarrow.parquet.write_table(pyarrow.table(arrays), content, compression=compression)
    return content.getvalue()
