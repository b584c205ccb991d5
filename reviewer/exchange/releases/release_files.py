"""The content of a release's files: rows as JSON Lines and parquet, the benchmark's own format, and the seal.

Some pages name the seal, so it cannot cover their last bytes. Pages are first written with the seal of the
content without any digest of a file. The digests are of these drafts; then the final seal takes its place.
"""

import io
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from reviewer.core.errors import InputError
from reviewer.core.strict_json import fault_in, parse
from reviewer.exchange.releases.release_content import FORMAT, ReleaseContent, ReleaseManifest, RowFacts
from reviewer.exchange.releases.release_folder import (
    GET_AGAIN,
    ReleaseFile,
    checksum_lines,
    sha256,
    utf8_text,
)
from reviewer.exchange.releases.release_pages import release_pages
from reviewer.exchange.rows.parquet_rows import holds_only_texts, opened_parquet, parquet_content, records_of
from reviewer.exchange.rows.row_files import json_text
from reviewer.protocols.base import Protocol
from reviewer.protocols.case_lines import CaseLines
from reviewer.protocols.formats import JsonFormat, StoredCase
from store.records import Case, JsonValue, Membership, canonical_json, digest_of

DataRow = dict[str, Any]
_PLAIN = ("protocol", "group", "key", "generator", "origin", "run")
ROW_FIELDS = frozenset((*_PLAIN, "payload", "published", "extra"))


def release_rows(cases: Iterable[StoredCase], protocol: Protocol) -> list[DataRow]:
    """The line of each case, made from its normalised content and not from the record of a file."""
    bare = [StoredCase(stored.place, stored.case, stored.published) for stored in cases]
    return list(CaseLines().write(bare, protocol))


def row_facts(
    rows: Sequence[DataRow], in_order: Callable[[Iterable[str]], Iterable[str]] = sorted
) -> RowFacts:
    """What follows from rows alone; ``in_order`` gives the order of groups."""
    groups = Counter(row["group"] for row in rows)
    written = Counter((row["generator"], row["origin"]) for row in rows)
    return RowFacts.model_validate(
        {
            "rows_digest": digest_of([digest_of(row) for row in rows]),
            "cases": {row["key"]: digest_of(_identity(row)) for row in rows},
            "groups": {group: groups[group] for group in in_order(groups)},
            "generators": [
                {"generator": name, "origin": origin, "cases": count}
                for (name, origin), count in sorted(written.items(), key=lambda pair: (-pair[1], pair[0]))
            ],
            "fields": _names_in("published", rows),
            "texts": _names_in("payload", rows),
            "extras": _names_in("extra", rows),
            "mixed": _mixed_columns(rows),
        }
    )


def _identity(row: DataRow) -> dict[str, JsonValue]:
    return {name: row[name] for name in ("protocol", "group", "payload")}


def _names_in(part: str, rows: Sequence[DataRow]) -> list[str]:
    return sorted({name for row in rows for name in row[part]})


def _mixed_columns(rows: Iterable[JsonValue]) -> tuple[str, ...]:
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
    flat = _flat(rows)
    return parquet_content(list(flat[0]), flat, as_texts=True)


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


def rows_of(content: bytes) -> list[DataRow]:
    """The rows of the data; raises InputError for the first line that is not a row of a release."""
    rows = []
    for number, line in enumerate(utf8_text(content, ReleaseFile.ROWS).split("\n"), 1):
        if line:
            where = f"{ReleaseFile.ROWS}, line {number}"
            row = parse(line, where)
            if not _is_row(row):
                raise InputError(where, "is not a row of a release", GET_AGAIN)
            if fault := fault_in(row):
                raise InputError(where, f"has a value that {fault}", GET_AGAIN)
            rows.append(row)
    return rows


def _is_row(row: object) -> bool:
    """Whether a value has the fields of a row, each of its type."""
    if not isinstance(row, dict) or set(row) != ROW_FIELDS:
        return False
    texts = all(isinstance(row[name], str) for name in ("protocol", "group", "key", "generator", "origin"))
    nested = all(isinstance(row[name], dict) for name in ("payload", "published", "extra"))
    return texts and nested and isinstance(row["run"], str | None)


def own_format_of(protocol: Protocol) -> JsonFormat | None:
    """The protocol's own file format that can be written; None if it has none."""
    return next((form for form in protocol.formats() if isinstance(form, JsonFormat)), None)


def own_file_of(rows: Sequence[DataRow], protocol: Protocol, form: JsonFormat) -> bytes:
    """The file with all rows, made from them alone, so that a reader of the release can make it again.

    Raises ValueError, KeyError, TypeError or AttributeError for rows that no release of the protocol has.
    """
    cases = [stored_case(row, position, protocol) for position, row in enumerate(rows)]
    return json_text(form.write(cases, protocol), indent=4).encode()


def own_format_fault(
    content: bytes, rows: Sequence[DataRow], protocol: Protocol, form: JsonFormat
) -> str | None:
    """How a file in the protocol's own format differs from the rows; None if it holds the same values."""
    try:
        held = parse(utf8_text(content, ReleaseFile.OWN), ReleaseFile.OWN)
        made = parse(own_file_of(rows, protocol, form).decode(), ReleaseFile.OWN)
        return None if digest_of(held) == digest_of(made) else "has other values than the lines"
    except InputError as error:
        return error.wrong
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return "cannot be made of the lines, to be compared"


def stored_case(row: DataRow, position: int, protocol: Protocol) -> StoredCase:
    """The case of a row. Its payload is not validated: its digest was compared with the sealed one."""
    identity = _identity(row)
    case = Case(digest=digest_of(identity), payload_version=protocol.payload_version, **identity)
    beside = {name: row[name] for name in ("key", "generator", "origin", "run", "extra")}
    place = Membership(dataset="release", case=case.digest, position=position, **beside)
    return StoredCase(place, case, row["published"])


def sealed_files(
    content: ReleaseContent, data: Mapping[str, bytes]
) -> tuple[ReleaseContent, dict[str, bytes]]:
    """The content with the digest of every file of data and every page, and all files of the release."""
    draft = content.without_files
    pages = {name: text.encode() for name, text in release_pages(draft, data).items()}
    unsealed = {**data, **pages}
    sealed = content.model_copy(update={"files": {path: sha256(held) for path, held in unsealed.items()}})
    before, after = draft.seal.encode(), sealed.seal.encode()
    files = {path: held.replace(before, after) for path, held in unsealed.items()}
    files[ReleaseFile.MANIFEST] = ReleaseManifest(format=FORMAT, seal=sealed.seal, content=sealed).written
    checksums = checksum_lines({path: sha256(held) for path, held in files.items()})
    return sealed, {**files, ReleaseFile.CHECKSUMS: checksums.encode()}


def sealed_as(content: ReleaseContent, files: Mapping[str, bytes]) -> dict[str, bool]:
    """Path → whether the file is as it was sealed. Checksums are left out: nothing seals them."""
    before, after = content.without_files.seal.encode(), content.seal.encode()
    states = {
        path: before not in held and content.files.get(path) == sha256(held.replace(after, before))
        for path, held in files.items()
        if path not in {ReleaseFile.CHECKSUMS, ReleaseFile.MANIFEST}
    }
    if ReleaseFile.MANIFEST in files:
        manifest = ReleaseManifest(format=FORMAT, seal=content.seal, content=content)
        states[ReleaseFile.MANIFEST] = files[ReleaseFile.MANIFEST] == manifest.written
    return states
