"""The guard in conftest: nothing that tests do leaves this machine."""

import asyncio
import socket
import subprocess
import sys

import pytest

from reviewer.llm.client import HttpModelClient
from reviewer.llm.model_settings import RetryLimits
from reviewer.llm.request_errors import GaveUp
from tests.llm.clients import Rows, question, settings

OUTSIDE = "192.0.2.1"  # reserved for documentation (RFC 5737): nobody is there, should the guard fail


@pytest.mark.parametrize("host", [OUTSIDE, "0.0.0.0", "127.evil.test", "localhost.evil.test", "::2"])
def test_connections_are_refused(host: str) -> None:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as outward, pytest.raises(AssertionError, match="reached for the network"):
        outward.connect((host, 80))
    with socket.socket(family) as outward, pytest.raises(AssertionError):
        outward.connect_ex((host, 80))


def test_datagrams_and_names_are_refused() -> None:
    with socket.socket(type=socket.SOCK_DGRAM) as outward, pytest.raises(AssertionError):
        outward.sendto(b"?", (OUTSIDE, 53))
    with pytest.raises(socket.gaierror, match=r"example\.test"):
        socket.getaddrinfo("example.test", 80)


async def test_event_loops_are_guarded_too() -> None:
    with pytest.raises(AssertionError):
        await asyncio.open_connection(OUTSIDE, 80)


async def test_the_door_to_models_leads_nowhere_else() -> None:
    once = RetryLimits(attempts=1, connect=1)
    async with HttpModelClient(settings(f"http://{OUTSIDE}/v1", once), Rows()) as client:
        with pytest.raises(GaveUp, match="cannot be reached"):
            await client.ask(question())


def test_clients_in_other_processes_find_a_dead_proxy() -> None:
    code = f"import httpx2; httpx2.get('http://{OUTSIDE}/', timeout=5)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "ConnectError" in done.stderr
    assert "refused" in done.stderr or "attempts failed" in done.stderr
