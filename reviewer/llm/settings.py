"""How models are reached and what they may use: address, key, limits, prices, patience."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    NonNegativeFloat,
    NonNegativeInt,
    PositiveFloat,
    PositiveInt,
)

from reviewer.core.errors import RequestError
from reviewer.core.sanitize import one_line

DEFAULT_URL = "https://api.openai.com/v1"
# A key goes to a host only where somebody meant it to: by naming the variable, or by these.
_VARIABLE = re.compile(r"[A-Z]{1,12}(_[A-Z0-9]{1,8})+")
"""Names such as GROQ_API_KEY; what looks otherwise is never printed."""
KEY_VARIABLES = {"api.openai.com": "OPENAI_API_KEY", "api.groq.com": "GROQ_API_KEY"}


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An OpenAI-compatible server. The key is never shown: not by repr, and not in any message."""

    url: str = DEFAULT_URL
    key_variable: str | None = None
    key: str | None = field(default=None, repr=False)

    @classmethod
    def of(
        cls, url: str, key_variable: str | None, environment: Mapping[str, str] = os.environ
    ) -> "Endpoint":
        """The endpoint at a URL with the key in the named variable; raises RequestError.

        Without a name, OpenAI's and Groq's own variables are used for their hosts; no other host gets a key.
        """
        host = _checked_host(url)
        name = key_variable or KEY_VARIABLES.get(host)
        key = environment.get(name, "").strip() if name else ""
        if name and not key:
            raise RequestError(
                f"{host} needs a key, and {_shown_variable(name)} is not set; "
                "set it, or name another with --key-env."
            )
        if not key.isascii() or not key.isprintable() or " " in key:
            raise RequestError(f"the key in {name} has characters that no key has; copy it again.")
        return cls(url.rstrip("/"), name, key or None)

    @property
    def host(self) -> str:
        """The host, with the port where one is given, as people know the server."""
        return urlsplit(self.url).netloc


def _shown_variable(name: str) -> str:
    """The variable as a sentence may call it: not by a name that may be the key itself, given by mistake."""
    if _VARIABLE.fullmatch(name):
        return f"the environment variable {name}"
    return "the environment variable that --key-env names (a variable's name belongs there, not a key)"


def _checked_host(url: str) -> str:
    shown = one_line(url)
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError as error:
        raise RequestError(f"base URL {shown!r} is no URL ({error}); give one like {DEFAULT_URL}.") from error
    if parts.scheme not in ("http", "https") or not host:
        raise RequestError(f"base URL {shown!r} is no web address; give one like {DEFAULT_URL}.")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise RequestError(
            f"the base URL for {host} has more than an address (a user, password or query), which would be "
            "kept with every call; leave it out and name the key's variable with --key-env."
        )
    return host


class _Checked(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Price(_Checked):
    """What a model costs for a million tokens, in the currency of the table."""

    prompt: NonNegativeFloat
    completion: NonNegativeFloat

    def of(self, prompt_tokens: int, completion_tokens: int) -> float:
        """The cost of a call."""
        return (self.prompt * prompt_tokens + self.completion * completion_tokens) / 1_000_000


class CallLimits(_Checked):
    """What may be used: calls at a time; requests and tokens in any minute; money and calls in all.

    None is no limit. Money and calls count from the start of the program, not over earlier ones.
    """

    concurrency: int = Field(default=8, ge=1, le=1000)
    requests_per_minute: PositiveInt | None = None
    tokens_per_minute: PositiveInt | None = None
    budget: NonNegativeFloat | None = None
    calls: NonNegativeInt | None = None


class Patience(_Checked):
    """How long to wait, in seconds, and how often to try.

    ``connect`` for a connection, ``stall`` for more of an answer that has begun, ``total`` for a whole
    answer; ``attempts`` in all; between them ``backoff``, doubled each time, or what the server asks for, but
    nobody waits longer than ``longest``.
    """

    connect: PositiveFloat = 10.0
    stall: PositiveFloat = 60.0
    total: PositiveFloat = 600.0
    attempts: PositiveInt = 6
    backoff: NonNegativeFloat = 1.0
    longest: NonNegativeFloat = 120.0


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """All that a client for models needs to know. ``fresh`` asks again what was answered before this run."""

    endpoint: Endpoint
    limits: CallLimits = field(default_factory=CallLimits)
    patience: Patience = field(default_factory=Patience)
    prices: Mapping[str, Price] = field(default_factory=dict)
    fresh: bool = False
