"""What is asked of a model, and what it answers."""

from dataclasses import asdict, dataclass
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
    """One request, complete. Parameters that are None are not sent, so that the server's own hold.

    ``purpose`` is for people and tables and is not sent. ``repeat`` tells apart the times that the same
    request is asked on purpose; it is not sent either.
    """

    model: str
    messages: tuple[ChatMessage, ...]
    purpose: str
    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int | None = None
    seed: int | None = None
    repeat: int = 0

    def body(self) -> dict[str, JsonValue]:
        """The request as it is sent, in JSON's types."""
        parameters = {
            "temperature": self.temperature,
            "top_p": self.top_p,
            "max_tokens": self.max_tokens,
            "seed": self.seed,
        }
        said = {name: value for name, value in parameters.items() if value is not None}
        return {"model": self.model, "messages": [asdict(message) for message in self.messages], **said}

    def digest(self) -> str:
        """SHA-256 over all that is sent and the repeat number (64 hex digits), whoever is asked."""
        return request_digest(self.body(), self.repeat)


def request_digest(body: JsonValue, repeat: int) -> str:
    """The digest of a request as sent, asked for the ``repeat``-th time."""
    return digest_of({"request": body, "repeat": repeat})


@dataclass(frozen=True, slots=True)
class ModelReply:
    """A whole answer. ``text`` is without the reasoning that the model gave beside it.

    ``cost`` is in the currency of the price table, None where the model has no price. It and the tokens are
    ``estimated`` from the text where the server counted none, or what can be none. ``attempts`` counts what
    was sent until this came, ``seconds`` is the time of the last attempt. ``call`` is the id of the row
    (store) that has request and answer.
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
