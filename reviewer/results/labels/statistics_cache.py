"""Statistics of cells that are computed once, although several tables of a study print them."""

from collections.abc import Callable, Hashable
from typing import TypeVar, cast

from reviewer.results.labels.divided_items import ResultCell

Value = TypeVar("Value")


class StatisticsCache:
    """Computed statistics by the items and raters of a cell; good for one reading of a study's labels."""

    def __init__(self) -> None:
        self._computed: dict[Hashable, object] = {}

    def known(self, cell: ResultCell, statistic: Hashable) -> bool:
        """Whether this statistic of the cell was computed before."""
        return (cell.identity, statistic) in self._computed

    def once(self, cell: ResultCell, statistic: Hashable, compute: Callable[[], Value]) -> Value:
        """The statistic of the cell, computed if it was not before."""
        key = (cell.identity, statistic)
        if key not in self._computed:
            self._computed[key] = compute()
        return cast("Value", self._computed[key])
