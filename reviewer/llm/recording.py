"""Recordings: answered requests in a file of JSON Lines, from which the same requests are answered again."""

import asyncio
import io
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Self

from pydantic import BaseModel, ConfigDict, NonNegativeFloat, NonNegativeInt, PositiveInt, ValidationError

from reviewer.core.errors import InputError
from reviewer.core.sanitize import one_line
from reviewer.core.source_text import size_of_regular
from reviewer.llm.client import ModelClient
from reviewer.llm.errors import NotRecorded, Stopped
from reviewer.llm.request import ModelReply, ModelRequest, request_digest
from reviewer.llm.usage import Usage, UsageCounter
from store.records import JsonValue, canonical_json

_BEGINNING = b'{"attempts":'
"""How every line begins, for its names are sorted."""


class Recorded(BaseModel):
    """One line: a request as sent, the number of its repeat, and the reply."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    purpose: str
    request: dict[str, JsonValue]
    repeat: NonNegativeInt
    text: str
    reasoning: str
    finish_reason: str
    prompt_tokens: NonNegativeInt
    completion_tokens: NonNegativeInt
    cost: NonNegativeFloat | None
    seconds: NonNegativeFloat
    attempts: PositiveInt
    call: str
    estimated: bool = False

    @classmethod
    def of(cls, ask: ModelRequest, reply: ModelReply) -> Self:
        """The line for an answered request."""
        said = {name: getattr(reply, name) for name in cls.model_fields if hasattr(reply, name)}
        return cls(purpose=ask.purpose, request=ask.body(), repeat=ask.repeat, **said)

    def line(self) -> str:
        """The line; what earlier releases do not know stands in it only where it says something."""
        return canonical_json(self.model_dump(exclude=None if self.estimated else {"estimated"}))

    def digest(self) -> str:
        """The digest of the request that this answers."""
        return request_digest(self.request, self.repeat)

    def reply(self) -> ModelReply:
        """The reply, as from a recording."""
        return ModelReply(origin="recording", **self.model_dump(exclude={"purpose", "request", "repeat"}))


def read_recording(path: Path) -> dict[str, Recorded]:
    """The lines of a recording by the digest of their request; raises InputError naming the line."""
    where = f"recording {one_line(str(path), 120)!r}"
    size_of_regular(path, where, "give another file")
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
            remedy = "take the line out, or record again"
            raise InputError(f"{where}, line {number}", wrong, remedy) from error


class ReplayClient:
    """A client that answers only from a recording, and says which request is missing."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._recorded = read_recording(path)
        self._tally = UsageCounter()
        self._stopped = False

    @property
    def spent(self) -> Usage:
        """How much was answered; nothing is ever sent."""
        return self._tally.spent()

    def stop(self) -> None:
        """Answer nothing more."""
        self._stopped = True

    async def ask(self, ask: ModelRequest) -> ModelReply:
        """The recorded reply; raises NotRecorded, Stopped."""
        await asyncio.sleep(0)  # as any client, lets others have their turn
        if self._stopped:
            raise Stopped("the run was stopped.")
        recorded = self._recorded.get(ask.digest())
        if recorded is None:
            raise NotRecorded(
                f"recording {one_line(str(self._path), 120)!r} does not have the request for {ask.purpose!r} "
                f"to {one_line(ask.model)!r}, repeat {ask.repeat}, which ends {_ending(ask)!r}; "
                "ask the model without --replay."
            )
        self._tally.found()
        return recorded.reply()


def _ending(ask: ModelRequest) -> str:
    return one_line(ask.messages[-1].content[-60:]) if ask.messages else ""


class RecordingClient:
    """A client that writes each answer of another client into a file, once, before it hands it on.

    A file that is there is carried on; what a killed program left of its last line is cut off.
    """

    def __init__(self, client: ModelClient, path: Path) -> None:
        self._door = client
        self._known, self._file = _carried_on(path)

    def close(self) -> None:
        """Close the file; the other client stays open."""
        self._file.close()

    @property
    def spent(self) -> Usage:
        """What the other client has spent."""
        return self._door.spent

    def stop(self) -> None:
        """Stop the other client."""
        self._door.stop()

    async def ask(self, ask: ModelRequest) -> ModelReply:
        """The other client's reply."""
        reply = await self._door.ask(ask)
        digest = ask.digest()
        if digest not in self._known or reply.origin == "model":
            self._known.add(digest)
            self._file.write(Recorded.of(ask, reply).line().encode() + b"\n")
            self._file.flush()
        return reply


def check_recording(path: Path) -> None:
    """Raise InputError where a file holds something else than a recording; writes nothing."""
    _recorded_before(path)


def _recorded_before(path: Path) -> tuple[set[str], int]:
    """The requests that a recording has, and where its last whole line ends; none where there is no file."""
    where = _where(path)
    try:
        if path.exists():
            size_of_regular(path, where, "give another file")
        whole = path.read_bytes() if path.exists() else b""
    except OSError as error:
        raise InputError(where, f"cannot be read ({error.strerror})", "give another file") from error
    end = whole.rfind(b"\n") + 1
    known = {line.digest() for line in _lines(io.BytesIO(whole[:end]), where)}
    if not (whole[end:].startswith(_BEGINNING) or _BEGINNING.startswith(whole[end:])):
        raise InputError(where, "is another kind of file", "give a new one")
    return known, end


def _carried_on(path: Path) -> tuple[set[str], BinaryIO]:
    """The requests that a recording has, and the file, open at the end of its last whole line."""
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
