"""The protocols of this release and of a store, and the registry that a front end passes with the store."""

import typing
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from reviewer.core.errors import RequestError, StoreError
from reviewer.core.sanitize import shown
from reviewer.protocols.base import Protocol
from store.records import KeptDeclaration

if TYPE_CHECKING:
    from reviewer.protocols.declared.kept import KeptProtocols


@dataclass(frozen=True)
class Shipped:
    """A protocol of this release, which loads when it is asked for: most work concerns one protocol only."""

    name: str
    load: Callable[[], Protocol]

    @cached_property
    def protocol(self) -> Protocol:
        """The protocol itself, always the same one."""
        return self.load()


class Protocols(Mapping[str, Protocol]):
    """Protocols by name, in the given order, then those that a store keeps.

    Declared protocols are also known by name and version (``name@2``). They are read from the store when a
    name is asked for that no protocol of the release has.
    """

    def __init__(
        self, *protocols: Protocol | Shipped, kept: Callable[[], Sequence[KeptDeclaration]] = lambda: ()
    ) -> None:
        self._given = {protocol.name: protocol for protocol in protocols}
        self._by_reference = {
            protocol.reference: protocol for protocol in protocols if isinstance(protocol, Protocol)
        }
        self._read_kept = kept

    def __getitem__(self, name: str) -> Protocol:
        given = self._given.get(name) or self._by_reference.get(name)
        return given.protocol if isinstance(given, Shipped) else given or self.kept[name]

    def __iter__(self) -> Iterator[str]:
        yield from self._given
        yield from self.kept

    def __len__(self) -> int:
        return len(self._given) + len(self.kept)

    @cached_property
    def kept(self) -> "KeptProtocols":
        """The declared protocols that the store keeps."""
        from reviewer.protocols.declared.kept import KeptProtocols  # loads where a store has one

        return KeptProtocols(self._read_kept(), self._given)

    def usable(self, name: str) -> Protocol | None:
        """The protocol of this name; None if its declaration has a fault. Raises RequestError."""
        try:
            return self.named(name)
        except StoreError:
            return None

    def declarations_of(self, name: str) -> tuple[KeptDeclaration, ...]:
        """The kept declaration of a protocol with this name and version; () if it was not declared."""
        return () if name in self._given else self.kept.rows_of(name)

    @property
    def names_of_the_release(self) -> Collection[str]:
        """The names of the protocols that are not kept in a store."""
        return self._given.keys()

    @property
    def of_the_release(self) -> tuple[Protocol, ...]:
        """The protocols that are not kept in a store."""
        return tuple(self[name] for name in self._given)

    def keeping(self, kept: Callable[[], Sequence[KeptDeclaration]]) -> "Protocols":
        """The protocols of the release with those that a store keeps."""
        return Protocols(*self._given.values(), kept=kept)

    def named(self, name: str) -> Protocol:
        """The protocol of this name; raises RequestError, and StoreError for a declaration with a fault."""
        try:
            return self[name]
        except KeyError:
            if fault := self.kept.fault(name):
                raise StoreError(fault) from None
            known = ", ".join([*self._given, *self.kept.references])
            raise RequestError(
                f"this release does not know protocol {shown(name)!r}; it knows {known}."
            ) from None


def the_only(able: Iterable[Protocol], none: str, several: str) -> Protocol:
    """The only protocol among these; raises RequestError for none, and for several, adding their names."""
    protocols = list(able)
    if len(protocols) == 1:
        return protocols[0]
    names = ", ".join(protocol.name for protocol in protocols)
    raise RequestError(f"{several}: {names}." if protocols else none)


def _probe_swe() -> Protocol:
    from reviewer.protocols.probe_swe.protocol import ProbeSwe

    return ProbeSwe()


def _judge_pairs() -> Protocol:
    from reviewer.protocols.judge_pairs.protocol import JudgePairs

    return JudgePairs()


def _judge_rewrites() -> Protocol:
    from reviewer.protocols.judge_pairs.rewrites_protocol import JudgeRewrites

    return JudgeRewrites()


def _judge_library() -> Protocol:
    from reviewer.protocols.judge_pairs.library_protocol import JudgeLibrary

    return JudgeLibrary()


def _treatment_tests() -> Protocol:
    from reviewer.protocols.treatment_tests.protocol import TreatmentTests

    return TreatmentTests()


def _detail_levels() -> Protocol:
    from reviewer.protocols.detail_levels.protocol import DetailLevels

    return DetailLevels()


def _level_answers() -> Protocol:
    from reviewer.protocols.detail_levels.answers_protocol import ANSWERS

    return ANSWERS


PROTOCOLS = Protocols(
    Shipped("probe-swe", _probe_swe),
    Shipped("judge-pairs", _judge_pairs),
    Shipped("judge-rewrites", _judge_rewrites),
    Shipped("judge-biases", _judge_library),
    Shipped("treatment-tests", _treatment_tests),
    Shipped("detail-levels", _detail_levels),
    Shipped("level-answers", _level_answers),
)
"""The protocols of this release: the registry that is used if a front end passes no other one."""


class OpenedWithProtocols(typing.Protocol):
    """The part of an open store that this module uses."""

    protocols: Mapping[str, Any] | None

    def declarations(self) -> Sequence[KeptDeclaration]:
        """The declared protocols that the store keeps."""


def protocols_of(store: OpenedWithProtocols) -> Protocols:
    """The protocols that were passed when the store was opened, and those that it keeps."""
    given = store.protocols
    known = PROTOCOLS if given is None else given
    known = known if isinstance(known, Protocols) else Protocols(*known.values())
    return known.keeping(store.declarations)
