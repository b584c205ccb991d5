"""Logs of inspect_ai in their packed form (``.eval``): a ZIP of JSON files.

Newer versions compress them by zstd. Python unpacks zstd from 3.14 on. Before that pyarrow does, which the
extra ``parquet`` brings.
"""

import struct
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, Final

from reviewer.core.errors import InputError, RequestError
from reviewer.core.sanitize import shown
from reviewer.core.strict_json import parse
from reviewer.exchange.rows.packed_file import most_unpacked

PACKED_MARK: Final = b"PK\x03\x04"
AS_JSON: Final = "write it as JSON: inspect log convert LOG --to json --output-dir DIR"
_HEADER, _SAMPLES = "header.json", "samples/"
_ZSTD: Final = 93
_LOCAL: Final = struct.Struct("<4s22xHH")
"""The mark of a member's own header, and how long its name and its extra field are."""
_LOCKED: Final = 1
_OF_A_ZIP = (
    *(zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, OSError, ValueError),
    *(OverflowError, IndexError, struct.error, zlib.error),
)
_NO_ZSTD = (
    "this log of inspect_ai is compressed by zstd, which needs pyarrow before Python 3.14; install it with: "
    f"pip install 'dilemma-reviewer[parquet]', or {AS_JSON}."
)


def packed_log(path: Path, where: str) -> dict[str, Any]:
    """The log as if it were JSON: its header with its samples. Raises InputError and RequestError."""
    with path.open("rb") as file:
        try:
            with zipfile.ZipFile(file) as archive:
                return _read(_Members(archive, file, where, most_unpacked(path)))
        except _OF_A_ZIP as error:
            raise InputError(where, "is not a packed log that can be read", AS_JSON) from error


def _read(members: "_Members") -> dict[str, Any]:
    if _HEADER not in members.names:
        wrong = "is half written (it has no header.json)"
        raise InputError(members.where, wrong, "wait until `inspect eval` has ended")
    header = members.value(_HEADER)
    names = [name for name in members.names if name.startswith(_SAMPLES) and name.endswith(".json")]
    samples = [members.value(name) for name in names]
    return {**header, "samples": samples} if isinstance(header, dict) else {}


class _Members:
    """The files in a log, unpacked within a limit for all of them."""

    def __init__(self, archive: zipfile.ZipFile, file: BinaryIO, where: str, most: int) -> None:
        self._archive, self._file, self.where, self._left = archive, file, where, most
        self.names = list(dict.fromkeys(archive.namelist()))

    def value(self, name: str) -> Any:
        """What a file of JSON holds."""
        text = b"".join(self._parts(self._archive.getinfo(name))).decode()
        return parse(text, f"{self.where}, {shown(name)}")

    def _parts(self, member: zipfile.ZipInfo) -> Iterator[bytes]:
        if member.flag_bits & _LOCKED:
            raise InputError(self.where, "is locked by a password", AS_JSON)
        with self._opened(member) as unpacked:
            while part := unpacked.read(1 << 16):
                self._left -= len(part)
                if self._left < 0:
                    raise InputError(self.where, "unpacks to more than a log of its size holds", AS_JSON)
                yield bytes(part)

    def _opened(self, member: zipfile.ZipInfo) -> Any:
        if member.compress_type != _ZSTD or hasattr(zipfile, "ZIP_ZSTANDARD"):
            return self._archive.open(member)
        try:
            import pyarrow
        except ModuleNotFoundError as error:
            raise RequestError(_NO_ZSTD) from error
        self._file.seek(member.header_offset)
        mark, of_name, of_extra = _LOCAL.unpack(self._file.read(_LOCAL.size))
        if mark != PACKED_MARK:
            raise zipfile.BadZipFile
        self._file.seek(of_name + of_extra, 1)
        packed = pyarrow.BufferReader(self._file.read(member.compress_size))
        return pyarrow.CompressedInputStream(packed, "zstd")
