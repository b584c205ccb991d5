"""What an attempt that gave no answer means: in a sentence, and whether trying again can help."""

import json
import math
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC
from email.utils import parsedate_to_datetime

from reviewer.core.sanitize import one_line
from reviewer.llm.answer import Answer, excerpt, split_thought, storable
from reviewer.llm.errors import (
    AnswerCut,
    AnswerEmpty,
    AnswerWithheld,
    GaveUp,
    KeyRefused,
    ModelError,
    NoSuchModel,
    QuotaSpent,
    RequestRefused,
    TooLong,
)
from reviewer.llm.settings import Endpoint

_RETRIED = {408, 409, 425, 429}
_LONGEST_MESSAGE = 200
_NO_CREDIT = ("insufficient_quota", "billing_hard_limit_reached")
_TOO_LONG = ("context_length_exceeded", "string_above_max_length")


class FailedAttempt(Exception):  # noqa: N818  # it never leaves this package
    """One attempt gave no answer, for a ``reason`` without a full stop at its end.

    ``kind`` is the error that this comes to when nothing more is tried. ``status`` is that of the response,
    if one came; ``wait`` the seconds that the server asks for.
    """

    def __init__(
        self,
        reason: str,
        kind: type[ModelError] = GaveUp,
        *,
        status: int | None = None,
        wait: float | None = None,
    ) -> None:
        super().__init__(reason)
        self.reason, self.kind, self.status, self.wait = reason, kind, status, wait

    @property
    def may_succeed_later(self) -> bool:
        """Whether trying again may help."""
        return self.kind in (GaveUp, AnswerEmpty)


@dataclass(frozen=True, slots=True)
class Refusal:
    """A response with a status that is no success."""

    status: int
    headers: Mapping[str, str]
    body: bytes


def refused(refusal: Refusal, endpoint: Endpoint, model: str) -> FailedAttempt:
    """What a response that is no success means."""
    said = _ServerError.of(refusal.body)
    host, status = endpoint.host, refusal.status
    if 300 <= status < 400:
        where = one_line(refusal.headers.get("location", "") or "nowhere")
        return FailedAttempt(
            f"{host} sends us elsewhere ({where}), where the key does not go; "
            "if that is right, give it as --base-url",
            RequestRefused,
            status=status,
        )
    if status == 401:
        return FailedAttempt(f"{host} {_about_key(endpoint, said)}", KeyRefused, status=status)
    if status == 402 or said.code in _NO_CREDIT:
        return FailedAttempt(f"{host} says that the credit is used up{said}", QuotaSpent, status=status)
    if status in _RETRIED or status >= 500:
        return FailedAttempt(
            f"{host} answered {status}{said}", status=status, wait=retry_after(refusal.headers)
        )
    return _not_taken(said, status, host, model)


def _about_key(endpoint: Endpoint, said: "_ServerError") -> str:
    if endpoint.key is None:
        return f"asks for a key, and got none{said}; name its environment variable with --key-env"
    return f"refused the key in {endpoint.key_variable}{said}; set another"


def _not_taken(said: "_ServerError", status: int, host: str, model: str) -> FailedAttempt:
    shown = one_line(model)
    if status == 403:
        return FailedAttempt(f"{host} does not let this key use {shown!r}{said}", KeyRefused, status=status)
    if status in (404, 405) or said.code == "model_not_found":
        reason = f"{host} has no model {shown!r}{said}; check the model's name and --base-url"
        return FailedAttempt(reason, NoSuchModel, status=status)
    if status == 413 or said.code in _TOO_LONG:
        return FailedAttempt(f"the request is too long for {shown!r}{said}", TooLong, status=status)
    about = f"the parameter {said.parameter!r}" if said.parameter else f"the request ({status})"
    return FailedAttempt(f"{host} refused {about}{said}", RequestRefused, status=status)


def fault(answer: Answer) -> FailedAttempt | None:
    """What keeps an answer that came from being one, or None."""
    if answer.finish_reason == "length":
        tokens = "" if answer.completion_tokens is None else f" after {answer.completion_tokens:,} tokens"
        return FailedAttempt(
            f"the answer is cut off at the limit{tokens}; allow more tokens", AnswerCut, status=200
        )
    if answer.finish_reason == "content_filter":
        return FailedAttempt("the server's filter held the answer back", AnswerWithheld, status=200)
    if not split_thought(answer.content)[0]:
        return FailedAttempt("the answer is empty", AnswerEmpty, status=200)
    return None


def retry_after(headers: Mapping[str, str]) -> float | None:
    """The seconds that a response asks to wait, from a number or an HTTP date (RFC 9110, 10.2.3)."""
    milliseconds = _number(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return milliseconds / 1000
    value = headers.get("retry-after", "")
    seconds = _number(value)
    return _until(value) if seconds is None else seconds


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return max(value, 0.0) if math.isfinite(value) else None


def _until(text: str) -> float | None:
    try:
        moment = parsedate_to_datetime(text)
    except ValueError:
        return None
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return max(moment.timestamp() - time.time(), 0.0)


@dataclass(frozen=True, slots=True)
class _ServerError:
    """What a server says about an error: OpenAI's shape, or whatever came."""

    message: str
    code: str
    parameter: str

    @classmethod
    def of(cls, body: bytes) -> "_ServerError":
        try:
            found = json.loads(body)
        except (ValueError, RecursionError):
            return cls(excerpt(body), "", "")
        error = found.get("error", found) if isinstance(found, dict) else None
        if isinstance(error, str):
            return cls(_line(error), "", "")
        if not isinstance(error, dict):
            return cls(excerpt(body), "", "")
        message = error.get("message") or error.get("detail") or ""
        return cls(
            _line(message if isinstance(message, str) else json.dumps(message)),
            _line(str(error.get("code") or error.get("type") or "")),
            _line(str(error.get("param") or "")),
        )

    def __str__(self) -> str:
        return f" ({self.message.rstrip('.')})" if self.message else ""


def _line(text: str) -> str:
    return one_line(storable(text), _LONGEST_MESSAGE)
