"""Chunks of work and their replies as bytes: compressed lines of JSON, read with bounds as from an enemy.

The first line of a chunk names the kind of work, each further line is one job. The first line of a reply
names the engine and the time taken, each further line is the result of one job, in the order of the jobs.
"""

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from reviewer.core.sanitize import one_line
from reviewer.oracle.program_runner import EngineVersion

MOST_BYTES = 64 * 2**20
"""The most bytes of a chunk or a reply before compression."""
MOST_JOBS = 500
_LEVEL = 1  # the fastest; results of programs become a seventh of their size
_LONGEST = 300
_LONGEST_SECONDS = 10**6

_Kind = Literal["examine", "run", "encode"]
_Header = TypeVar("_Header", bound=BaseModel)
_Word = Annotated[str, Field(max_length=_LONGEST)]


class NonsenseError(ValueError):
    """Bytes that no worker of this release sends."""


class ChunkHeader(BaseModel):
    """What a chunk asks for; ``encoder`` is the name of a sentence model with its digest."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")

    kind: _Kind
    model: str = ""
    encoder: str = ""


class ReplyHeader(BaseModel):
    """What made the results: SWI-Prolog's version, and the goals that it counts otherwise than 9.2.

    ``problem`` says why there are no results; ``divide`` that fewer jobs at a time may have some.
    """

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid", allow_inf_nan=False)

    version: Annotated[str, Field(max_length=40, pattern=r"^[0-9A-Za-z.+-]*$")] = ""
    differing: Annotated[tuple[_Word, ...], Field(max_length=30)] = ()
    seconds: Annotated[float, Field(ge=0, le=_LONGEST_SECONDS)] = 0.0
    problem: _Word = ""
    divide: bool = False

    @property
    def engine(self) -> EngineVersion:
        """The engine of the results."""
        return EngineVersion(self.version, self.differing)


@dataclass(frozen=True, slots=True)
class ReadReply:
    """A reply's header, and the result of each job as JSON."""

    header: ReplyHeader
    results: tuple[bytes, ...]


def written_chunk(header: ChunkHeader, jobs: Sequence[bytes]) -> bytes:
    """The bytes of a chunk."""
    return _joined(header, jobs)


def read_chunk(payload: bytes) -> tuple[ChunkHeader, tuple[bytes, ...]]:
    """A chunk's header and jobs; raises NonsenseError."""
    first, *jobs = _lines(payload)
    return _header(ChunkHeader, first), tuple(jobs)


def written_reply(header: ReplyHeader, results: Sequence[bytes] = ()) -> bytes:
    """The bytes of a reply. If they are too many, the reply says so instead."""
    if sum(map(len, results)) + len(results) > MOST_BYTES - 2 * _LONGEST * 30:
        return _joined(ReplyHeader(problem="its results are too large to send", divide=True), ())
    return _joined(header, results)


def read_chunk_reply(payload: bytes, jobs: int) -> ReadReply:
    """The reply to a chunk of ``jobs`` jobs; raises NonsenseError."""
    first, *results = _lines(payload)
    header = _header(ReplyHeader, first)
    if len(results) != (0 if header.problem else jobs):
        raise NonsenseError(f"{len(results)} results for {jobs} jobs")
    return ReadReply(header, tuple(results))


def _joined(header: BaseModel, lines: Sequence[bytes]) -> bytes:
    whole = b"\n".join((header.model_dump_json(exclude_defaults=True).encode(), *lines))
    return zlib.compress(whole, _LEVEL)


def _lines(payload: bytes) -> list[bytes]:
    opened = zlib.decompressobj()
    try:
        whole = opened.decompress(payload, MOST_BYTES)
    except zlib.error as error:
        raise NonsenseError("it cannot be decompressed") from error
    if not opened.eof or opened.unused_data:
        raise NonsenseError(f"it is cut off, or longer than {MOST_BYTES:,} bytes")
    return whole.split(b"\n", MOST_JOBS + 1)


def _header(form: type[_Header], line: bytes) -> _Header:
    try:
        return form.model_validate_json(line)
    except ValidationError as error:
        raise NonsenseError(validation_words(error)) from error


def validation_words(error: ValidationError) -> str:
    """The fault, in a few words of one line."""
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    place = ".".join(map(str, first["loc"]))
    return one_line(f"{place or 'the whole'}: {first['msg']}", _LONGEST)
