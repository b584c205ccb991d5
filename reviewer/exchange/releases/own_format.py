"""The cases of a release in the format of their benchmark's own files, for programs that read those."""

import json
from collections.abc import Sequence

from reviewer.core.errors import InputError
from reviewer.core.strict_json import parse
from reviewer.exchange.releases.release_layout import OWN
from reviewer.exchange.releases.release_reading import utf8_text
from reviewer.exchange.releases.release_rows import DataRow
from reviewer.protocols.base import Protocol
from reviewer.protocols.formats import StoredCase, WritableJsonFormat
from store.records import Case, Membership, digest_of


def own_format_of(protocol: Protocol) -> WritableJsonFormat | None:
    """The protocol's own file format that can be written; None if it has none."""
    return next((form for form in protocol.formats() if isinstance(form, WritableJsonFormat)), None)


def own_file_of(rows: Sequence[DataRow], protocol: Protocol, form: WritableJsonFormat) -> bytes:
    """The file with all rows, made from them alone, so that a reader of the release can make it again.

    Raises ValueError, KeyError, TypeError or AttributeError for rows that no release of the protocol has.
    """
    cases = [_stored(row, position, protocol) for position, row in enumerate(rows)]
    return (json.dumps(form.write(cases, protocol), ensure_ascii=False, indent=4) + "\n").encode()


def own_format_fault(
    content: bytes, rows: Sequence[DataRow], protocol: Protocol, form: WritableJsonFormat
) -> str | None:
    """How a file in the protocol's own format differs from the rows; None if it holds the same values."""
    try:
        held = parse(utf8_text(content, OWN), OWN)
        made = json.loads(own_file_of(rows, protocol, form))
        return None if digest_of(held) == digest_of(made) else "has other values than the lines"
    except InputError as error:
        return error.wrong
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return "cannot be made of the lines, to be compared"


def _stored(row: DataRow, position: int, protocol: Protocol) -> StoredCase:
    """The case of a row. Its payload is not validated: its digest was compared with the sealed one."""
    identity = {name: row[name] for name in ("protocol", "group", "payload")}
    case = Case(digest=digest_of(identity), payload_version=protocol.payload_version, **identity)
    beside = {name: row[name] for name in ("key", "generator", "origin", "run", "extra")}
    place = Membership(dataset="release", case=case.digest, position=position, **beside)
    return StoredCase(place, case, row["published"])
