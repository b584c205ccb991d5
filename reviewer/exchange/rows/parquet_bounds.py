"""Bounds of Parquet files, found in footer and page headers before anything is decoded.

A file of 565 bytes may state millions of values in one row, or pages that unpack to gigabytes. The sizes that
the footer states say nothing of it, so every page header is read. What a file may hold grows with its size.
"""

import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO

Fields = dict[int, Any]
_DEEPEST_VALUE = 24
_TRUE, _FALSE, _BYTE, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _STRUCT = 1, 2, 3, 7, 8, 9, 10, 11, 12
_INTEGERS = (4, 5, 6)
ROWS_AT_ONCE = 200
"""Rows of a batch."""
_MARK = b"PAR1"
_LONGEST_FOOTER = 16 * 1024 * 1024
_MOST_IN_FOOTER = 500_000
_MOST_FIELDS = 10_000
_DEEPEST = 32
_LONGEST_HEADER = 16 * 1024 * 1024
_MOST_IN_HEADER = 1_000
# The limit of any file, and the addition to it for each byte of the file.
_ROWS = (10_000, 1)
_VALUES = (2_000_000, 64)
_MEMORY = (64 * 1024 * 1024, 16)
_MOST_MEMORY = 2 * 1024**3
_BYTES_OF_A_VALUE = 16
_TEXTS = {0, 4, 19}  # UTF8, ENUM, JSON
_LOGICAL_TEXTS = {1, 4, 12}
_BYTE_ARRAY, _FIXED = 6, 7
_DELTA_BYTE_ARRAY = 7
_REPEATED = 2


class BeyondBounds(Exception):  # noqa: N818  # its name is the fault of the file
    """The fault of a file, as the second half of a sentence."""


@dataclass(frozen=True, slots=True)
class Leaf:
    """A column without columns inside: its path, whether a row has many values, and its type."""

    path: str
    repeats: bool
    is_text: bool
    width: int


@dataclass(slots=True)
class _Group:
    """Columns that others are in, and how many of these are left."""

    left: int
    names: tuple[str, ...]
    repeats: bool = False


@dataclass(frozen=True, slots=True)
class _Page:
    values: int
    size: int
    taken: int
    is_dictionary: bool
    is_delta: bool


def checked_leaves(file: BinaryIO) -> tuple[Leaf, ...]:
    """The columns of a file within bounds; raises BeyondBounds, or OSError."""
    size = file.seek(0, io.SEEK_END)
    try:
        footer = _footer(file, size)
        leaves = tuple(_leaves(footer[2]))
        _check_rows(footer, size)
        _check_groups(file, size, footer.get(4, []), leaves)
    except (IndexError, KeyError, TypeError, ValueError, AttributeError) as error:
        reason = f" ({error})" if type(error) is ValueError else ""
        raise BeyondBounds(f"is not a Parquet file that can be read{reason}") from None
    return leaves


def _footer(file: BinaryIO, size: int) -> Fields:
    file.seek(max(0, size - 8))
    length, mark = int.from_bytes(file.read(4), "little"), file.read(4)
    if mark != _MARK or length > size - 8:
        raise ValueError("its end is missing")
    if length > _LONGEST_FOOTER:
        raise BeyondBounds(f"has a footer of {length:,} bytes; at most {_LONGEST_FOOTER:,} are read")
    file.seek(size - 8 - length)
    return ThriftReader(file.read(length), _MOST_IN_FOOTER).structure()


def _leaves(elements: Sequence[Fields]) -> Iterator[Leaf]:
    """The columns of a schema, whose elements stand in the order of a tree, with its root first."""
    if len(elements) > _MOST_FIELDS:
        raise BeyondBounds(f"has {len(elements):,} columns; at most {_MOST_FIELDS:,} are read")
    above = [_Group(elements[0][5], ())]
    for element in elements[1:]:
        while not above[-1].left:
            above.pop()
        group = above[-1]
        group.left -= 1
        names = (*group.names, element[4].decode(errors="replace"))
        repeats = group.repeats or element.get(3) == _REPEATED
        if len(names) > _DEEPEST:
            raise BeyondBounds(f"has columns nested more than {_DEEPEST} deep")
        if count := element.get(5):
            above.append(_Group(count, names, repeats))
        else:
            yield Leaf(".".join(names), repeats, _is_text(element), _width(element))


def _is_text(element: Fields) -> bool:
    logical: Mapping[int, Any] = element.get(10, {})
    return element.get(1) == _BYTE_ARRAY and (
        element.get(6) in _TEXTS or any(kind in _LOGICAL_TEXTS for kind in logical)
    )


def _width(element: Fields) -> int:
    """The bytes of one value in memory, also of one that is missing."""
    return max(_BYTES_OF_A_VALUE, element.get(2, 0) if element.get(1) == _FIXED else 0)


def _check_rows(footer: Fields, size: int) -> None:
    rows = max(footer[3], sum(max(0, group[3]) for group in footer.get(4, [])))
    _need("rows", rows, _most(_ROWS, size))


def _check_groups(file: BinaryIO, size: int, groups: Sequence[Fields], leaves: Sequence[Leaf]) -> None:
    taken = values = 0
    for group in groups:
        memory = 0
        if len(group[1]) != len(leaves):
            raise ValueError("its columns differ from its schema")
        for chunk, leaf in zip(group[1], leaves, strict=True):
            pages = []
            for page in _pages(file, size, chunk[3]):
                pages.append(page)
                taken, values = taken + page.taken, values + page.values
                if taken > size:
                    raise ValueError("its columns lie over one another")
                _need("values", values, _most(_VALUES, size))
            memory += _memory(pages, leaf, chunk[3])
            _need("bytes to unpack at once", memory, min(_most(_MEMORY, size), _MOST_MEMORY))


def _memory(pages: Sequence[_Page], leaf: Leaf, column: Fields) -> int:
    """The bytes that decoding a column takes: a dictionary, the longest page, and the values of a batch."""
    of_data = [page for page in pages if not page.is_dictionary]
    values: int = max(column[5], sum(page.values for page in of_data))
    at_once: int = values if leaf.repeats else min(values, ROWS_AT_ONCE)
    delta = max((page.size for page in of_data if page.is_delta), default=0)  # a text may begin as the last
    return (
        sum(page.size for page in pages if page.is_dictionary)
        + max((page.size for page in of_data), default=0)
        + at_once * (leaf.width + delta)
    )


def _pages(file: BinaryIO, size: int, column: Fields) -> Iterator[_Page]:
    """The pages of a column, as far as the decoder reads them."""
    begin, dictionary = column[9], column.get(11, 0)
    if 0 < dictionary < begin:
        begin = dictionary
    end, values = begin + column[7], 0
    if begin < 0 or column[7] < 0 or end > size:
        raise ValueError("a column lies outside the file")
    while values < column[5] and begin < end:
        page = _page(*_header(file, begin, end))
        values += 0 if page.is_dictionary else page.values
        begin += page.taken
        yield page


def _header(file: BinaryIO, begin: int, end: int) -> tuple[Fields, int]:
    """The header of a page, and its length. Only long ones take a second look."""
    length = 512
    while True:
        file.seek(begin)
        reader = ThriftReader(file.read(min(length, end - begin)), _MOST_IN_HEADER)
        try:
            return reader.structure(), reader.at
        except IndexError:
            if length >= min(end - begin, _LONGEST_HEADER):
                raise
            length *= 8


def _page(header: Fields, length: int) -> _Page:
    content = header.get(5) or header.get(8) or header.get(7) or {1: 0}
    encoding = header[5].get(2) if 5 in header else header.get(8, {}).get(4)
    page = _Page(content[1], header[2], length + header[3], header[1] == 2, encoding == _DELTA_BYTE_ARRAY)
    if min(page.values, page.size, header[3]) < 0 or (page.is_dictionary and page.values > page.size):
        raise ValueError("a page states an impossible size")
    return page


def _most(limit: tuple[int, int], size: int) -> int:
    return limit[0] + limit[1] * size


def _need(what: str, count: int, most: int) -> None:
    if count > most:
        raise BeyondBounds(f"states {count:,} {what}; at most {most:,} are read from a file of its size")


class ThriftReader:
    """Reads one structure from bytes, by the numbers of its fields; ``at`` is where it ends.

    Raises IndexError where the bytes end too early, and ValueError for anything else that is wrong, also for
    more values than ``most``.
    """

    def __init__(self, content: bytes, most: int) -> None:
        self._content, self._left = content, most
        self.at = 0

    def structure(self, depth: int = 0) -> Fields:
        """The next structure."""
        fields: Fields = {}
        number = 0
        while head := self._byte():
            step = head >> 4
            number = number + step if step else self._integer()
            kind = head & 15
            fields[number] = kind == _TRUE if kind in (_TRUE, _FALSE) else self._value(kind, depth + 1)
        return fields

    def _value(self, kind: int, depth: int) -> Any:
        self._left -= 1
        if self._left < 0 or depth > _DEEPEST_VALUE:
            raise ValueError("it has too many values, or they are nested too deeply")
        match kind:
            case _ if kind in _INTEGERS:
                return self._integer()
            case 12:
                return self.structure(depth)
            case 8:
                return self._bytes(self._unsigned())
            case 9 | 10:
                return self._list(depth)
            case 11:
                return self._pairs(depth)
            case 1 | 2 | 3:
                return self._byte()
            case 7:
                return self._bytes(8)
        raise ValueError(f"it has a value of the unknown kind {kind}")

    def _list(self, depth: int) -> list[Any]:
        head = self._byte()
        size = head >> 4
        if size == 15:
            size = self._unsigned()
        return [self._value(head & 15, depth + 1) for _ in range(size)]

    def _pairs(self, depth: int) -> None:
        """Pass over a map, which nothing that is asked for has."""
        if size := self._unsigned():
            kinds = self._byte()
            for _ in range(size):
                self._value(kinds >> 4, depth + 1)
                self._value(kinds & 15, depth + 1)

    def _byte(self) -> int:
        self.at += 1
        return self._content[self.at - 1]

    def _bytes(self, size: int) -> bytes:
        self.at += size
        if self.at > len(self._content):
            raise IndexError
        return self._content[self.at - size : self.at]

    def _unsigned(self) -> int:
        value = shift = 0
        while True:
            byte = self._byte()
            value |= (byte & 127) << shift
            if byte < 128:
                return value
            shift += 7
            if shift > 63:
                raise ValueError("it has a number that is too long")

    def _integer(self) -> int:
        value = self._unsigned()
        return (value >> 1) ^ -(value & 1)
