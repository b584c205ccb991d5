"""How models are reached, and their limits: address, key, limits, prices, retries."""

import os
import re
from collections.abc import Iterable, Mapping
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
_VARIABLE = re.compile(r"[A-Z]{1,12}(_[A-Z0-9]{1,8})+")
"""Names such as GROQ_API_KEY. A name of another form may be a key, so it is never printed."""
KEY_VARIABLES = {"api.openai.com": "OPENAI_API_KEY", "api.groq.com": "GROQ_API_KEY"}
"""The variables that are read without being named. Other hosts get a key only if a person names one."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An OpenAI-compatible server. Neither ``repr`` nor any message shows the key."""

    url: str = DEFAULT_URL
    key_variable: str | None = None
    key: str | None = field(default=None, repr=False)

    @classmethod
    def of(
        cls, url: str, key_variable: str | None, environment: Mapping[str, str] = os.environ
    ) -> "Endpoint":
        """The endpoint at a URL, with the key from the named variable; raises RequestError.

        Without a name, ``KEY_VARIABLES`` gives the variable for the host; other hosts get no key.
        """
        host = _checked_host(url)
        name = key_variable or KEY_VARIABLES.get(host)
        key = environment.get(name, "").strip() if name else ""
        if name and not key:
            raise RequestError(
                f"{host} needs a key, and {_shown_variable(name)} is not set; "
                "set it, or name another variable with --key-env."
            )
        if not key.isascii() or not key.isprintable() or " " in key:
            raise RequestError(
                f"the key in {name} contains a character that keys never contain; copy it again."
            )
        return cls(url.rstrip("/"), name, key or None)

    @property
    def host(self) -> str:
        """The host, with the port if the URL has one."""
        return urlsplit(self.url).netloc


def _shown_variable(name: str) -> str:
    """The variable for use in a message. A name that may be the key itself, given by mistake, is left out."""
    if _VARIABLE.fullmatch(name):
        return f"the environment variable {name}"
    return "the environment variable that --key-env names (give the name of a variable there, not a key)"


def _checked_host(url: str) -> str:
    shown = one_line(url)
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError as error:
        wrong = f"base URL {shown!r} is not a URL ({error}); give one like {DEFAULT_URL}."
        raise RequestError(wrong) from error
    if parts.scheme not in ("http", "https") or not host:
        raise RequestError(f"base URL {shown!r} is not a web address; give one like {DEFAULT_URL}.")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise RequestError(
            f"the base URL for {host} contains a user, password, query or fragment, which would be stored "
            "with every call; leave it out and name the key's variable with --key-env."
        )
    return host


class _Checked(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Price(_Checked):
    """The price of a model for a million tokens, in the currency of the price table."""

    prompt: NonNegativeFloat
    completion: NonNegativeFloat

    def of(self, prompt_tokens: int, completion_tokens: int) -> float:
        """The cost of a call."""
        return (self.prompt * prompt_tokens + self.completion * completion_tokens) / 1_000_000


class CallLimits(_Checked):
    """Limits: calls at a time; requests and tokens in any minute; money and calls in total.

    None means no limit. Money and calls are counted from the start of the program; earlier runs do not count.
    """

    concurrency: int = Field(default=8, ge=1, le=1000)
    requests_per_minute: PositiveInt | None = None
    tokens_per_minute: PositiveInt | None = None
    budget: NonNegativeFloat | None = None
    calls: NonNegativeInt | None = None


class RetryLimits(_Checked):
    """How long to wait, in seconds, and how often to try.

    ``connect`` limits the wait for a connection, ``stall`` the wait for more of an answer that has begun, and
    ``total`` the wait for a whole answer. ``attempts`` is the number of attempts in total. The wait before
    the second attempt is at most ``backoff``; each later wait is twice as long. A server may ask for another
    wait. A request that would have to wait longer than ``longest`` fails.
    """

    connect: PositiveFloat = 10.0
    stall: PositiveFloat = 60.0
    total: PositiveFloat = 600.0
    attempts: PositiveInt = 6
    backoff: NonNegativeFloat = 1.0
    longest: NonNegativeFloat = 120.0


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """All settings of a client. ``fresh``: send requests again that were answered before this run."""

    endpoint: Endpoint
    limits: CallLimits = field(default_factory=CallLimits)
    patience: RetryLimits = field(default_factory=RetryLimits)
    prices: Mapping[str, Price] = field(default_factory=dict)
    fresh: bool = False

    def check_prices(self, models: Iterable[str]) -> None:
        """Raise RequestError for a model whose calls a budget could not count."""
        for model in models if self.limits.budget is not None else ():
            if model not in self.prices:
                raise RequestError(
                    f"a budget needs prices, and {one_line(model)!r} has none; add it to the models file, or "
                    "give no budget."
                )
