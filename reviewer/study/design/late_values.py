"""Values of a study's cases, read when a case is shown: a whole dataset has tens of thousands of them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, TypeVar

from store.database import Database
from store.row_records import OpenReading

T = TypeVar("T")
_CASES_AT_ONCE: Final = 16


class LateValues(Mapping[str, list[T]]):
    """Digest of a case → its values. Those of a few neighbours in the sample are read together, and kept."""

    def __init__(
        self,
        database: Database,
        digests: Sequence[str],
        read: Callable[[OpenReading, Sequence[str]], Mapping[str, list[T]]],
    ) -> None:
        """``read`` returns the values of each of some cases."""
        self._database, self._digests, self._read = database, digests, read
        self._places = {digest: place for place, digest in enumerate(digests)}
        self._known: dict[str, list[T]] = {}

    def __getitem__(self, digest: str) -> list[T]:
        """The values of a case; raises KeyError for one that is not in the sample, and StoreError."""
        if digest not in self._known:
            begin = self._places[digest] // _CASES_AT_ONCE * _CASES_AT_ONCE
            with self._database.read() as session:
                self._known.update(self._read(session, self._digests[begin : begin + _CASES_AT_ONCE]))
        return self._known[digest]

    def __iter__(self) -> Iterator[str]:
        return iter(self._digests)

    def __len__(self) -> int:
        return len(self._digests)
