"""The entries of an import: places with cases, published values and records, in memory or a spool."""

import json
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from store.import_buffer import Spool
from store.records import Case, JsonText, JsonValue, Measurement, Membership, canonical_json

_AS_WRITTEN = json.JSONEncoder(ensure_ascii=False)
_PUBLISHED = dict(Measurement(case="0" * 64, name="", source="published", value=None))


class EntryContent(NamedTuple):
    """The case of an entry, the values that were published with it, and its record in the imported file."""

    case: Case
    published: tuple[Measurement, ...]
    raw: str | None


class Entry:
    """One imported place: the place, and what stands there.

    ``raw`` is the place's record in the imported file, as JSON text in the file's own order and spelling. The
    content of a packed entry is held in a spool, so that a large file fits into memory.
    """

    __slots__ = ("_content", "group", "place")

    def __init__(
        self, case: Case, place: Membership, published: Sequence[Measurement] = (), raw: str | None = None
    ) -> None:
        self.place, self.group = place, case.group
        self._content: EntryContent | _Packed = EntryContent(case, tuple(published), raw)

    @classmethod
    def packed(
        cls, case: Case, place: Membership, published: Mapping[str, JsonValue], raw: str | None, spool: Spool
    ) -> "Entry":
        """An entry whose content is held in a spool. ``published`` are the values by name."""
        entry = cls(case, place)
        entry._content = _Packed.of(case, published, raw, spool)
        return entry

    @property
    def content(self) -> EntryContent:
        """What stands there. It is unpacked at each call."""
        content = self._content
        return content if isinstance(content, EntryContent) else content.unpacked(self.place, self.group)

    @property
    def case(self) -> Case:
        """The case."""
        return self.content.case

    @property
    def published(self) -> tuple[Measurement, ...]:
        """The values that were published with the case."""
        return self.content.published

    @property
    def raw(self) -> str | None:
        """The record in the imported file."""
        content = self._content
        return content.raw if isinstance(content, EntryContent) else content.raw_text()

    @property
    def columns(self) -> tuple[dict[str, JsonValue], list[dict[str, JsonValue]]]:
        """The columns of the case, and those of each published value, as the store takes them."""
        content = self._content
        if isinstance(content, _Packed):
            return content.columns(self.place, self.group)
        return dict(content.case), [dict(value) for value in content.published]

    def at(self, place: Membership) -> "Entry":
        """The same content at another place, or with other properties of the place."""
        entry = object.__new__(Entry)
        entry.place, entry.group, entry._content = place, self.group, self._content
        return entry


class _Packed(NamedTuple):
    """A case, its values and its record as three lines of a spool, each as JSON; the third may be missing."""

    protocol: str
    payload_version: int
    spool: Spool
    start: int
    size: int

    @classmethod
    def of(cls, case: Case, published: Mapping[str, JsonValue], raw: str | None, spool: Spool) -> "_Packed":
        lines = [canonical_json(case.payload), _AS_WRITTEN.encode(dict(published))]
        content = "\n".join(lines if raw is None else [*lines, raw]).encode()
        return cls(case.protocol, case.payload_version, spool, spool.add(content), len(content))

    @property
    def lines(self) -> list[str]:
        return self.spool.piece(self.start, self.size).decode().split("\n", 2)

    def raw_text(self) -> str | None:
        return next(iter(self.lines[2:]), None)

    def unpacked(self, place: Membership, group: str) -> EntryContent:
        columns, published = self.columns(place, group)
        case = Case.model_construct(**{**columns, "payload": json.loads(columns["payload"])})
        values = tuple(Measurement.model_construct(**value) for value in published)
        return EntryContent(case, values, self.raw_text())

    def columns(
        self, place: Membership, group: str
    ) -> tuple[dict[str, JsonValue], list[dict[str, JsonValue]]]:
        payload, published, *_ = self.lines
        case = {
            "digest": place.case,
            "protocol": self.protocol,
            "group": group,
            "payload_version": self.payload_version,
            "payload": JsonText(payload),
        }
        values: dict[str, JsonValue] = json.loads(published)
        there = {**_PUBLISHED, "case": place.case, "dataset": place.dataset, "key": place.key}
        return case, [{**there, "name": name, "value": value} for name, value in values.items()]


def published_at(place: Membership, values: Mapping[str, JsonValue]) -> tuple[Measurement, ...]:
    """Values that were published with the case of a place."""
    return tuple(
        Measurement(
            case=place.case,
            name=name,
            source="published",
            dataset=place.dataset,
            key=place.key,
            value=value,
        )
        for name, value in values.items()
    )
