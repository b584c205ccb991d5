"""The protocols of this release, and the registry that a front end passes with the store that it opens."""

import typing
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from reviewer.core.errors import RequestError
from reviewer.protocols.base import Protocol
from reviewer.protocols.probe_swe.protocol import ProbeSwe


class Protocols(Mapping[str, Protocol]):
    """Protocols by name, in the given order."""

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
            raise RequestError(f"this release does not know protocol {name!r}; it knows {', '.join(self)}.")
        return self[name]


def the_only(able: Iterable[Protocol], none: str, several: str) -> Protocol:
    """The only protocol among these; raises RequestError for none, and for several, adding their names."""
    protocols = list(able)
    if len(protocols) == 1:
        return protocols[0]
    names = ", ".join(protocol.name for protocol in protocols)
    raise RequestError(f"{several}: {names}." if protocols else none)


PROTOCOLS = Protocols(ProbeSwe())
"""The protocols of this release: the registry that is used if a front end passes no other one."""


class OpenedWithProtocols(typing.Protocol):
    """The part of an open store that this module uses."""

    protocols: Mapping[str, Any] | None


def protocols_of(store: OpenedWithProtocols) -> Protocols:
    """The registry that was passed when the store was opened."""
    given = store.protocols
    if given is None:
        return PROTOCOLS
    return given if isinstance(given, Protocols) else Protocols(*given.values())
