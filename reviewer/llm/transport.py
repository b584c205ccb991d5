"""One attempt over HTTP. The only module that imports openai, and only when a request is sent."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import aclosing
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from reviewer.core.sanitize import one_line
from reviewer.llm.chat_completion import Answer, UnreadableCompletion, error_in, read_answer, unread_answer
from reviewer.llm.failure import FailedAttempt, Refusal, error_in_success, refused
from reviewer.llm.model_settings import DEFAULT_URL, Endpoint, RetryLimits
from reviewer.llm.request_errors import ExtraMissing, RequestRefused
from store.records import JsonValue

if TYPE_CHECKING:
    import ssl

    import httpx2

HIDDEN = "[key]"
# Servers without keys often get a placeholder ("none", "ollama"), which is not secret and may be in answers.
_SHORTEST_SECRET = 8

_OF_AN_ACCOUNT = ("OpenAI-Organization", "OpenAI-Project")
_MOST_BYTES = 2 << 20  # half a million tokens; in memory, wide characters make an answer four times as large
_MOST_ERROR_BYTES = 64 << 10
_SENDING = ("send_request_headers.started", "send_request_body.started")
"""The last events of a request before bytes go out. A process may be stopped between them for long."""


class Transport:
    """Sends requests to one endpoint. It tries once; the caller repeats and counts attempts.

    Address and headers are those of openai's client. The requests are sent by the HTTP client below it: its
    own ``post`` takes longer to build a request than to send it. A client has one connection, because it
    searches all of its connections for each request.
    """

    def __init__(
        self, endpoint: Endpoint, patience: RetryLimits, may_send: Callable[[], None] | None = None
    ) -> None:
        """``may_send`` is called right before something is sent, and raises NotSent to prevent it."""
        self._may_send = may_send
        self._endpoint = endpoint
        self._patience = patience
        self._tls = _tls(endpoint.url)
        self._timeout = _timeout(patience)
        self._clients: list[httpx2.AsyncClient] = []
        self._idle = [self._client()]
        self._url, self._headers = _url_and_headers(endpoint, self._idle[0])

    @property
    def _watch(self) -> dict[str, Any]:
        """What makes the HTTP client tell of its events, if somebody wants to know."""
        return {"trace": self._check_before_sending} if self._may_send else {}

    async def _check_before_sending(self, event: str, _info: object) -> None:
        if self._may_send and event.endswith(_SENDING):
            self._may_send()

    async def close(self) -> None:
        """Close every connection."""
        for client in self._clients:
            await client.aclose()

    async def send(self, body: Mapping[str, JsonValue]) -> Answer:
        """The answer to a request body; raises FailedAttempt, whose reason does not contain the key."""
        parts: list[bytes] = []
        try:
            return await self._sent(body, parts)
        except FailedAttempt as failed:
            if parts:
                failed.status, failed.answer = 200, unread_answer(b"".join(parts))
            raise

    async def _sent(self, body: Mapping[str, JsonValue], parts: list[bytes]) -> Answer:
        """The answer. The body that arrives is added to ``parts``, even if no answer can be read from it."""
        try:
            async with asyncio.timeout(self._patience.total):
                return self._without_key(read_answer(self._keyless(await self._fetch(body, parts))))
        except TimeoutError as error:
            reason = f"no complete answer arrived within {self._patience.total:g} seconds"
            raise FailedAttempt(reason) from error
        except UnreadableCompletion as error:
            reported = self._reported_error(b"".join(parts), str(body["model"]))
            raise reported or FailedAttempt(str(error), status=200) from error

    def _reported_error(self, body: bytes, model: str) -> FailedAttempt | None:
        """What an error means that a body reports in the place of an answer; None if it reports none."""
        error = error_in(self._keyless(body))
        if not error:
            return None
        failed = error_in_success(error, self._endpoint, model)
        failed.reason = without_key(failed.reason, self._endpoint.key)
        return failed

    async def _fetch(self, body: Mapping[str, JsonValue], parts: list[bytes]) -> bytes:
        import httpx2

        client = self._idle.pop() if self._idle else self._client()
        try:
            # The bytes that openai's client sends.
            content = json.dumps(body, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()
            request = httpx2.Request(
                "POST",
                self._url,
                headers=self._headers,
                content=content,
                extensions={"timeout": self._timeout.as_dict(), **self._watch},
            )
            response = await client.send(request, stream=True)
            async with aclosing(response):
                if not response.is_success:  # redirects included
                    raise await self._refused(response, str(body["model"]))
                return await self._whole(response.aiter_bytes(), _MOST_BYTES, parts)
        except (httpx2.RequestError, httpx2.StreamError) as error:
            raise FailedAttempt(self._disconnected(error)) from error
        except (httpx2.InvalidURL, ValueError) as error:
            reason = without_key(f"the request cannot be sent ({one_line(str(error))})", self._endpoint.key)
            raise FailedAttempt(reason, RequestRefused) from error
        finally:
            self._idle.append(client)

    async def _whole(self, chunks: AsyncIterator[bytes], most: int, parts: list[bytes]) -> bytes:
        """The complete body, from ``parts``; raises FailedAttempt if it stalls or exceeds ``most`` bytes."""
        size = 0
        while size <= most:
            try:
                async with asyncio.timeout(self._patience.stall):
                    part = await anext(chunks, None)
            except TimeoutError as error:
                reason = f"the answer stalled for {self._patience.stall:g} seconds after {size:,} bytes"
                raise FailedAttempt(reason, status=200) from error
            if part is None:
                parts[:] = [b"".join(parts)]  # one copy of a body that may be large, while others arrive
                return parts[0]
            parts.append(part)
            size += len(part)
        raise FailedAttempt(f"the answer has more than {most:,} bytes", status=200)

    async def _refused(self, response: "httpx2.Response", model: str) -> FailedAttempt:
        """What became of a request whose response is not a success."""
        try:
            body = await self._whole(response.aiter_bytes(), _MOST_ERROR_BYTES, [])
        except FailedAttempt:
            body = b""
        headers = {name.lower(): value for name, value in response.headers.items()}
        headers["location"] = self._target(headers.get("location", ""))
        refusal = Refusal(response.status_code, headers, self._keyless(body))
        failed = refused(refusal, self._endpoint, model)
        failed.reason = without_key(failed.reason, self._endpoint.key)
        counted = unread_answer(refusal.body)
        if counted.prompt_tokens or counted.completion_tokens:
            failed.answer = counted
        return failed

    def _client(self) -> "httpx2.AsyncClient":
        """A new client."""
        import httpx2

        client = httpx2.AsyncClient(
            verify=self._tls, limits=httpx2.Limits(max_connections=1), follow_redirects=False
        )
        self._clients.append(client)
        return client

    def _target(self, location: str) -> str:
        """The target of a redirect, without the query, in which a hostile server may have put anything."""
        return without_key(location.partition("?")[0], self._endpoint.key)

    def _disconnected(self, error: Exception) -> str:
        import httpx2

        host = self._endpoint.host
        if isinstance(error, httpx2.ConnectTimeout):
            return f"{host} accepted no connection within {self._patience.connect:g} seconds"
        if isinstance(error, httpx2.ConnectError):
            return f"{host} cannot be reached ({one_line(str(error))})"
        return f"the connection to {host} broke before the answer was complete ({type(error).__name__})"

    def _without_key(self, answer: Answer) -> Answer:
        """The answer with the key removed, also where JSON escapes had hidden it."""
        key = self._endpoint.key
        content, thought = without_key(answer.content, key), without_key(answer.thought, key)
        by, fingerprint = without_key(answer.answered_by, key), without_key(answer.fingerprint, key)
        reason, refusal = without_key(answer.finish_reason, key), without_key(answer.refusal, key)
        return replace(
            answer,
            content=content,
            thought=thought,
            finish_reason=reason,
            refusal=refusal,
            tools=without_key(answer.tools, key),
            answered_by=by,
            fingerprint=fingerprint,
        )

    def _keyless(self, body: bytes) -> bytes:
        """A body with the key removed wherever the server repeats it unescaped."""
        key = self._endpoint.key
        if key is None or key.encode() not in body:
            return body
        return without_key(body.decode("utf-8", "surrogateescape"), key).encode("utf-8", "surrogateescape")


def load_client() -> None:
    """Import openai; raises ExtraMissing if it is not installed."""
    try:
        import openai  # noqa: F401
    except ImportError as error:
        raise ExtraMissing from error


def _url_and_headers(endpoint: Endpoint, client: "httpx2.AsyncClient") -> "tuple[httpx2.URL, httpx2.Headers]":
    """Where requests go, and their headers, as openai's client has them.

    Key, organization and project are explicit: the client takes them from the environment for any server.
    """
    import httpx2
    import openai

    known = openai.AsyncOpenAI(api_key=endpoint.key or "none", base_url=endpoint.url, http_client=client)
    headers = httpx2.Headers(client.headers)
    headers.update({name: value for name, value in known.default_headers.items() if isinstance(value, str)})
    if urlsplit(endpoint.url).hostname != urlsplit(DEFAULT_URL).hostname:
        for name in _OF_AN_ACCOUNT:
            headers.pop(name, None)
    headers.pop("Authorization", None)
    if endpoint.key:
        headers["Authorization"] = f"Bearer {endpoint.key}"
    return known.base_url.join("chat/completions"), headers


def _timeout(patience: RetryLimits) -> "httpx2.Timeout":
    import httpx2

    return httpx2.Timeout(patience.total, connect=patience.connect, pool=None)


def _tls(url: str) -> "ssl.SSLContext":
    """The system's certificates, read once for all clients, since this takes longer than everything else.

    A server without encryption, such as a model on this machine, needs none; then nobody is trusted.
    """
    import ssl

    import httpx2

    if urlsplit(url).scheme == "http":
        return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    return httpx2.create_ssl_context()


def without_key(text: str, key: str | None) -> str:
    """The text with each occurrence of the key replaced, so that it is neither stored nor shown."""
    if key is None or len(key) < _SHORTEST_SECRET:
        return text
    return text.replace(key, HIDDEN)
