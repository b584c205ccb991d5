"""The rows of a release: JSON Lines that the import reads, and the same rows as parquet."""

import io
import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from reviewer.core.errors import InputError, RequestError
from reviewer.exchange.rows.parquet_rows import holds_only_texts, opened_parquet, records_of
from reviewer.protocols.base import Protocol
from reviewer.protocols.case_lines import CaseLines
from reviewer.protocols.formats import StoredCase
from store.records import JsonValue, canonical_json, digest_of

DataRow = dict[str, Any]
_PLAIN = ("protocol", "group", "key", "generator", "origin", "run")
ROW_FIELDS = frozenset((*_PLAIN, "payload", "published", "extra"))
_NO_PYARROW = "parquet needs pyarrow; install it with: pip install 'dilemma-reviewer[parquet]'"


def release_rows(cases: Iterable[StoredCase], protocol: Protocol) -> list[DataRow]:
    """The line of each case, made from its normalised content and not from the record of a file."""
    bare = [StoredCase(stored.place, stored.case, stored.published) for stored in cases]
    return [row for row in CaseLines().write(bare, protocol) if isinstance(row, dict)]


def rows_digest(rows: Sequence[JsonValue]) -> str:
    """The digest over all rows in their order."""
    return digest_of([digest_of(row) for row in rows])


def rows_as_lines(rows: Iterable[JsonValue]) -> bytes:
    """The rows as JSON Lines."""
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


def mixed_columns(rows: Iterable[JsonValue]) -> tuple[str, ...]:
    """The columns, nested ones by dots, whose values are of several types.

    The Hugging Face Hub infers one type for each column of JSON Lines and refuses the file otherwise.
    """
    types: dict[str, set[str]] = {}
    for row in rows:
        for path, kind in _types(row, ""):
            types.setdefault(path, set()).add(kind)
    return tuple(path for path, kinds in types.items() if len(kinds) > 1)


def _types(value: JsonValue, path: str) -> Iterator[tuple[str, str]]:
    """The type of a value, and those of the values inside."""
    match value:
        case dict():
            yield path, "object"
            for name, inner in value.items():
                yield from _types(inner, f"{path}.{name}" if path else name)
        case list():
            yield path, "list"
            for inner in value:
                yield from _types(inner, f"{path}[]")
        case bool():
            yield path, "bool"
        case int() | float():
            yield path, "number"
        case str():
            yield path, "text"


def parquet_of(rows: Sequence[DataRow]) -> bytes:
    """The rows as parquet; raises RequestError without pyarrow.

    Each text of a case is a column ``payload.NAME``. Other nested values are JSON text.
    """
    try:
        import pyarrow as arrow
        import pyarrow.parquet as parquet
    except ImportError:
        raise RequestError(f"{_NO_PYARROW}.") from None
    flat = _flat(rows)
    schema = arrow.schema([(name, arrow.string()) for name in flat[0]])
    written = io.BytesIO()
    parquet.write_table(arrow.Table.from_pylist(flat, schema=schema), written, compression="zstd")
    return written.getvalue()


def parquet_fault(content: bytes, rows: Sequence[DataRow]) -> str | None:
    """How the parquet differs from the rows; None if it holds the same. Raises RequestError without pyarrow.

    Columns and number of rows are compared first, and nothing is decoded behind the first row that differs.
    """
    expected = _flat(rows)
    try:
        with opened_parquet(io.BytesIO(content), "") as file:
            if file.metadata.num_rows != len(rows):
                return f"has {file.metadata.num_rows:,} rows, and the lines have {len(rows):,}"
            names = file.schema_arrow.names
            if rows and (names != list(expected[0]) or not holds_only_texts(file.schema_arrow)):
                return "has other columns than the lines"
            pairs = zip(records_of(file, "", names, len(content)), expected, strict=True)
            differing = next((number for number, (one, other) in enumerate(pairs, 1) if one != other), None)
    except InputError as error:
        return error.wrong
    except ValueError:
        return "holds another number of rows than it states"
    return f"differs from the lines in row {differing:,}" if differing else None


def _flat(rows: Sequence[DataRow]) -> list[DataRow]:
    """Each row as columns of text, the same for all rows."""
    names = list(dict.fromkeys(name for row in rows for name in row["payload"]))
    return [
        {
            **{name: row[name] for name in _PLAIN},
            **{f"payload.{name}": _as_text(row["payload"].get(name)) for name in names},
            **{name: canonical_json(row[name]) for name in ("published", "extra")},
        }
        for row in rows
    ]


def _as_text(value: JsonValue) -> str | None:
    return value if value is None or isinstance(value, str) else canonical_json(value)
