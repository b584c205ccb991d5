"""The protocols that this release knows."""

from reviewer.core.errors import RequestError
from reviewer.protocols.base import Protocol
from reviewer.protocols.probe_swe.protocol import ProbeSwe

PROTOCOLS: dict[str, Protocol] = {protocol.name: protocol for protocol in (ProbeSwe(),)}


def protocol_named(name: str) -> Protocol:
    """The protocol of this name; raises RequestError."""
    if name not in PROTOCOLS:
        known = ", ".join(PROTOCOLS)
        raise RequestError(f"protocol {name!r} is not one that this release knows ({known}).")
    return PROTOCOLS[name]
