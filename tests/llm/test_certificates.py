"""Certificates are read for servers that encrypt; a model on this machine starts without them."""

import asyncio
import ssl

import httpx2
import pytest

from reviewer.llm.transport import Transport
from tests.llm.clients import QUICK, settings


@pytest.mark.parametrize(
    ("url", "reads"), [("http://127.0.0.1:1/v1", False), ("https://127.0.0.1:1/v1", True)]
)
def test_certificates_are_read_for_an_encrypted_server_only(
    url: str, reads: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[ssl.SSLContext] = []
    create = httpx2.create_ssl_context

    def counted() -> ssl.SSLContext:
        read.append(create())
        return read[-1]

    monkeypatch.setattr(httpx2, "create_ssl_context", counted)
    asyncio.run(Transport(settings(url).endpoint, QUICK).close())
    assert [context.verify_mode for context in read] == [ssl.CERT_REQUIRED] * reads
