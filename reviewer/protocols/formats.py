"""The contract's part for files: a protocol's formats of cases, read from and written to plain values.

Protocols open no files. ``reviewer/exchange`` opens a file or folder, keeps it within bounds, decodes it and
hands what it holds to a reader, which says what is a case and what is wrong with the rest. A writer gives
plain values back, which ``exchange`` writes.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Literal

from reviewer.core.errors import InputError, StoreError
from store.records import Case, JsonValue, Membership

if TYPE_CHECKING:
    from reviewer.protocols.base import Protocol


@dataclass(frozen=True, slots=True)
class Source:
    """Where cases come from, for readers: the name of the file or folder, and how sentences call it.

    ``generator`` wrote the generated cases, if a person says so.
    """

    name: str
    shown: str
    path: str
    generator: str | None = None


@dataclass(frozen=True, slots=True)
class ReadCase:
    """A valid case that a reader found, its place, and the values that are published with it.

    ``position`` counts what may be a case, valid or not. ``raw`` is what the file holds at this place, for
    the writer; None where the file is not written again.
    """

    case: Case
    key: str
    position: int
    generator: str
    origin: Literal["seed", "generated"]
    run: str | None = None
    published: Mapping[str, JsonValue] = field(default_factory=dict)
    extra: dict[str, JsonValue] = field(default_factory=dict)
    raw: JsonValue = None


@dataclass(frozen=True, slots=True)
class Reading:
    """Valid cases, notices of what was normalised, and an error for everything that is not valid."""

    cases: tuple[ReadCase, ...]
    notices: tuple[str, ...]
    problems: tuple[InputError, ...]


@dataclass(frozen=True, slots=True)
class StoredCase:
    """A case that is written: its place, its published values, and what its file held, if that was kept."""

    place: Membership
    case: Case
    published: Mapping[str, JsonValue]
    raw: JsonValue = None


def damaged_record(place: Membership, wrong: str) -> StoreError:
    """The error for a kept record that no import kept."""
    return StoreError(
        f"the record that was kept of {place.dataset}:{place.key} cannot be read ({wrong}); it was altered "
        "or damaged: import the dataset again, or work with a backup of the store."
    )


class CaseFormat(ABC):
    """One kind of file or folder that cases are in. What it decodes to is said by its subclass."""

    name: ClassVar[str]
    """What people call it in a sentence."""

    @abstractmethod
    def recognises(self, name: str, *, is_folder: bool) -> bool:
        """Whether a file or folder of this name is in the format."""


class JsonFormat(CaseFormat):
    """A file that holds one JSON value."""

    @abstractmethod
    def read(self, content: JsonValue, protocol: "Protocol", source: Source) -> Reading:
        """What the value holds; raises InputError where it is nothing of the kind."""

    def write(self, cases: Sequence[StoredCase], protocol: "Protocol") -> JsonValue:
        """The value of a file with these cases, in the order of their places."""
        raise NotImplementedError

    writes: ClassVar[bool] = False
    """Whether ``write`` is there."""


Lines = Sequence[tuple[int, JsonValue | InputError]]
"""The values of a file's lines with their numbers; where a line is no JSON, the error that says so."""


class LinesFormat(CaseFormat):
    """A file that holds one JSON value a line."""

    @abstractmethod
    def read(self, lines: Lines, protocol: "Protocol", source: Source) -> Reading:
        """What the lines hold."""

    @abstractmethod
    def write(self, cases: Sequence[StoredCase], protocol: "Protocol") -> Sequence[JsonValue]:
        """The lines of a file with these cases, in the order of their places."""


@dataclass(frozen=True, slots=True)
class FolderLevel:
    """What is read in the folders of one level: files by name with their largest size in bytes, and the
    folders whose names match, which are the next level.
    """

    files: Mapping[str, int]
    folders: re.Pattern[str] | None = None


@dataclass(frozen=True, slots=True)
class CsvRows:
    """A table: its columns, its rows with their lines, and why it ends where that is before its end."""

    where: str
    columns: tuple[str, ...]
    rows: tuple[tuple[int, Mapping[str, str]], ...]
    fault: InputError | None = None

    def having(self, *columns: str) -> Iterator[tuple[int, Mapping[str, str]]]:
        """The rows; raises InputError for a column that is missing, and at last for what is no row."""
        if self.fault and not self.columns:
            raise self.fault
        if missing := [name for name in columns if name not in self.columns]:
            raise InputError(self.where, f"lacks the column {missing[0]!r}", "add it")
        yield from self.rows
        if self.fault:
            raise self.fault


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder as it was read: the names of its visible folders, those that were read, and its files.

    What could not be read stands there as the error that says why, and is raised by who asks for it.
    """

    name: str
    path: str
    """Below the folder that was given, with slashes; "" for that one."""
    names: tuple[str, ...] = ()
    folders: Mapping[str, "Folder"] = field(default_factory=dict)
    files: Mapping[str, str | CsvRows | InputError] = field(default_factory=dict)
    fault: InputError | None = None

    def listed(self) -> tuple[str, ...]:
        """The names of its visible folders, sorted; raises InputError."""
        if self.fault:
            raise self.fault
        return self.names

    def text(self, name: str) -> str:
        """The text of a file; raises InputError."""
        found = self.files[name]
        if isinstance(found, InputError):
            raise found
        assert isinstance(found, str)
        return found

    def rows(self, name: str) -> CsvRows | None:
        """The rows of a CSV file, None where there is no such file; raises InputError."""
        found = self.files.get(name)
        if isinstance(found, InputError):
            raise found
        assert not isinstance(found, str)
        return found


class FolderFormat(CaseFormat):
    """A folder of folders and files, which hold hand-written cases."""

    levels: ClassVar[tuple[FolderLevel, ...]]
    """From the folder that is given, downwards."""

    @abstractmethod
    def read(self, content: Folder, protocol: "Protocol", source: Source) -> Reading:
        """What the folder holds; raises InputError where it is nothing of the kind."""
