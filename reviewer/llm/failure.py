"""The meaning of a failed attempt: a sentence, and whether another attempt can help."""

import json
import math
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC
from email.utils import parsedate_to_datetime

from reviewer.core.sanitize import one_line
from reviewer.llm.chat_completion import Answer, excerpt, split_thought, storable
from reviewer.llm.model_settings import Endpoint
from reviewer.llm.request_errors import (
    AnswerCut,
    AnswerEmpty,
    AnswerRefused,
    AnswerWithheld,
    GaveUp,
    KeyRefused,
    ModelError,
    NoSuchModel,
    QuotaSpent,
    RequestRefused,
    TooLong,
)
from store.records import JsonValue

_RETRIED = {408, 409, 425, 429}
_LONGEST_MESSAGE = 200
_NO_CREDIT = frozenset(("insufficient_quota", "billing_hard_limit_reached"))
_TOO_LONG = re.compile(
    r"context_length_exceeded|string_above_max_length|exceed_context_size|maximum context length"
    r"|prompt is too long|exceeds? (?:the )?(?:\w+ )?(?:context|token limit|maximum number of tokens)"
    r"|too many (?:input |prompt )?tokens|reduce the length",
    re.IGNORECASE,
)
_WITHHELD = re.compile(
    r"content_filter|content_policy|content management policy|ResponsibleAIPolicyViolation"
    r"|data_inspection_failed|content exists risk|safety system|moderation|inappropriate content|was flagged",
    re.IGNORECASE,
)
_OF_ONE_REQUEST = frozenset((400, 403, 413, 422, 451))
"""Responses that may concern this request alone. The server's words say so; codes differ between servers."""


class FailedAttempt(Exception):  # noqa: N818  # it never leaves this package
    """One attempt got no answer, for a ``reason`` without a full stop at its end.

    ``kind`` is the error to raise if there is no further attempt. ``status`` is that of the response, if
    there was one, and ``wait`` the number of seconds that the server asks for. ``answer`` is the part
    that arrived and may be charged.
    """

    def __init__(
        self,
        reason: str,
        kind: type[ModelError] = GaveUp,
        *,
        status: int | None = None,
        wait: float | None = None,
        answer: Answer | None = None,
    ) -> None:
        super().__init__(reason)
        self.reason, self.kind, self.status, self.wait, self.answer = reason, kind, status, wait, answer

    @property
    def may_succeed_later(self) -> bool:
        """Whether another attempt may succeed."""
        return self.kind in (GaveUp, AnswerEmpty)


@dataclass(frozen=True, slots=True)
class Refusal:
    """A response whose status is not a success."""

    status: int
    headers: Mapping[str, str]
    body: bytes


def refused(refusal: Refusal, endpoint: Endpoint, model: str) -> FailedAttempt:
    """The meaning of a response that is not a success."""
    said = _ServerError.of(refusal.body)
    host, status = endpoint.host, refusal.status
    if 300 <= status < 400:
        where = one_line(refusal.headers.get("location", "") or "an unnamed address")
        return FailedAttempt(
            f"{host} redirects to {where}, and the key is not sent there; "
            "if that server is the right one, give it as --base-url",
            RequestRefused,
            status=status,
        )
    if status == 401:
        return FailedAttempt(f"{host} {_about_key(endpoint, said)}", KeyRefused, status=status)
    if status == 402 or _NO_CREDIT.intersection(said.codes):
        return FailedAttempt(f"{host} reports that the credit is used up{said}", QuotaSpent, status=status)
    if status in _RETRIED or status >= 500:
        return FailedAttempt(
            f"{host} answered {status}{said}", status=status, wait=retry_after(refusal.headers)
        )
    return _about_this_request(said, status, model) or _not_taken(said, status, host, model)


def error_in_success(error: JsonValue, endpoint: Endpoint, model: str) -> FailedAttempt:
    """What an error means that a response reports although its status is a success."""
    said = _ServerError.of(json.dumps({"error": error}).encode())
    failed = _about_this_request(said, 400, model)
    if failed is None and _NO_CREDIT.intersection(said.codes):
        failed = FailedAttempt(f"{endpoint.host} reports that the credit is used up{said}", QuotaSpent)
    return failed or FailedAttempt(f"{endpoint.host} sent an error in the place of an answer{said}")


def _about_this_request(said: "_ServerError", status: int, model: str) -> FailedAttempt | None:
    """A request that the server does not take while it takes others of this model; None if it is not one."""
    if status not in _OF_ONE_REQUEST:
        return None
    if status == 413 or said.matches(_TOO_LONG):
        return FailedAttempt(f"the request is too long for {one_line(model)!r}{said}", TooLong, status=status)
    if said.matches(_WITHHELD):
        return FailedAttempt(
            f"the server's filter did not take the question{said}", AnswerWithheld, status=status
        )
    return None


def _about_key(endpoint: Endpoint, said: "_ServerError") -> str:
    if endpoint.key is None:
        return f"asks for a key and got none{said}; name its environment variable with --key-env"
    return f"rejected the key in {endpoint.key_variable}{said}; set another key"


def _not_taken(said: "_ServerError", status: int, host: str, model: str) -> FailedAttempt:
    shown = one_line(model)
    if status == 403:
        return FailedAttempt(f"{host} does not let this key use {shown!r}{said}", KeyRefused, status=status)
    if status in (404, 405) or "model_not_found" in said.codes:
        reason = f"{host} has no model {shown!r}{said}; check the model's name and --base-url"
        return FailedAttempt(reason, NoSuchModel, status=status)
    about = f"the parameter {said.parameter!r}" if said.parameter else f"the request ({status})"
    return FailedAttempt(f"{host} rejected {about}{said}", RequestRefused, status=status)


def fault(answer: Answer) -> FailedAttempt | None:
    """Why an answer that arrived cannot be used, or None if it can."""
    if answer.finish_reason == "length":
        tokens = "" if answer.completion_tokens is None else f" after {answer.completion_tokens:,} tokens"
        return FailedAttempt(
            f"the answer was cut off at the token limit{tokens}; allow more tokens", AnswerCut, status=200
        )
    if answer.finish_reason == "content_filter":
        return FailedAttempt("the server's filter withheld the answer", AnswerWithheld, status=200)
    if split_thought(answer.content)[0]:
        return None
    if answer.refusal:
        return FailedAttempt("the model refused to answer", AnswerRefused, status=200)
    if answer.tools:
        return FailedAttempt("the model called a tool instead of answering", AnswerRefused, status=200)
    return FailedAttempt("the answer is empty", AnswerEmpty, status=200)


_NO_TIME = 1e12
"""A number of seconds that no server means: 31,700 years."""


def retry_after(headers: Mapping[str, str]) -> float | None:
    """The seconds that a response asks to wait, given as a number or an HTTP date (RFC 9110, 10.2.3)."""
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
    return max(value, 0.0) if math.isfinite(value) and value < _NO_TIME else None


def _until(text: str) -> float | None:
    try:
        moment = parsedate_to_datetime(text)
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return max(moment.timestamp() - time.time(), 0.0)
    except (ValueError, OverflowError):
        return None


@dataclass(frozen=True, slots=True)
class _ServerError:
    """A server's own words about an error, in OpenAI's form if possible, else the beginning of the body."""

    message: str
    codes: frozenset[str] = frozenset()
    parameter: str = ""

    @classmethod
    def of(cls, body: bytes) -> "_ServerError":
        try:
            decoded = json.loads(body)
        except (ValueError, RecursionError):
            return cls(excerpt(body))
        error = decoded.get("error", decoded) if isinstance(decoded, dict) else None
        if isinstance(error, str):
            return cls(_line(error))
        if not isinstance(error, dict):
            return cls(excerpt(body))
        message = error.get("message") or error.get("detail") or ""
        return cls(
            _line(message if isinstance(message, str) else json.dumps(message)),
            frozenset(_line(str(error[name])) for name in ("code", "type") if error.get(name)),
            _line(str(error.get("param") or "")),
        )

    def matches(self, pattern: re.Pattern[str]) -> bool:
        """Whether a code or the message fits a pattern."""
        return any(map(pattern.search, (*self.codes, self.message)))

    def __str__(self) -> str:
        return f" ({self.message.rstrip('.')})" if self.message else ""


def _line(text: str) -> str:
    return one_line(storable(text), _LONGEST_MESSAGE)
