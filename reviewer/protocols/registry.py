"""The protocols of this release, and the registry that a front end hands over with the store it opens."""

import typing
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from reviewer.core.errors import RequestError
from reviewer.protocols.base import Protocol
from reviewer.protocols.probe_swe.protocol import ProbeSwe


class Protocols(Mapping[str, Protocol]):
    """Protocols by name, in the order given."""

    def __init__(self, *protocols: Protocol) -> None:
        self._by_name = {protocol.name: protocol for protocol in protocols}

    def __getitem__(self, name: str) -> Protocol:
        return self._by_name[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_name)

    def __len__(self) -> int:
        return len(self._by_name)

    def named(self, name: str) -> Protocol:
        """The protocol of this name; raises RequestError."""
        if name not in self:
            raise RequestError(f"protocol {name!r} is not one that this release knows ({', '.join(self)}).")
        return self[name]


def the_only(able: Iterable[Protocol], none: str, several: str) -> Protocol:
    """The only one of some protocols; raises RequestError for none, and for several, adding their names."""
    found = list(able)
    if len(found) == 1:
        return found[0]
    names = ", ".join(protocol.name for protocol in found)
    raise RequestError(f"{several}: {names}." if found else none)


PROTOCOLS = Protocols(ProbeSwe())
"""The protocols of this release: the registry where a front end hands over no other one."""


class OpenedWithProtocols(typing.Protocol):
    """An open store, as far as this module needs to know it."""

    protocols: Mapping[str, Any] | None


def protocols_of(store: OpenedWithProtocols) -> Protocols:
    """The registry that was handed over when the store was opened."""
    given = store.protocols
    if given is None:
        return PROTOCOLS
    return given if isinstance(given, Protocols) else Protocols(*given.values())
