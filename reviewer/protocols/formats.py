"""The part of the contract for files: a protocol's formats of cases, read from and written to plain values.

Protocols open no files. ``reviewer/exchange`` opens a file or folder, limits its size, decodes it and passes
the content to a reader. The reader returns the cases and says what is wrong with the rest. A writer returns
plain values, which ``exchange`` writes.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from reviewer.core.errors import InputError, StoreError
from reviewer.core.question import Question
from store.records import Case, JsonValue, Measurement, Membership, Origin

if TYPE_CHECKING:
    from reviewer.protocols.base import Protocol


@dataclass(frozen=True, slots=True)
class Source:
    """Where cases come from, for readers: the name of the file or folder, and the name to use in messages.

    ``generator`` is the generator of the generated cases, and ``protocol`` names the protocol, if a person
    named them.
    """

    name: str
    shown: str
    path: str
    generator: str | None = None
    protocol: str | None = None

    def or_name_protocol(self, remedy: str) -> str:
        """The remedy; or to name another protocol, where nobody named one yet."""
        return remedy if self.protocol else f"{remedy}, or name the protocol of the file with --protocol"


@dataclass(frozen=True, slots=True)
class ReadCase:
    """A valid case that a reader found, its place, and the values published with it.

    ``position`` counts all records of the file, valid or not. ``raw`` is the record as the file holds it, for
    the writer; None if the file will not be written again.
    """

    case: Case
    key: str
    position: int
    generator: str
    origin: Origin
    run: str | None = None
    published: Mapping[str, JsonValue] = field(default_factory=dict)
    extra: dict[str, JsonValue] = field(default_factory=dict)
    raw: JsonValue = None


@dataclass(frozen=True, slots=True)
class Reading:
    """Valid cases, notices about normalisations, and an error for each record that is not valid."""

    cases: tuple[ReadCase, ...]
    notices: tuple[str, ...]
    problems: tuple[InputError, ...]


@dataclass(frozen=True, slots=True)
class StoredCase:
    """A case to be written: its place, its published values, and its record as a file held it.

    ``raw`` is None if no record was stored, or if it came from a file of another format.
    """

    place: Membership
    case: Case
    published: Mapping[str, JsonValue]
    raw: JsonValue = None


def damaged_record(place: Membership, wrong: str) -> StoreError:
    """The error for a stored record that no import can have stored."""
    return StoreError(
        f"the stored record of {place.dataset}:{place.key} cannot be read ({wrong}); it was altered "
        "or damaged: import the dataset again, or work with a backup of the store."
    )


class CaseFormat(ABC):
    """One kind of file or folder that holds cases. The subclasses tell how its content is decoded."""

    name: ClassVar[str]
    """Its name in messages."""
    endings: ClassVar[tuple[str, ...]] = ()
    """The endings of names of files in this format, in small letters."""

    def recognises(self, name: str, *, is_folder: bool) -> bool:
        """Whether a file or folder with this name is in this format."""
        return not is_folder and name.casefold().endswith(self.endings)


class WritableFormat(CaseFormat):
    """A format that can also be written."""

    @abstractmethod
    def is_record(self, raw: JsonValue) -> bool:
        """Whether a stored record has the form of this format, and so came from one of its files."""


class JsonFormat(WritableFormat):
    """A file that holds one JSON value."""

    @abstractmethod
    def read(self, content: JsonValue, protocol: "Protocol", source: Source) -> Reading:
        """The cases in the value; raises InputError if the value as a whole has another form."""

    @abstractmethod
    def write(self, cases: Sequence[StoredCase], protocol: "Protocol") -> JsonValue:
        """The JSON value of a file with these cases, in the order of their places."""


class TextFormat(WritableFormat):
    """A file of text in a form of its own, such as TOML."""

    @abstractmethod
    def read(self, content: str, protocol: "Protocol", source: Source) -> Reading:
        """The cases in the text; raises InputError if the text as a whole has another form."""

    @abstractmethod
    def write(self, cases: Sequence[StoredCase], protocol: "Protocol") -> str:
        """The text of a file with these cases, in the order of their places."""


@dataclass(frozen=True, slots=True)
class SourceRow:
    """One row of a file: its number from 1, its place in words, and its columns, or why it cannot be read."""

    number: int
    where: str
    content: Mapping[str, JsonValue] | InputError

    @property
    def cells(self) -> Mapping[str, JsonValue]:
        """The columns; raises InputError where the row cannot be read."""
        if isinstance(self.content, InputError):
            raise self.content
        return self.content


@dataclass(frozen=True, slots=True)
class SourceRows:
    """The rows of a file. Each call of ``read`` goes through the file once and holds one row at a time.

    ``columns`` is None if each row names its own. ``typed``: the file tells numbers and lists from texts. A
    CSV file does not. ``notices`` are complete once the file was read to its end; a reader of cases may add
    what it normalised.
    """

    where: str
    columns: tuple[str, ...] | None
    typed: bool
    notices: list[str]
    read: Callable[[], Iterator[SourceRow]]
    header_hint: str = ""
    """The end of a remedy where rows seem to stand above the names of the columns."""

    def notice(self, text: str) -> None:
        """Add a notice, once."""
        if text not in self.notices:
            self.notices.append(text)

    def having(self, *columns: str, tell: Callable[[str], object]) -> Iterator[tuple[str, Mapping[str, str]]]:
        """The rows of a CSV file, each with its place; ``tell`` gets the notices at the end.

        Raises InputError for a missing column and, behind the rows before it, for one that cannot be read.
        """
        if self.columns is None or self.typed:
            raise InputError(self.where, "is not CSV", "save it as CSV")
        if missing := [name for name in columns if name not in self.columns]:
            raise InputError(self.where, f"lacks the column {missing[0]!r}", "add it")
        for row in self.read():
            yield row.where, row.cells
        for notice in self.notices:
            tell(notice)


class RowsFormat(WritableFormat):
    """A file of rows with named columns: JSON Lines, a JSON list, CSV, TSV or Parquet. It is read in a
    stream, and written in any of these forms.
    """

    if_equal: str = "leave one of them out"
    """What to do about two rows that are the same case."""

    @abstractmethod
    def reader(
        self, rows: SourceRows, protocol: "Protocol", source: Source
    ) -> Callable[[SourceRow], ReadCase]:
        """What makes the case of a row of a file; it raises InputError for a row that is none.

        Raises InputError if the file as a whole does not fit, such as for a missing column.
        """

    def read(
        self, rows: SourceRows, protocol: "Protocol", source: Source
    ) -> Iterator[tuple[str, ReadCase | InputError]]:
        """The case of each row, or what is wrong with the row, with its place in words."""
        case_of = self.reader(rows, protocol, source)
        for row in rows.read():
            try:
                yield row.where, case_of(row)
            except InputError as error:
                yield row.where, error

    @abstractmethod
    def write(self, cases: Iterable[StoredCase], protocol: "Protocol") -> Iterator[Mapping[str, JsonValue]]:
        """The row of each case, in the order of their places: as it was imported, or with its new content."""


@dataclass(frozen=True, slots=True)
class FolderLevel:
    """What is read in the folders of one level: the files by name, with their maximum size in bytes, and the
    folders whose names match, which form the next level.
    """

    files: Mapping[str, int]
    folders: re.Pattern[str] | None = None


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder as it was read: the names of its visible folders, the folders that were read, and the files.

    For a file that could not be read, ``files`` holds the error, which the methods raise.
    """

    name: str
    path: str
    """The path relative to the given folder, with slashes; "" for the given folder itself."""
    names: tuple[str, ...] = ()
    folders: Mapping[str, "Folder"] = field(default_factory=dict)
    files: Mapping[str, str | SourceRows | InputError] = field(default_factory=dict)
    fault: InputError | None = None

    def listed(self) -> tuple[str, ...]:
        """The names of its visible folders, sorted; raises InputError."""
        if self.fault:
            raise self.fault
        return self.names

    def text(self, name: str) -> str:
        """The text of a file; raises InputError."""
        text = self.files[name]
        if isinstance(text, InputError):
            raise text
        assert isinstance(text, str)
        return text

    def rows(self, name: str) -> SourceRows | None:
        """The rows of a CSV file; None if there is no such file; raises InputError."""
        rows = self.files.get(name)
        if isinstance(rows, InputError):
            raise rows
        assert not isinstance(rows, str)
        return rows


class FolderFormat(CaseFormat):
    """A folder of folders and files, which hold hand-written cases."""

    levels: ClassVar[tuple[FolderLevel, ...]]
    """The levels, from the given folder downwards."""

    @abstractmethod
    def read(self, content: Folder, protocol: "Protocol", source: Source) -> Reading:
        """The cases in the folder; raises InputError if the folder has another layout."""


@dataclass(frozen=True, slots=True)
class SheetColumn:
    """A column of a validation sheet: its name, its meaning, and whether its text identifies the case.

    A column that ``sways`` shows a model's opinion on the question; it is left blank unless asked for.
    """

    name: str
    meaning: str
    identifies: bool = False
    sways: bool = False


@dataclass(frozen=True, slots=True)
class ValidationSheet:
    """One question as a file that a rater fills in with a spreadsheet, as the benchmark's authors lay it out.

    ``judgement`` names the first column, which takes the rater's label.
    """

    question: str
    file: str
    judgement: str
    columns: tuple[SheetColumn, ...]


TextsOf = Callable[[Question, Case, Sequence[Measurement]], Mapping[str, str]]
"""Gives the cells of a case for a question, by the name of the column."""


@dataclass(frozen=True, slots=True)
class ValidationSheets:
    """The sheets of a benchmark.

    ``texts`` are the cells of a case for a question, by the name of the column. ``generators`` are those that
    the authors' script for these sheets accepts; empty if it accepts any. Sheets ``by_generator`` are in a
    folder for each, which says who wrote the cases.
    """

    sheets: tuple[ValidationSheet, ...]
    texts: TextsOf
    generators: tuple[str, ...] = ()
    by_generator: bool = True
