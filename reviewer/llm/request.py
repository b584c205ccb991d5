"""A request to a language model, and the reply."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from store.records import JsonValue, digest_of

Origin = Literal["model", "store", "recording"]


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """One message of a conversation."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One complete request. Parameters that are None are not sent, so the server uses its defaults.

    ``purpose`` is for people and tables and is not sent. ``repeat`` numbers requests that are equal on
    purpose, to tell them apart; it is not sent either. Protocols leave ``model`` out: a role names it.
    """

    messages: tuple[ChatMessage, ...]
    purpose: str
    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int | None = None
    seed: int | None = None
    repeat: int = 0
    model: str = ""
    response_format: Mapping[str, JsonValue] | None = None

    def body(self) -> dict[str, JsonValue]:
        """The request as it is sent, in JSON's types."""
        parameters = {
            "max_tokens": self.max_tokens,
            "response_format": None if self.response_format is None else dict(self.response_format),
            "seed": self.seed,
            "temperature": self.temperature,
            "top_p": self.top_p,
        }
        given = {name: value for name, value in parameters.items() if value is not None}
        messages = [{"role": message.role, "content": message.content} for message in self.messages]
        return {"model": self.model, "messages": messages, **given}

    def digest(self) -> str:
        """SHA-256 over the body and the repeat number (64 hex digits); it does not depend on the endpoint.

        A stored reply is used again only for the same endpoint (`store/calls.py`).
        """
        return request_digest(self.body(), self.repeat)


def request_digest(body: JsonValue, repeat: int) -> str:
    """The digest of a request body with its repeat number."""
    return digest_of({"request": body, "repeat": repeat})


@dataclass(frozen=True, slots=True)
class ModelReply:
    """A complete reply. ``text`` does not include the model's reasoning, which is in ``reasoning``.

    ``cost`` is in the currency of the price table; it is None if the model has no price. Tokens and cost are
    ``estimated`` from the text if the server reported no token counts, or impossible ones. ``attempts``
    is the number of attempts up to this reply, and ``seconds`` the duration of the last one. ``call`` is the
    id of the row in the store that holds the request and the answer.
    """

    text: str
    reasoning: str
    finish_reason: str
    prompt_tokens: int
    completion_tokens: int
    cost: float | None
    seconds: float
    attempts: int
    origin: Origin
    call: str
    estimated: bool = False
    answered_by: str = ""
    """The model that the server names; "" if it names none."""
