"""Small files of every format that would take a machine down where nothing bounds what they unpack to."""

import gzip
import io
import sqlite3
import zipfile
from collections.abc import Callable, Mapping
from functools import cache

import pyarrow as arrow
import pyarrow.parquet

Bombs = Mapping[str, Callable[[], bytes]]
MANY = 1_000_000


def _parquet(columns: Mapping[str, object], **options: object) -> bytes:
    written = io.BytesIO()
    arrow.parquet.write_table(arrow.table(columns), written, **{"compression": "zstd", **options})
    return written.getvalue()


def _number(value: int) -> bytes:
    """A number as Thrift writes it."""
    left, written = value << 1, b""
    while left >> 7:
        written, left = written + bytes([left & 127 | 128]), left >> 7
    return written + bytes([left])


def _lying(content: bytes, true: int, told: int) -> bytes:
    """The file with another number in place of one, in its footer only."""
    begin = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    footer = content[begin:-8].replace(_number(true), _number(told))
    return content[:begin] + footer + len(footer).to_bytes(4, "little") + content[-4:]


def _nested(depth: int) -> object:
    kind = arrow.int64()
    for _ in range(depth):
        kind = arrow.struct([("a", kind)])
    return arrow.array([None], kind)


def _nothings(count: int) -> object:
    return arrow.ListArray.from_arrays([0, count], arrow.nulls(count, arrow.int64()))


def _texts(count: int, length: int) -> object:
    indices = arrow.array([0] * count, arrow.int32())
    return arrow.DictionaryArray.from_arrays(indices, ["x" * length])


def _list_of_texts(count: int, length: int) -> object:
    return arrow.ListArray.from_arrays([0, count], _texts(count, length))


@cache
def _of_nothings() -> bytes:
    return _parquet({"text": _nothings(4 * MANY)})


@cache
def _wide() -> bytes:
    return _parquet({"text": arrow.nulls(100, arrow.binary(1009)), "b": ["c"] * 100}, store_schema=False)


PARQUET: Bombs = {
    "values of one row": _of_nothings,
    "values that the footer hides": lambda: _lying(_of_nothings(), 4 * MANY, 4),
    "values within bounds": lambda: _parquet({"text": _nothings(MANY)}),
    "rows": lambda: _parquet({"text": arrow.nulls(5 * MANY, arrow.string())}),
    "rows of bytes alone": lambda: _parquet({"text": arrow.nulls(5 * MANY, arrow.binary())}),
    "one text": lambda: _parquet({"text": ["x" * 70 * MANY]}),
    "texts in many columns": lambda: _parquet({f"a{number}": ["x" * 5 * MANY] for number in range(20)}),
    "a text in many rows": lambda: _parquet({"text": _texts(9_000, 20 * MANY)}),
    "a text many times in a row": lambda: _parquet({"text": _list_of_texts(MANY, MANY)}),
    "texts that begin alike": lambda: _parquet(
        {"text": ["x" * MANY] * 100}, use_dictionary=False, column_encoding={"text": "DELTA_BYTE_ARRAY"}
    ),
    "columns": lambda: _parquet({f"a{number}": [1] for number in range(11_000)}),
    "columns in columns": lambda: _parquet({"text": _nested(60)}),
    "wide values": lambda: _lying(_wide(), 1009, 500 * MANY),
}
TOML: Bombs = {
    "parts of a key": lambda: b"a." * 20_000 + b"a = 1",
    "parts of a table": lambda: b"[" + b"a." * 20_000 + b"a]",
    "depth": lambda: b"a = " + b"[" * 100_000,
    "tables in tables": lambda: b"a = " + b"{a = " * 100_000,
    "many tables": lambda: b"".join(b"[a%d.b.c.d.e.f.g]\n" % number for number in range(40_000)),
    "a number": lambda: b"a = " + b"9" * MANY,
    "quotes": lambda: b'\\"""a' * 150_000,
}
JSON: Bombs = {
    "depth": lambda: b"[" * 5 * MANY,
    "objects in objects": lambda: b'{"a":' * MANY,
    "a number": lambda: b'[{"a": ' + b"9" * 10 * MANY + b"}]",
    "a fraction": lambda: b'[{"a": 0.' + b"9" * 10 * MANY + b"}]",
    "an exponent": lambda: b'[{"a": 1e' + b"9" * MANY + b"}]",
    "empty lists": lambda: b'[{"a": [' + b"[]," * MANY + b"[]]}]",
    "names": lambda: b'[{"a": {' + b'"a":1,' * MANY + b'"b":2}}]',
    "a text without end": lambda: b'[{"a": "' + b"\\\\" * 5 * MANY,
    "numbers one after another": lambda: b"1 " * 5 * MANY,
}
CSV: Bombs = {
    "a quote without end": lambda: b'a,b\n"' + b"x\n" * (MANY // 4),
    "quotes": lambda: b"a,b\n" + b'"' * MANY,
    "columns": lambda: b",".join(b"%d" % number for number in range(MANY // 4)) + b"\n1\n2\n",
    "empty columns": lambda: b"," * 2 * MANY,
    "a cell": lambda: b"a,b\n1," + b"9" * 2 * MANY,
    "short rows below many columns": lambda: (
        b"judgement," + b",".join(b"%d" % number for number in range(50_000)) + b"\n" + b"x\n" * 10_000
    ),
}
XML: Bombs = {
    "entities": lambda: (
        b'<!DOCTYPE a [<!ENTITY a "'
        + b"x" * 1000
        + b'"><!ENTITY b "'
        + b"&a;" * 1000
        + b'">]><a>'
        + b"&b;" * 1000
    ),
    "depth": lambda: b"<a>" * MANY,
    "attributes": lambda: b"<a " + b"".join(b"a%d='' " % number for number in range(300_000)) + b"/>",
}


def _zip(files: Mapping[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", method, compresslevel=1) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return written.getvalue()


ARCHIVES: Bombs = {
    "a large file": lambda: _zip({"a/a.csv": b"judgement\n" + b"x" * 20 * MANY}),
    "large files": lambda: _zip({f"a{number}/a.csv": b"\0" * 12 * MANY for number in range(6)}),
    "many files": lambda: _zip({f"a{number}.csv": b"" for number in range(5_000)}, zipfile.ZIP_STORED),
    "gzip": lambda: gzip.compress(b"\0" * 50 * MANY),
    "short rows below many columns": lambda: _zip({"anna/a.csv": CSV["short rows below many columns"]()}),
}


def _pack(*statements: str) -> bytes:
    """A database that says that it is a pack."""
    connection = sqlite3.connect(":memory:")
    for statement in ("PRAGMA application_id = 0x52657677", *statements):
        connection.execute(statement)
    return connection.serialize()


_ENDLESS = "WITH RECURSIVE a(id) AS (VALUES (1) UNION ALL SELECT id + 1 FROM a) SELECT id FROM a"
PACKS: Bombs = {
    "a view without end": lambda: _pack(f"CREATE VIEW studies AS {_ENDLESS}"),
    "versions without end": lambda: _pack(f"CREATE VIEW alembic_version AS {_ENDLESS}"),
    "computed columns": lambda: _pack(
        "CREATE TABLE alembic_version (version_num AS (hex(zeroblob(400000000))), a)",
        "INSERT INTO alembic_version VALUES (1)",
    ),
    "many tables": lambda: _pack(*(f"CREATE TABLE a{number} (a)" for number in range(3_000))),
}
