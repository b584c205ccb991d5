"""Ports for servers that tests start, stop and start again."""

import random
import socket
from contextlib import suppress

_SERVERS = range(10_000, 32_768)
"""The system gives none of these to programs that ask for any port, as every connection does."""


def free_port() -> int:
    """A port of this machine that nobody takes before it is used, or while its server is away."""
    chance = random.SystemRandom()
    while True:
        port = chance.choice(_SERVERS)
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
