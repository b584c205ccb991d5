"""Reading filled sheets, whatever a spreadsheet did to their encoding, separators and line ends.

A judgement cell may hold True, False or another label in several spellings, and a comment behind it.
"""

import io
import re
import stat
import struct
import zipfile
import zlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from lzma import LZMAError
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from reviewer.core.answer_kinds import NONE_OF_THEM
from reviewer.core.csv_text import guarded
from reviewer.core.errors import InputError
from reviewer.core.question import Question, answer_fault, answer_in_words, answer_with, labels_of
from reviewer.core.sanitize import one_line, shown
from reviewer.core.spans import marked_as_written, marks_fault, written_spans
from reviewer.exchange.rows.separated_rows import separated_rows
from reviewer.exchange.rows.source_file import encoded_text, shown_path, unreadable
from reviewer.protocols.formats import SourceRows, ValidationSheet

MOST_BYTES = 16 * 1024 * 1024
"""Limit of one unpacked file; the largest sheet of a thousand cases has a few megabytes."""
_MOST_FILES = 2_000
_MOST_IN_ALL = 64 * 1024 * 1024
_OF_A_ZIP = (
    *(zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, OSError, ValueError, OverflowError),
    *(IndexError, struct.error, zlib.error, LZMAError),
)
"""What is raised for files whose bytes are not those of a ZIP: by its members' names, sizes and contents."""
DIGEST_COLUMN = "digest"
"""The column of our own sheets that names the case of each row. Only sheets with it have formula guards."""
COMMENT_COLUMNS = ("comment", "comments", "note", "notes", "remark", "remarks")
ORIGINAL = "bring back the original"


@dataclass(frozen=True, slots=True)
class FilledRow:
    """One row of a sheet: its place, and its cells by the plain names of their columns."""

    where: str
    cells: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class FilledSheet:
    """One file: the folder above it, the sheet it is, the columns that it still has, and its rows."""

    file: str
    folder: str
    sheet: ValidationSheet
    columns: tuple[str, ...]
    rows: tuple[FilledRow, ...]

    @property
    def has_digests(self) -> bool:
        """Whether this program wrote the sheet. Sheets from elsewhere are read as they are."""
        return DIGEST_COLUMN in self.columns


@dataclass
class FilledSheets:
    """All files of a rater, with problems, because of which nothing is imported, and notices."""

    sheets: list[FilledSheet] = field(default_factory=list)
    problems: list[InputError] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)


def read_filled(path: Path, sheets: Sequence[ValidationSheet]) -> FilledSheets:
    """Every sheet in a ZIP or folder; raises InputError if there is none."""
    found = FilledSheets()
    for name, content in _contents(path):
        if content is None:
            found.problems.append(InputError(shown(name), f"has more than {MOST_BYTES:,} bytes", ORIGINAL))
        else:
            _read_one(name, content, sheets, found)
    if not found.sheets and not found.problems:
        files = ", ".join(sheet.file for sheet in sheets)
        raise InputError(shown_path(path), "holds no validation sheet", f"it should hold {files}")
    return found


def _contents(path: Path) -> Iterator[tuple[str, bytes | None]]:
    """CSV files by their path inside; None in place of one that is too large."""
    where = shown_path(path)
    try:
        if path.is_dir():
            yield from _folder_contents(path)
            return
        if not stat.S_ISREG(path.stat().st_mode):
            raise InputError(where, "is not a regular file", "give a ZIP or a folder")
        with path.open("rb") as file:
            yield from _zip_contents(file, where)
    except OSError as error:
        raise unreadable(where, error) from error


def _folder_contents(path: Path) -> Iterator[tuple[str, bytes | None]]:
    named = {file.relative_to(path).as_posix(): file for file in sorted(path.rglob("*"))}
    sizes = {name: file.stat().st_size for name, file in named.items() if _is_wanted(name) and file.is_file()}
    _check_sizes(sizes.values(), shown_path(path))
    for name, size in sizes.items():
        yield name, named[name].read_bytes() if size <= MOST_BYTES else None


def _zip_contents(file: BinaryIO, where: str) -> Iterator[tuple[str, bytes | None]]:
    try:
        with zipfile.ZipFile(file) as archive:
            yield from _members(archive, where)
    except _OF_A_ZIP as error:
        wrong = "is not a readable ZIP file" if "password" not in str(error) else "is locked by a password"
        raise InputError(where, wrong, "give the ZIP or the folder that the export made") from error


def _members(archive: zipfile.ZipFile, where: str) -> Iterator[tuple[str, bytes | None]]:
    members = [member for member in archive.infolist() if not member.is_dir() and _is_wanted(member.filename)]
    _check_sizes([member.file_size for member in members], where)
    left = _MOST_IN_ALL
    for member in sorted(members, key=lambda member: member.filename):
        with archive.open(member) as file:
            content = file.read(MOST_BYTES + 1)  # what the directory says of the size may be a lie
        left -= len(content)
        if left < 0:
            raise _too_much(where)
        yield member.filename, content if len(content) <= MOST_BYTES else None


def _check_sizes(sizes: Collection[int], where: str) -> None:
    """Raise InputError for too many files, or too many bytes of those that are read at all."""
    if len(sizes) > _MOST_FILES:
        raise InputError(where, f"holds {len(sizes):,} CSV files", "give what the export made")
    if sum(min(size, MOST_BYTES + 1) for size in sizes) > _MOST_IN_ALL:
        raise _too_much(where)


def _too_much(where: str) -> InputError:
    return InputError(
        where, f"holds more than {_MOST_IN_ALL:,} bytes of CSV files", "give what the export made"
    )


def _is_wanted(name: str) -> bool:
    """CSV files, except those that archive programs and systems add."""
    parts = PurePosixPath(name).parts
    return name.lower().endswith(".csv") and not any(part.startswith((".", "__")) for part in parts)


def _read_one(name: str, content: bytes, sheets: Sequence[ValidationSheet], found: FilledSheets) -> None:
    """Read a file with a judgement column. One without is a problem if it has the name of a sheet."""
    file, path = shown(name), PurePosixPath(name)
    called = {sheet.file.lower(): sheet for sheet in sheets}.get(path.name.lower())
    try:
        rows = separated_rows(encoded_text(partial(io.BytesIO, content), file), file, ragged=True)
        columns = tuple(map(plain_name, rows.columns or ()))
        sheet = next((sheet for sheet in sheets if plain_name(sheet.judgement) in columns), None)
        if sheet is not None:
            found.sheets.append(_read_sheet(file, path.parent.name, sheet, rows, found))
            return
        if called is not None:
            where = f"{file}, line 1, column {called.judgement}"
            raise InputError(where, "the column is not there", ORIGINAL)
    except InputError as error:
        if called is not None:
            found.problems.append(error)
            return
    found.notices.append(f"{file} is not a validation sheet and was ignored")


def _read_sheet(
    file: str, folder: str, sheet: ValidationSheet, rows: SourceRows, found: FilledSheets
) -> FilledSheet:
    """The sheet in a file; raises InputError if it has a column twice, or cannot be read to its end."""
    given = rows.columns or ()
    columns = tuple(map(plain_name, given))
    own = [sheet.judgement, *(column.name for column in sheet.columns), DIGEST_COLUMN]
    if twice := [column for column in own if columns.count(plain_name(column)) > 1]:
        raise InputError(f"{file}, line 1, column {twice[0]}", "stands there twice", ORIGINAL)
    known = {*map(plain_name, own), *COMMENT_COLUMNS}
    if ignored := [shown(name) for name in given if plain_name(name) not in known]:
        found.notices.append(f"{file}: ignored column {', '.join(ignored)}")
    notices, read = list(rows.notices), list(rows.read())
    found.problems += [row.content for row in read if isinstance(row.content, InputError)]
    found.notices += notices if DIGEST_COLUMN in columns else rows.notices
    filled = [
        FilledRow(row.where, dict(zip(columns, row.content.values(), strict=True)))
        for row in read
        if not isinstance(row.content, InputError)
    ]
    return FilledSheet(file, folder, sheet, columns, tuple(filled))


def plain_name(name: str) -> str:
    """A column's name without differences in case and blanks."""
    return "_".join(name.lower().split())


# How spreadsheets write the two in other languages, and words that people type for them.
_TRUE = (
    "true",
    "1",
    "1.0",
    "yes",
    "y",
    "t",
    "wahr",
    "vrai",
    "vero",
    "verdadero",
    "verdadeiro",
    "waar",
    "sant",
)
_FALSE = ("false", "0", "0.0", "no", "n", "f", "falsch", "faux", "falso", "onwaar", "falskt")
_NOTHING = ("", "nan", "na", "n/a", "#n/a", "none", "null", "-", "–")
# A word as short as "no" may begin a sentence, so a comment after it needs a mark in between.
_LONG_ENOUGH = 4
_MARKS = r"[-–—:;,./(\[|]"


@dataclass(frozen=True, slots=True)
class Judgement:
    """A cell's label (None is missing) and the comment behind it ("" is none)."""

    label: str | None
    comment: str = ""


def read_judgement(text: str, labels: Sequence[str]) -> Judgement:
    """The judgement in a cell of a question with these labels; raises ValueError with the fault.

    The labels themselves count in any case of letters; for True and False also 1, yes, WAHR and the like. A
    comment may follow, after a mark or (behind a whole word) a blank. Empty and n/a are missing.
    """
    cell = " ".join(text.replace("\u00a0", " ").split())
    if cell.casefold() in _NOTHING:
        return Judgement(None)
    words = _words(labels)
    if cell.casefold() in words:
        return Judgement(words[cell.casefold()])
    for word in sorted(words, key=len, reverse=True):
        comment = _comment_after(cell, word)
        if comment is None:
            continue
        if _names_another(comment, words, words[word]):
            raise ValueError(f"says {one_line(cell, 40)!r}, which may mean more than one label")
        return Judgement(words[word], comment)
    raise ValueError(f"says {one_line(cell, 40)!r}, which is none of {', '.join(labels)}")


def read_answer(text: str, question: Question, marked: str | None = None) -> Judgement:
    """The judgement in a cell of a question of any kind that sheets can hold; raises ValueError.

    Several labels stand between semicolons or commas, or as a JSON list; a text is the whole cell. ``marked``
    is the text that spans are of.
    """
    if question.answer_kind.is_label:
        return read_judgement(text, question.labels)
    cell = text.strip()
    if question.answer_kind.is_written:
        return Judgement(cell or None)
    if cell.casefold() in {*_NOTHING} - {"none"}:
        return Judgement(None)
    if question.answer_kind.is_ranked:
        return Judgement(question.answer_kind.read(question, cell))
    if question.answer_kind.is_marked:
        return Judgement(_spans(cell, question, marked or ""))
    return Judgement(_several_labels(cell, question))


def _spans(cell: str, question: Question, text: str) -> str:
    if answer_fault(question, cell) is None and marks_fault(text, cell) is None:
        return cell
    return marked_as_written(cell, question.labels, text)


def _several_labels(cell: str, question: Question) -> str:
    if cell.casefold() in (NONE_OF_THEM, "none"):
        return answer_with(question, ())
    if answer_fault(question, cell) is None:
        return cell
    words = {label.casefold(): label for label in question.labels}
    for parts in ([cell], cell.split(";"), cell.split(","), cell.split("\n")):
        chosen = [words.get(part.strip().casefold()) for part in parts if part.strip()]
        if chosen and None not in chosen:
            return answer_with(question, [label for label in chosen if label])
    raise ValueError(f"says {one_line(cell, 40)!r}, which is none of {', '.join(question.labels)}")


def cell_of_answer(question: Question, answer: str | None) -> str:
    """An answer as people write it in a cell; "" if it is missing."""
    if answer is None or question.answer_kind.is_ranked:
        return answer_in_words(question, answer or "")
    if question.answer_kind.is_marked:
        return written_spans(answer)
    if not question.answer_kind.any_number:
        return answer
    labels = labels_of(question, answer)
    return answer if any(";" in label for label in labels) else "; ".join(labels) or NONE_OF_THEM


def _words(labels: Sequence[str]) -> dict[str, str]:
    """Every word that is understood, with the label that it means."""
    words = {spelling.casefold(): label for label in labels for spelling in (guarded(label), label)}
    if {"true", "false"} == set(words):
        words |= dict.fromkeys(_TRUE, words["true"]) | dict.fromkeys(_FALSE, words["false"])
    return words


def _comment_after(cell: str, word: str) -> str | None:
    """What follows the word as a comment, None where the cell does not begin with it."""
    blank = r"|\s" if len(word) >= _LONG_ENOUGH else ""
    match = re.fullmatch(rf"{re.escape(word)}\s*(?:{_MARKS}{blank})\s*(.*)", cell, re.IGNORECASE | re.DOTALL)
    if match is None or re.match(r"[.,]\d", cell[len(word) :]):
        return None
    comment = match[1].strip()
    closed = comment.endswith((")", "]")) and comment.count("(") + comment.count("[") < comment.count(
        ")"
    ) + comment.count("]")
    return comment[:-1].strip() if closed else comment


def _names_another(comment: str, words: dict[str, str], label: str) -> bool:
    """Whether the comment is itself an answer, or holds a whole word for another label."""
    if re.sub(r"\W", "", comment).casefold() in words or re.fullmatch(r"[\W\d]+", comment):
        return True
    said = set(re.findall(r"\w+", comment.casefold()))
    return any(len(word) >= _LONG_ENOUGH and words[word] != label for word in said & set(words))
