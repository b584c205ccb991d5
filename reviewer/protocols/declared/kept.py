"""The declared protocols that a store keeps, read when one of them is needed.

A store may come from anywhere: what it keeps is validated as a file is. A declaration with a fault is not a
protocol; code that needs it gets the sentence that says so.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from reviewer.core.errors import InputError
from reviewer.core.sanitize import shown
from store.records import KeptDeclaration

if TYPE_CHECKING:
    from reviewer.protocols.declared.declared_protocol import DeclaredProtocol


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
