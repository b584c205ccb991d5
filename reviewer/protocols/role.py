"""Roles: in which parts models take part in a run, and the parameters sent to them with the messages."""

from dataclasses import dataclass, replace
from typing import Any, Literal

from reviewer.llm.request import ModelRequest


@dataclass(frozen=True, slots=True)
class Sampling:
    """The parameters that are sent with the messages, and how the repeats of a request differ.

    Parameters that are None are not sent, so the server uses its defaults. Repeats differ by blanks at the
    end of the last message (as many as the number of the repeat), by the seed that is sent, or not at all.
    """

    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int | None = None
    seed: int | None = None
    repeats_by: Literal["blanks", "seed", "none"] = "none"

    def applied(self, request: ModelRequest, repeat: int, model: str = "") -> ModelRequest:
        """The request of one repeat (from 0) as it is sent to a model; it keeps what it names itself."""
        *before, last = request.messages
        if self.repeats_by == "blanks":
            last = replace(last, content=last.content + " " * repeat)
        parameters = self.parameters(repeat).items()
        sent = {name: value for name, value in parameters if getattr(request, name) is None}
        number = request.repeat + repeat
        return replace(request, messages=(*before, last), repeat=number, model=model or request.model, **sent)

    def parameters(self, repeat: int) -> dict[str, Any]:
        """The parameters of one repeat (from 0) by name; those that are None are not sent."""
        return {
            "temperature": self.temperature,
            "top_p": self.top_p,
            "max_tokens": self.max_tokens,
            "seed": (self.seed or 0) + repeat if self.repeats_by == "seed" else self.seed,
        }

    @property
    def in_words(self) -> str:
        """Which parameters are sent, and which are not; a seed is that of the first repeat."""
        parameters = self.parameters(0).items()
        sent = [f"{name} {value:g}" for name, value in parameters if value is not None]
        left_out = [name for name, value in parameters if value is None]
        if not sent:
            return "none sent, so the server's defaults"
        return "; not sent: ".join(filter(None, (", ".join(sent), ", ".join(left_out))))
