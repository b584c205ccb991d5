"""Values that are made anew each time somebody goes through them, so that they are never all held."""

from collections.abc import Callable, Iterable, Iterator
from typing import Generic, TypeVar

T = TypeVar("T", covariant=True)


class Again(Iterable[T], Generic[T]):
    """What ``make`` returns, as often as it is wanted."""

    def __init__(self, make: Callable[[], Iterable[T]]) -> None:
        self._make = make

    def __iter__(self) -> Iterator[T]:
        return iter(self._make())
