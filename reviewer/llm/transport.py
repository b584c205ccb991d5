"""One attempt over HTTP. The only module that imports openai, and only when a request is sent."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import aclosing
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from reviewer.core.sanitize import one_line
from reviewer.llm.answer import Answer, UnreadableCompletion, read_answer, unread_answer
from reviewer.llm.errors import ExtraMissing, RequestRefused
from reviewer.llm.failure import FailedAttempt, Refusal, refused
from reviewer.llm.settings import DEFAULT_URL, Endpoint, RetryLimits
from store.records import JsonValue

if TYPE_CHECKING:
    import ssl

    import httpx2
    import openai

HIDDEN = "[key]"
# Servers without keys often get a placeholder ("none", "ollama"), which is not secret and may be in answers.
_SHORTEST_SECRET = 8

_CONNECTIONS_A_CLIENT = 8
_MOST_BYTES = 16 << 20
_MOST_ERROR_BYTES = 64 << 10


class _Refused(Exception):  # noqa: N818  # carries a response past openai's own retries and parsing
    def __init__(self, refusal: Refusal) -> None:
        self.refusal = refusal


class Transport:
    """Sends requests to one endpoint, at most ``connections`` at a time.

    It tries once; the caller repeats and counts attempts.
    """

    def __init__(self, endpoint: Endpoint, patience: RetryLimits, connections: int) -> None:
        self._endpoint = endpoint
        self._patience = patience
        self._headers = _headers(endpoint)
        # For each request, a client searches all its connections; several clients with few each are faster.
        clients = -(-connections // _CONNECTIONS_A_CLIENT)
        tls = _tls(endpoint.url)
        self._clients = [_client(endpoint, patience, tls, self._stop_at_refusal) for _ in range(clients)]
        self._idle = self._clients * _CONNECTIONS_A_CLIENT

    async def close(self) -> None:
        """Close every connection."""
        for client in self._clients:
            await client.close()

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
            raise FailedAttempt(str(error), status=200) from error
        except _Refused as error:
            failed = refused(error.refusal, self._endpoint, str(body["model"]))
            failed.reason = without_key(failed.reason, self._endpoint.key)
            counted = unread_answer(error.refusal.body)
            if counted.prompt_tokens or counted.completion_tokens:
                failed.answer = counted
            raise failed from error

    async def _fetch(self, body: Mapping[str, JsonValue], parts: list[bytes]) -> bytes:
        import httpx2
        import openai

        client = self._idle.pop()
        # Not chat.completions.create, which spends as long on looking through a body as on sending it.
        post: Any = client.post
        try:
            response = await post(
                "/chat/completions",
                cast_to=httpx2.Response,
                body=body,
                options={"headers": self._headers},
                stream=True,
                stream_cls=openai.AsyncStream[Any],
            )
            async with aclosing(response):
                return await self._whole(response.aiter_bytes(), _MOST_BYTES, parts)
        except (openai.APIConnectionError, httpx2.RequestError, httpx2.StreamError) as error:
            raise FailedAttempt(self._disconnected(error)) from error
        except (openai.OpenAIError, httpx2.InvalidURL, UnicodeError) as error:
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
                return b"".join(parts)
            parts.append(part)
            size += len(part)
        raise FailedAttempt(f"the answer has more than {most:,} bytes", status=200)

    async def _stop_at_refusal(self, response: "httpx2.Response") -> None:
        """Raise _Refused for every response that is not a success, redirects included, with its body."""
        if response.is_success:
            return
        try:
            body = await self._whole(response.aiter_bytes(), _MOST_ERROR_BYTES, [])
        except FailedAttempt:
            body = b""
        headers = {name.lower(): value for name, value in response.headers.items()}
        headers["location"] = self._target(headers.get("location", ""))
        raise _Refused(Refusal(response.status_code, headers, self._keyless(body)))

    def _target(self, location: str) -> str:
        """The target of a redirect, without the query, in which a hostile server may have put anything."""
        return without_key(location.partition("?")[0], self._endpoint.key)

    def _disconnected(self, error: Exception) -> str:
        import httpx2

        cause = error.__cause__ or error
        host = self._endpoint.host
        if isinstance(cause, httpx2.ConnectTimeout):
            return f"{host} accepted no connection within {self._patience.connect:g} seconds"
        if isinstance(cause, httpx2.ConnectError):
            return f"{host} cannot be reached ({one_line(str(cause))})"
        return f"the connection to {host} broke before the answer was complete ({type(cause).__name__})"

    def _without_key(self, answer: Answer) -> Answer:
        """The answer with the key removed, also where JSON escapes had hidden it."""
        key = self._endpoint.key
        content, thought = without_key(answer.content, key), without_key(answer.thought, key)
        by, fingerprint = without_key(answer.answered_by, key), without_key(answer.fingerprint, key)
        reason = without_key(answer.finish_reason, key)
        return replace(
            answer,
            content=content,
            thought=thought,
            finish_reason=reason,
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


def _headers(endpoint: Endpoint) -> dict[str, Any]:
    """Explicit headers. Otherwise openai's client would take them from the environment for any server."""
    from openai import Omit

    headers: dict[str, Any] = {"Authorization": f"Bearer {endpoint.key}" if endpoint.key else Omit()}
    if urlsplit(endpoint.url).hostname != urlsplit(DEFAULT_URL).hostname:
        headers |= {"OpenAI-Organization": Omit(), "OpenAI-Project": Omit()}
    return headers


def _tls(url: str) -> "ssl.SSLContext":
    """The system's certificates, read once for all clients, since this takes longer than everything else.

    A server without encryption, such as a model on this machine, needs none; then nobody is trusted.
    """
    import ssl

    import httpx2

    if urlsplit(url).scheme == "http":
        return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    return httpx2.create_ssl_context()


def _client(
    endpoint: Endpoint, patience: RetryLimits, tls: "ssl.SSLContext", hook: Any
) -> "openai.AsyncOpenAI":
    import httpx2
    import openai

    timeout = httpx2.Timeout(patience.total, connect=patience.connect, pool=None)
    http = httpx2.AsyncClient(
        timeout=timeout,
        verify=tls,
        limits=httpx2.Limits(max_connections=_CONNECTIONS_A_CLIENT),
        follow_redirects=False,
        event_hooks={"response": [hook]},
    )
    return openai.AsyncOpenAI(
        api_key=endpoint.key or "none",
        base_url=endpoint.url,
        max_retries=0,
        timeout=timeout,
        http_client=http,
    )


def without_key(text: str, key: str | None) -> str:
    """The text with each occurrence of the key replaced, so that it is neither stored nor shown."""
    if key is None or len(key) < _SHORTEST_SECRET:
        return text
    return text.replace(key, HIDDEN)
