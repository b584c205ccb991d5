"""The one input of every coefficient: who gave which item which label."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from reviewer.agreement.rating_patterns import MISSING, Ints, Patterns, distinct_rows

Label = Hashable
Number = TypeVar("Number", np.int64, np.float64)
Rows = Sequence[Sequence[Label | None]] | NDArray[Any]


@dataclass(frozen=True, eq=False)
class Ratings:
    """n items × R raters of labels, with the declared categories.

    ``codes`` is n × R: the index of the label in ``categories``, -1 where there is none. ``raters`` names the
    columns; it is None where only counts are known, and then the columns are seats and no person's.
    """

    codes: Ints
    categories: tuple[Label, ...]
    raters: tuple[str, ...] | None

    @classmethod
    def from_labels(
        cls, rows: Rows, categories: Sequence[Label], raters: Sequence[str] | None = None
    ) -> "Ratings":
        """From n rows of R labels; None and nan are missing.

        Raters are named "1" … "R" by default. Raises ValueError for a label that is not declared, rows of
        different lengths, doubled names, or no category.
        """
        index = _index_of(categories)
        codes = _codes(rows, index, len(raters) if raters is not None else 0)
        names = tuple(raters) if raters is not None else tuple(str(g + 1) for g in range(codes.shape[1]))
        if len(names) != codes.shape[1] or len(set(names)) != len(names):
            raise ValueError(f"{codes.shape[1]} columns of labels need as many different raters, not {names}")
        return cls(codes, tuple(categories), names)

    @classmethod
    def from_counts(cls, counts: Sequence[Sequence[int]] | Ints, categories: Sequence[Label]) -> "Ratings":
        """From n × q counts of ratings per category, where nobody knows who gave which."""
        _index_of(categories)
        q = len(categories)
        if any(len(row) != q or min(row) < 0 for row in counts):
            raise ValueError(f"each item needs {q} counts of 0 or more, one for each category")
        table = np.array(counts, dtype=np.int64).reshape(len(counts), q)
        per_item = table.sum(axis=1)
        codes = np.full((len(table), int(per_item.max(initial=0))), MISSING, dtype=np.int64)
        seats = np.arange(codes.shape[1]) < per_item[:, None]
        codes[seats] = np.repeat(np.tile(np.arange(q), len(table)), table.ravel())
        return cls(codes, tuple(categories), None)

    @cached_property
    def counts(self) -> Ints:
        """n × q, how many raters put each item in each category."""
        return self.of_items(self.patterns.counts)

    def of_items(self, of_patterns: NDArray[Number]) -> NDArray[Number]:
        """Rows for the n items, from rows for the P distinct patterns."""
        _, which = self._distinct
        return np.asarray(of_patterns[which])

    @cached_property
    def patterns(self) -> Patterns:
        """The distinct rows with the number of items of each."""
        rows, which = self._distinct
        weights = np.bincount(which, minlength=len(rows))
        return Patterns(rows, weights, self.categories, named=self.raters is not None)

    @cached_property
    def _distinct(self) -> tuple[Ints, Ints]:
        return distinct_rows(self.codes, len(self.categories))

    @property
    def n_items(self) -> int:
        """How many items there are, rated or not."""
        return len(self.codes)

    @property
    def n_raters(self) -> int:
        """How many columns there are, used or not."""
        return int(self.codes.shape[1])

    def names(self) -> tuple[str, ...]:
        """The raters; raises ValueError where only counts are known."""
        if self.raters is None:
            raise ValueError("counts do not say who gave which label; this needs the raters' labels")
        return self.raters

    def column_of(self, rater: str) -> int:
        """Column of a rater; raises ValueError for an unknown one."""
        names = self.names()
        if rater not in names:
            raise ValueError(f"no rater {rater!r} among {list(names)}")
        return names.index(rater)

    def among(self, items: NDArray[np.bool_]) -> "Ratings":
        """Some of the items, of which there is a choice of length n."""
        return Ratings(self.codes[items], self.categories, self.raters)

    def without(self, rater: str) -> "Ratings":
        """The same items without one rater."""
        column = self.column_of(rater)
        others = tuple(name for name in self.names() if name != rater)
        return Ratings(np.delete(self.codes, column, axis=1), self.categories, others)


def _index_of(categories: Sequence[Label]) -> dict[Label, int]:
    index = {category: code for code, category in enumerate(categories)}
    if not categories or len(index) != len(categories):
        raise ValueError(f"categories must be different and at least one, not {list(categories)}")
    return index


def _codes(rows: Rows, index: Mapping[Label, int], width: int) -> Ints:
    if isinstance(rows, np.ndarray) and rows.ndim != 2:
        raise ValueError(f"an array of labels is items × raters, not of {rows.ndim} dimensions")
    if isinstance(rows, np.ndarray) and rows.dtype.kind in "biu":
        return _codes_of_numbers(rows, index)
    if not len(rows):
        return np.zeros((0, width), dtype=np.int64)
    widths = {len(row) for row in rows}
    if len(widths) != 1:
        raise ValueError(f"every item needs one place for each rater; rows have {sorted(widths)} places")
    labels = rows.tolist() if isinstance(rows, np.ndarray) else rows
    flat = [_code(label, index, i) for i, row in enumerate(labels) for label in row]
    return np.array(flat, dtype=np.int64).reshape(len(rows), widths.pop())


def _code(label: Label | None, index: Mapping[Label, int], item: int) -> int:
    # Only nan differs from itself; tables that were a DataFrame have it where a label is missing.
    if label is None or label != label:
        return MISSING
    try:
        return index[label]
    except (KeyError, TypeError):  # a label that cannot be hashed is not a category either
        raise _undeclared(label, index, item) from None


def _undeclared(label: Label, index: Mapping[Label, int], item: int) -> ValueError:
    return ValueError(f"item {item}: {label!r} is not one of the categories {list(index)}")


def _codes_of_numbers(rows: NDArray[Any], index: Mapping[Label, int]) -> Ints:
    """An integer or boolean array has no missing places, so that what no category claims is an error."""
    # Adding small integers is four times faster here than writing through a mask.
    places = np.zeros(rows.shape, dtype=np.int16)
    for category, code in index.items():
        if isinstance(category, bool | int | np.bool_ | np.integer):
            places += (rows == category) * np.int16(code + 1)
    codes = places.astype(np.int64) - 1
    if (codes == MISSING).any():
        item, rater = np.argwhere(codes == MISSING)[0]
        raise _undeclared(rows[item, rater].item(), index, int(item))
    return codes
