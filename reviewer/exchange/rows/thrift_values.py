"""Values in Thrift's compact form, in which Parquet writes its footer and the headers of its pages."""

from typing import Any

Fields = dict[int, Any]
_DEEPEST = 24
_TRUE, _FALSE, _BYTE, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _STRUCT = 1, 2, 3, 7, 8, 9, 10, 11, 12
_INTEGERS = (4, 5, 6)


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
        if self._left < 0 or depth > _DEEPEST:
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
