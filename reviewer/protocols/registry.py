"""The protocols of this release, of other packages and of a store: the registry that a front end passes."""

import typing
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, cast

from reviewer.core.errors import RequestError, StoreError
from reviewer.core.offered import Offered, offered_by_packages
from reviewer.core.sanitize import one_line, shown
from reviewer.protocols.base import Protocol
from store.records import KeptDeclaration

if TYPE_CHECKING:
    from reviewer.protocols.declared.kept import KeptProtocols


GROUP: Final = "dilemma_reviewer.protocols"
"""The group of entry points by which a package offers protocols."""
_MOST_OF_ERROR: Final = 200
_REMEDY: Final = "update or uninstall that package; its cases stay readable as JSON"


def _of_packages() -> tuple[Offered, ...]:
    return offered_by_packages(GROUP)


class Protocols(Mapping[str, Protocol]):
    """Protocols by name, in the given order, then those of other packages, then those that a store keeps.

    A protocol loads when it is asked for: most work concerns one protocol only. Other packages are looked
    through, and declared protocols are read from the store, when a name is asked for that none before them
    has. Declared ones are also known by name and version (``name@2``).
    """

    def __init__(
        self,
        *protocols: Protocol | Offered,
        offered: Callable[[], Sequence[Offered]] = lambda: (),
        kept: Callable[[], Sequence[KeptDeclaration]] = lambda: (),
    ) -> None:
        self._given = {protocol.name: protocol for protocol in protocols}
        self._by_reference = {
            protocol.reference: protocol for protocol in protocols if isinstance(protocol, Protocol)
        }
        self._read_offered, self._read_kept = offered, kept

    def __getitem__(self, name: str) -> Protocol:
        given = self._given.get(name) or self._by_reference.get(name)
        if given is None:
            plugged = self.plugged.get(name)
            return plugged if isinstance(plugged, Protocol) else self.kept[name]
        return cast(Protocol, given.loaded) if isinstance(given, Offered) else given

    def __iter__(self) -> Iterator[str]:
        yield from self._given
        yield from (name for name, plugged in self.plugged.items() if isinstance(plugged, Protocol))
        yield from self.kept

    def __len__(self) -> int:
        return sum(1 for _ in self)

    @cached_property
    def _offered(self) -> Sequence[Offered]:
        return self._read_offered()

    @cached_property
    def plugged(self) -> Mapping[str, Protocol | str]:
        """The protocols of other packages by name; for one that cannot be used, a sentence on why."""
        counts = Counter(offer.name for offer in self._offered)
        return {offer.name: self._loaded(offer, counts[offer.name]) for offer in self._offered}

    def _loaded(self, offer: Offered, offers: int) -> Protocol | str:
        if offer.name in self._given:
            wrong = "this release has one of that name"
        elif offers > 1:
            wrong = "several packages offer one of that name"
        else:
            loaded = _tried(offer)
            if isinstance(loaded, Protocol):
                return loaded
            wrong = loaded
        of = f"protocol {shown(offer.name)!r} of the package {shown(offer.package)!r}"
        return f"{of} cannot be used: {wrong}; {_REMEDY}."

    @cached_property
    def kept(self) -> "KeptProtocols":
        """The declared protocols that the store keeps."""
        from reviewer.protocols.declared.kept import KeptProtocols  # loads where a store has one

        return KeptProtocols(self._read_kept(), self.is_taken)

    def is_taken(self, name: str) -> bool:
        """Whether the release or another package has a protocol of this name."""
        return name in self._given or any(offer.name == name for offer in self._offered)

    def usable(self, name: str) -> Protocol | None:
        """The protocol of this name; None if it is unknown or has a fault."""
        try:
            return self.named(name)
        except (RequestError, StoreError):
            return None

    def declarations_of(self, name: str) -> tuple[KeptDeclaration, ...]:
        """The kept declaration of a protocol with this name and version; () if it was not declared."""
        return () if name in self._given else self.kept.rows_of(name)

    @property
    def of_the_release(self) -> tuple[Protocol, ...]:
        """The protocols of the release itself."""
        return tuple(self[name] for name in self._given)

    @property
    def of_packages(self) -> tuple[Protocol, ...]:
        """Those of other packages that can be used."""
        return tuple(plugged for plugged in self.plugged.values() if isinstance(plugged, Protocol))

    @property
    def faults(self) -> list[str]:
        """A sentence for each protocol of another package or of the store that cannot be used."""
        return [fault for fault in self.plugged.values() if isinstance(fault, str)] + self.kept.faults

    def keeping(self, kept: Callable[[], Sequence[KeptDeclaration]]) -> "Protocols":
        """These protocols with those that a store keeps."""
        return Protocols(*self._given.values(), offered=lambda: self._offered, kept=kept)

    def named(self, name: str) -> Protocol:
        """The protocol of this name; raises RequestError, and StoreError for one that cannot be used."""
        try:
            return self[name]
        except KeyError:
            if plugged := self.plugged.get(name) or self.kept.fault(name):
                raise StoreError(str(plugged)) from None
            raise RequestError(self._unknown(name)) from None

    def fault(self, name: str) -> str | None:
        """A sentence on why the protocol of this name cannot be used; None if it can."""
        try:
            self.named(name)
        except (RequestError, StoreError) as error:
            return str(error)
        return None

    def _unknown(self, name: str) -> str:
        usable = (protocol.name for protocol in self.of_packages)
        known = ", ".join([*self._given, *usable, *self.kept.references])
        return f"this release does not know protocol {shown(name)!r}; it knows {known}."


def _tried(offer: Offered) -> Protocol | str:
    """The protocol that a package offers, or what is wrong with it."""
    try:
        loaded = offer.loaded
    except (Exception, SystemExit) as error:  # it is the code of others, which may raise anything
        return one_line(f"{type(error).__name__}: {error}", _MOST_OF_ERROR)
    if not isinstance(loaded, Protocol):
        return f"{shown(offer.place)} is not a protocol"
    return loaded if loaded.name == offer.name else f"it calls itself {shown(loaded.name)!r}"


def the_only(able: Iterable[Protocol], none: str, several: str) -> Protocol:
    """The only protocol among these; raises RequestError for none, and for several, adding their names."""
    protocols = list(able)
    if len(protocols) == 1:
        return protocols[0]
    names = ", ".join(protocol.name for protocol in protocols)
    raise RequestError(f"{several}: {names}." if protocols else none)


PROTOCOLS = Protocols(
    Offered("probe-swe", "reviewer.protocols.probe_swe.protocol:ProbeSwe"),
    Offered("judge-pairs", "reviewer.protocols.judge_pairs.protocol:JudgePairs"),
    Offered("judge-rewrites", "reviewer.protocols.judge_pairs.rewrites_protocol:JudgeRewrites"),
    Offered("judge-biases", "reviewer.protocols.judge_pairs.library_protocol:JudgeLibrary"),
    Offered("treatment-tests", "reviewer.protocols.treatment_tests.protocol:TreatmentTests"),
    Offered("detail-levels", "reviewer.protocols.detail_levels.protocol:DetailLevels"),
    Offered("level-answers", "reviewer.protocols.detail_levels.answers_protocol:ANSWERS"),
    offered=_of_packages,
)
"""The protocols of this release and of other packages: the registry if a front end passes no other one.

Those of the release are listed here, in the form of entry points, so that work with them needs no look into
the metadata of all packages, which takes longer than the rest of a small command.
"""


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
