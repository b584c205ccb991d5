"""Values that are made each time somebody goes through them, so that they are never all held."""

from collections.abc import Callable, Iterable, Iterator
from typing import Generic, TypeVar

T = TypeVar("T", covariant=True)


class Repeatable(Iterable[T], Generic[T]):
    """Each iteration goes through a new result of ``make``."""

    def __init__(self, make: Callable[[], Iterable[T]]) -> None:
        self._make = make

    def __iter__(self) -> Iterator[T]:
        return iter(self._make())
