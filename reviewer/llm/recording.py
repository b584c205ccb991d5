"""Recordings: a JSON Lines file of requests with their replies, from which the same requests are answered."""

import asyncio
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, BinaryIO, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, NonNegativeFloat, ValidationError

from reviewer.core.errors import InputError
from reviewer.core.sanitize import one_line
from reviewer.core.source_text import check_regular
from reviewer.llm.client import ModelClient
from reviewer.llm.request import ModelReply, ModelRequest, request_digest
from reviewer.llm.request_errors import NotRecorded, Stopped
from reviewer.llm.usage import Usage, UsageCounter
from store.records import JsonValue, canonical_json

_BEGINNING = b'{"a'
"""How every line begins: with ``answered_by`` or ``attempts``, since its names are sorted."""

_Number = Annotated[int, Field(ge=0, le=2**63 - 1)]


def _of_finite_numbers(request: dict[str, JsonValue]) -> dict[str, JsonValue]:
    canonical_json(request)  # raises ValueError for another number, which has no digest
    return request


class Recorded(BaseModel):
    """One line: the request body, its repeat number and the reply."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    purpose: str
    request: Annotated[dict[str, JsonValue], AfterValidator(_of_finite_numbers)]
    repeat: _Number
    text: str
    reasoning: str
    finish_reason: str
    prompt_tokens: _Number
    completion_tokens: _Number
    cost: NonNegativeFloat | None
    seconds: NonNegativeFloat
    attempts: _Number
    call: str
    estimated: bool = False
    answered_by: str = ""

    @classmethod
    def of(cls, request: ModelRequest, reply: ModelReply) -> Self:
        """The line for a request and its reply."""
        given = {name: getattr(reply, name) for name in cls.model_fields if hasattr(reply, name)}
        return cls(purpose=request.purpose, request=request.body(), repeat=request.repeat, **given)

    def line(self) -> str:
        """The line as JSON, without default values."""
        return canonical_json(self.model_dump(exclude_defaults=True))

    def digest(self) -> str:
        """The digest of the request."""
        return request_digest(self.request, self.repeat)

    def reply(self) -> ModelReply:
        """The reply, marked as coming from a recording."""
        return ModelReply(origin="recording", **self.model_dump(exclude={"purpose", "request", "repeat"}))


def read_recording(path: Path) -> dict[str, Recorded]:
    """The lines of a recording by the digest of their request; raises InputError naming the line."""
    where = f"recording {one_line(str(path), 120)!r}"
    check_regular(path, where, "give another file")
    try:
        with path.open("rb") as file:
            return {line.digest(): line for line in _lines(file, where)}
    except OSError as error:
        raise InputError(where, f"cannot be read ({error.strerror})", "give another file") from error


def _lines(file: BinaryIO, where: str) -> Iterator[Recorded]:
    for number, line in enumerate(file, start=1):
        if not line.strip():
            continue
        try:
            yield Recorded.model_validate_json(line)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False, include_context=False)[0]
            field = one_line(".".join(map(str, first["loc"])))
            wrong = one_line(f"{field}: {first['msg']}" if field else first["msg"], 160)
            remedy = "delete the line, or record again"
            raise InputError(f"{where}, line {number}", wrong, remedy) from error


class ReplayClient:
    """A client that answers only from a recording and names a request that is missing there."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._recorded = read_recording(path)
        self._usage = UsageCounter()
        self._stopped = False

    @property
    def spent(self) -> Usage:
        """The number of answers; nothing is ever sent."""
        return self._usage.spent()

    @property
    def stopped(self) -> bool:
        """Whether ``stop`` was called."""
        return self._stopped

    def stop(self) -> None:
        """Answer no more requests."""
        self._stopped = True

    async def ask(self, request: ModelRequest) -> ModelReply:
        """The recorded reply; raises NotRecorded, Stopped."""
        await asyncio.sleep(0)  # let other tasks run, as every client does
        if self._stopped:
            raise Stopped("the run was stopped.")
        recorded = self._recorded.get(request.digest())
        if recorded is None:
            raise NotRecorded(
                f"recording {one_line(str(self._path), 120)!r} does not have the request "
                f"for {request.purpose!r} to {one_line(request.model)!r}, repeat {request.repeat}, "
                f"which ends {_ending(request)!r}; "
                "ask the model without --replay."
            )
        self._usage.add_stored()
        return recorded.reply()


def _ending(request: ModelRequest) -> str:
    return one_line(request.messages[-1].content[-60:]) if request.messages else ""


class RecordingClient:
    """A client that writes each reply of another client to a file, once, before it returns the reply.

    An existing file is continued. If a killed program left an incomplete last line, that line is removed.
    """

    def __init__(self, client: ModelClient, path: Path) -> None:
        self._client = client
        self._known, self._file = _continued(path)

    def close(self) -> None:
        """Close the file; the other client stays open."""
        self._file.close()

    @property
    def spent(self) -> Usage:
        """The calls of the other client and their cost."""
        return self._client.spent

    @property
    def stopped(self) -> bool:
        """Whether the other client was stopped."""
        return self._client.stopped

    def stop(self) -> None:
        """Stop the other client."""
        self._client.stop()

    async def ask(self, request: ModelRequest) -> ModelReply:
        """The other client's reply."""
        reply = await self._client.ask(request)
        digest = request.digest()
        if digest not in self._known or reply.origin == "model":
            self._known.add(digest)
            self._file.write(Recorded.of(request, reply).line().encode() + b"\n")
            self._file.flush()
        return reply


def check_recording(path: Path) -> None:
    """Raise InputError if a file is not a recording; writes nothing."""
    _recorded_before(path)


def _recorded_before(path: Path) -> tuple[set[str], int]:
    """The digests of the recorded requests and the end of the last complete line; none without a file."""
    where = _where(path)
    try:
        if path.exists():
            check_regular(path, where, "give another file")
        whole = path.read_bytes() if path.exists() else b""
    except OSError as error:
        raise InputError(where, f"cannot be read ({error.strerror})", "give another file") from error
    end = whole.rfind(b"\n") + 1
    known = {line.digest() for line in _lines(io.BytesIO(whole[:end]), where)}
    if not (whole[end:].startswith(_BEGINNING) or _BEGINNING.startswith(whole[end:])):
        raise InputError(where, "is not a recording", "give a new file")
    return known, end


def _continued(path: Path) -> tuple[set[str], BinaryIO]:
    """The digests of the recorded requests, and the file, open at the end of its last complete line."""
    known, end = _recorded_before(path)
    try:
        file = path.open("ab")
        file.truncate(end)
    except OSError as error:
        wrong = f"cannot be written ({error.strerror})"
        raise InputError(_where(path), wrong, "give another file") from error
    return known, file


def _where(path: Path) -> str:
    return f"recording {one_line(str(path), 120)!r}"
