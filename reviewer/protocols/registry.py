"""The protocols of this release, of other packages and of a store: the registry that a front end passes."""

import typing
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, cast

from reviewer.core.errors import InputError, RequestError, StoreError
from reviewer.core.sanitize import one_line, shown
from reviewer.protocols.base import Protocol
from store.records import KeptDeclaration

if TYPE_CHECKING:
    from reviewer.protocols.declared.declared_protocol import DeclaredProtocol


@dataclass(frozen=True)
class Offered:
    """Something in a package: ``place`` is its module and its name there, such as ``package.module:Name``.

    ``package`` is the distribution that offers it; "" for this one.
    """

    name: str
    place: str
    package: str = ""

    @cached_property
    def loaded(self) -> object:
        """The thing itself, always the same one; of a class, an instance. Raises whatever its code raises."""
        module, _, attribute = self.place.partition(":")
        thing: object = reduce(getattr, attribute.split("."), import_module(module))
        return thing() if isinstance(thing, type) else thing


def offered_by_packages(group: str) -> tuple[Offered, ...]:
    """The entry points of a group in all packages of the environment, by name.

    Slow: it reads the metadata of every package.
    """
    from importlib.metadata import entry_points

    points = entry_points(group=group)
    offers = [Offered(point.name, point.value, point.dist.name if point.dist else "") for point in points]
    return tuple(sorted(offers, key=lambda offer: (offer.name, offer.package)))


class KeptProtocols(Mapping[str, "DeclaredProtocol"]):
    """Valid declared protocols by name, and by name and version (``name@2``). A name alone is its newest one.

    ``is_taken`` says whether another protocol has a name: a declaration under such a name is not used.
    """

    def __init__(self, kept: Sequence[KeptDeclaration], is_taken: Callable[[str], bool]) -> None:
        self._kept = {row.reference: row for row in kept}
        self._is_taken = is_taken

    def __getitem__(self, name: str) -> "DeclaredProtocol":
        return self._valid_at(self._newest.get(name, name))

    def __iter__(self) -> Iterator[str]:
        return iter(self._newest)

    def __len__(self) -> int:
        return len(self._newest)

    def rows_of(self, reference: str) -> tuple[KeptDeclaration, ...]:
        """The declaration with this name and version, as the store keeps it; () if it is not here."""
        return (self._kept[reference],) if reference in self._kept else ()

    def fault(self, name: str) -> str | None:
        """A sentence on why a declaration that is here cannot be used; None if it can, or is not here."""
        versions = [row for row in self._kept.values() if name in (row.name, row.reference)]
        return next(filter(None, map(self._fault, reversed(versions))), None)

    @property
    def faults(self) -> list[str]:
        """A sentence for each declaration that cannot be used."""
        return list(filter(None, map(self._fault, self._kept.values())))

    @cached_property
    def references(self) -> tuple[str, ...]:
        """Every valid declaration with its version, by name, older versions first."""
        return tuple(reference for reference, row in self._kept.items() if self._fault(row) is None)

    @cached_property
    def _newest(self) -> Mapping[str, str]:
        return {self._kept[reference].name: reference for reference in self.references}

    def _valid_at(self, reference: str) -> "DeclaredProtocol":
        row = self._kept[reference]
        if self._fault(row) is not None:
            raise KeyError(reference)
        return _protocol(row)

    def _fault(self, row: KeptDeclaration) -> str | None:
        if self._is_taken(row.name):
            return f"the store declares a protocol {row.name!r}, and there is another protocol of that name."
        wrong = fault_of(row)
        return wrong and (
            f"the declaration of protocol {shown(row.reference)!r} in the store cannot be used: {wrong}. "
            "Declare it again under a new version, or work with a backup."
        )


def fault_of(row: KeptDeclaration) -> str | None:
    """What is wrong with a kept declaration; None if it is a protocol of its name and version."""
    if not row.is_whole:
        return "its text does not fit its digest; it was altered"
    try:
        protocol = _protocol(row)
    except InputError as error:
        return f"{error.where}: {error.wrong}"
    if (protocol.name, protocol.version) != (row.name, row.version):
        return f"its text declares {protocol.reference!r}"
    return None


def _protocol(row: KeptDeclaration) -> "DeclaredProtocol":
    from reviewer.protocols.declared.declared_protocol import protocol_of_text  # loads if a store has one

    return protocol_of_text(row.text, "declaration", try_patterns=False)


GROUP: Final = "dilemma_reviewer.protocols"
"""The group of entry points by which a package offers protocols."""
_MOST_OF_ERROR: Final = 200
_REMEDY: Final = "update or uninstall that package; its cases stay readable as JSON"


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
        return cast("Protocol", given.loaded) if isinstance(given, Offered) else given

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
    def kept(self) -> KeptProtocols:
        """The declared protocols that the store keeps."""
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
    Offered("probe-swe", "reviewer.protocols.probe_swe.dilemma_protocol:ProbeSwe"),
    Offered("judge-pairs", "reviewer.protocols.judge_pairs.pairs_protocol:JudgePairs"),
    Offered("judge-rewrites", "reviewer.protocols.judge_pairs.rewrites_protocol:JudgeRewrites"),
    Offered("judge-biases", "reviewer.protocols.judge_pairs.library_protocol:JudgeLibrary"),
    Offered("treatment-tests", "reviewer.protocols.treatment_tests.tests_protocol:TreatmentTests"),
    Offered("detail-levels", "reviewer.protocols.detail_levels.levels_protocol:DetailLevels"),
    Offered("dialogue-scripts", "reviewer.protocols.staged_dialogues.scripts_protocol:DialogueScripts"),
    Offered("dialogue-transcripts", "reviewer.protocols.staged_dialogues.transcripts_protocol:TRANSCRIPTS"),
    Offered("open-questions", "reviewer.protocols.staged_dialogues.scripts_protocol:OpenQuestions"),
    Offered("open-answers", "reviewer.protocols.staged_dialogues.question_evaluation:OPEN_ANSWERS"),
    Offered("probe-swe-answers", "reviewer.protocols.probe_swe.answers_protocol:ANSWERS"),
    Offered("bias-texts", "reviewer.protocols.staged_dialogues.bias_texts:BiasTexts"),
    Offered("level-answers", "reviewer.protocols.detail_levels.levels_protocol:ANSWERS"),
    offered=lambda: offered_by_packages(GROUP),
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
