"""Asking for one reply, and reading the replies of teacher and judge during discovery."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from pydantic import ValidationError

from reviewer.core.sanitize import one_line
from reviewer.llm.errors import OF_ONE_REQUEST
from reviewer.llm.request import ModelRequest
from reviewer.protocols.judge_pairs.bias_entry import BiasEntry
from reviewer.protocols.judge_pairs.instructions import tells_the_judge
from reviewer.protocols.work import Work, replies_to
from store.records import JsonValue

_MOST_CHARACTERS: Final = 200_000
_FENCED = re.compile(r"```(?:json)?[ \t]*\n(.*?)```", re.DOTALL | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class AskedReply:
    """The reply to one request, or None and the sentence that says why there is none."""

    text: str | None
    why: str = ""
    calls: tuple[str, ...] = ()


def reply_or_reason(request: ModelRequest) -> Work[AskedReply]:
    """The reply to a request; a request without a usable answer has a reason instead."""
    try:
        (reply,) = yield from replies_to(request)
    except OF_ONE_REQUEST as error:
        return AskedReply(None, str(error))
    if len(reply.text) > _MOST_CHARACTERS:
        why = f"The reply has {len(reply.text):,} characters, more than {_MOST_CHARACTERS:,}."
        return AskedReply(None, why, (reply.call,))
    return AskedReply(reply.text.replace("\0", "\ufffd"), "", (reply.call,))


@dataclass(frozen=True, slots=True)
class NamedBias:
    """What the teacher said of a misjudgement: a bias with its definition, or none; ``why`` if unreadable."""

    name: str = ""
    definition: str = ""
    why: str = ""


def read_named_bias(reply: str) -> NamedBias:
    """The bias that a reply names: JSON with bias (true or false), name and definition."""
    content = _json_object(reply)
    if content is None:
        return NamedBias(why="The reply is not one JSON object.")
    bias = content.get("bias")
    if not isinstance(bias, bool):
        return NamedBias(why="The reply does not say true or false for bias.")
    if not bias:
        return NamedBias()
    name, definition = content.get("name"), content.get("definition")
    if not isinstance(name, str) or not name.strip() or not isinstance(definition, str):
        return NamedBias(why="The reply names no bias with a definition.")
    if not definition.strip():
        return NamedBias(why="The reply names a bias without a definition.")
    return NamedBias(" ".join(name.split()), definition.strip())


def read_sameness(reply: str) -> bool | None:
    """Whether a reply says that two biases are the same: JSON with same (true or false); None if neither."""
    content = _json_object(reply)
    same = content.get("same") if content is not None else None
    return same if isinstance(same, bool) else None


def unusable_bias(named: NamedBias) -> tuple[str, str] | None:
    """The check that a named bias fails, and why; None if it can be a candidate."""
    try:
        BiasEntry.model_validate({"bias": named.name, "definition": named.definition})
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        return (
            "not_an_entry",
            f"Its {first['loc'][0]}: {one_line(first['msg'].removeprefix('Value error, '))}.",
        )
    if tells_the_judge(f"{named.name}\n{named.definition}"):
        return "tells_the_judge", "The name or the definition tells a judge which answer to choose."
    return None


def _json_object(reply: str) -> Mapping[str, JsonValue] | None:
    fenced = _FENCED.findall(reply)
    text = fenced[-1] if fenced else reply
    start, end = text.find("{"), text.rfind("}")
    try:
        content = json.loads(text[start : end + 1]) if 0 <= start < end else None
    except (ValueError, RecursionError):
        return None
    return content if isinstance(content, dict) else None
