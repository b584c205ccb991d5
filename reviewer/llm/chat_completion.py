"""Reading a chat completion from the bytes that a server sent. Nothing about them is trusted."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from reviewer.core.sanitize import one_line
from reviewer.llm.token_counts import MOST_TOKENS
from store.records import JsonValue

_SURROGATES = re.compile("[\ud800-\udfff]")
_OPENING = re.compile(r"<think>", re.IGNORECASE)
_CLOSING = re.compile(r"</think>", re.IGNORECASE)
_EXCERPT = 120


class UnreadableCompletion(ValueError):  # noqa: N818  # it names the answer
    """The body is not a chat completion; the message names its actual form."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A chat completion in a few plain fields.

    ``content`` is as the model wrote it; ``thought`` is the reasoning that the server returned separately.
    ``refusal`` is the model's text instead of an answer, ``tools`` are calls with their arguments.
    A token count is None if the server gave none, or an impossible one. ``other_bytes`` is the size of
    everything else that arrived and may be charged: tool calls, other choices, a body that cannot be read.
    """

    content: str
    thought: str
    finish_reason: str
    answered_by: str
    fingerprint: str
    prompt_tokens: int | None
    completion_tokens: int | None
    other_bytes: int = 0
    refusal: str = ""
    tools: str = ""

    def kept(self) -> dict[str, JsonValue]:
        """The part that a row stores as the response."""
        return {
            "content": self.content,
            "thought": self.thought,
            "finish_reason": self.finish_reason,
            "answered_by": self.answered_by,
            "fingerprint": self.fingerprint,
            **({"other_bytes": self.other_bytes} if self.other_bytes else {}),
            **({"refusal": self.refusal} if self.refusal else {}),
            **({"tools": self.tools} if self.tools else {}),
        }


def read_answer(body: bytes) -> Answer:
    """The answer in a response's body; raises UnreadableCompletion."""
    completion = _object(body)
    choices = completion.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    if (
        not isinstance(choices, list)
        or not isinstance(first, dict)
        or not isinstance(first.get("message"), dict)
        or first.get("error")
    ):
        raise UnreadableCompletion("the answer has no choices with a message")
    message: dict[str, JsonValue] = first["message"]
    counts = _usage(completion)
    content = _text(message.get("content"))
    thought = _text(message.get("reasoning_content") or message.get("reasoning"))
    return Answer(
        content=content,
        thought=thought,
        finish_reason=_text(first.get("finish_reason")),
        answered_by=_text(completion.get("model")),
        fingerprint=_text(completion.get("system_fingerprint")),
        prompt_tokens=_count(counts.get("prompt_tokens")),
        completion_tokens=_count(counts.get("completion_tokens")),
        other_bytes=max(0, _message_bytes(choices) - _bytes(content) - _bytes(thought)),
        refusal=_text(message.get("refusal")),
        tools=_tools_called(message.get("tool_calls")),
    )


def error_in(body: bytes) -> JsonValue:
    """The error that a body, or its first choice, reports in the place of an answer; None without one."""
    try:
        completion = _object(body)
    except UnreadableCompletion:
        return None
    choices = completion.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    return completion.get("error") or (first.get("error") if isinstance(first, dict) else None)


def unread_answer(body: bytes) -> Answer:
    """What a body that holds no answer may cost: the tokens that it says, or else its size."""
    try:
        counts = _usage(_object(body))
    except UnreadableCompletion:
        counts = {}
    prompt, completion = _count(counts.get("prompt_tokens")), _count(counts.get("completion_tokens"))
    return Answer("", "", "", "", "", prompt, completion, other_bytes=len(body))


def split_thought(content: str, thought: str = "") -> tuple[str, str]:
    """The answer without the reasoning, and the reasoning: the server's part first, then the marked parts.

    Some chat templates open the reasoning before the model writes, so that only its end is marked. A model
    that is cut off while it reasons leaves it open.
    """
    marked, rest = _marked_thoughts(content)
    parts = [thought, *marked]
    if not marked and (end := _CLOSING.search(rest)):
        parts, rest = [*parts, rest[: end.start()]], rest[end.end() :]
    if begun := _OPENING.match(rest.lstrip()):
        parts, rest = [*parts, rest.lstrip()[begun.end() :]], ""
    return rest.strip(), "\n\n".join(part.strip() for part in parts if part.strip())


def _marked_thoughts(content: str) -> tuple[list[str], str]:
    """The parts between marks, and the rest. One pass, since many beginnings may have no end."""
    thoughts, rest, at = list[str](), list[str](), 0
    while (begun := _OPENING.search(content, at)) and (end := _CLOSING.search(content, begun.end())):
        thoughts.append(content[begun.end() : end.start()])
        rest.append(content[at : begun.start()])
        at = end.end()
    return thoughts, "".join((*rest, content[at:]))


def storable(text: str) -> str:
    """The text with lone surrogates replaced, since no store can hold them."""
    return _SURROGATES.sub("\ufffd", text)


def excerpt(body: bytes) -> str:
    """The beginning of a body as one visible line, for messages."""
    return one_line(body[: 4 * _EXCERPT].decode("utf-8", "replace"), _EXCERPT)


def _object(body: bytes) -> dict[str, JsonValue]:
    try:
        decoded = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise UnreadableCompletion(f"the answer is not JSON (it begins {excerpt(body)!r})") from error
    if not isinstance(decoded, dict):
        raise UnreadableCompletion(f"the answer is not a JSON object (it begins {excerpt(body)!r})")
    return decoded


def _tools_called(calls: JsonValue) -> str:
    """The tools that a message calls, each with its arguments, in lines."""
    listed = calls if isinstance(calls, list) else []
    functions = [call.get("function") for call in listed if isinstance(call, dict)]
    return "\n".join(
        f"{_text(function.get('name'))}({_text(function.get('arguments'))})"
        for function in functions
        if isinstance(function, dict)
    )


def _usage(completion: Mapping[str, JsonValue]) -> Mapping[str, JsonValue]:
    usage = completion.get("usage")
    return usage if isinstance(usage, dict) else {}


def _message_bytes(choices: Sequence[JsonValue]) -> int:
    """The size of all texts in the messages of all choices."""
    size = 0
    left = (
        [choice.get("message") for choice in choices if isinstance(choice, dict)]
        if isinstance(choices, list)
        else []
    )
    while left:
        value = left.pop()
        if isinstance(value, str):
            size += _bytes(value)
        elif isinstance(value, dict):
            left += [inner for name, inner in value.items() if name != "role"]
        elif isinstance(value, list):
            left += value
    return size


def _bytes(text: str) -> int:
    return len(text.encode("utf-8", "replace"))


def _text(value: JsonValue) -> str:
    """Text, or the text parts of a list of parts."""
    if isinstance(value, list):
        value = "".join(_text(part.get("text")) for part in value if isinstance(part, dict))
    return storable(value) if isinstance(value, str) else ""


def _count(value: JsonValue) -> int | None:
    whole = isinstance(value, int) and not isinstance(value, bool)
    return value if whole and 0 <= value <= MOST_TOKENS else None
