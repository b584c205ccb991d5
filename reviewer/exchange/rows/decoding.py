"""Opening and decoding files and folders, within limits, for the readers of protocols."""

import os
from collections.abc import Sequence
from pathlib import Path

from reviewer.core.errors import InputError
from reviewer.core.sanitize import shown
from reviewer.core.strict_json import parse
from reviewer.exchange.rows.csv_records import csv_records
from reviewer.exchange.rows.source_file import read_text, shown_path, unreadable
from reviewer.protocols.formats import CsvRows, Folder, FolderLevel, Lines
from store.records import JsonValue


def json_value(path: Path) -> JsonValue:
    """The value of a JSON file; raises InputError."""
    where = shown_path(path)
    return parse(read_text(path, where), where)


def json_lines(path: Path) -> Lines:
    """The values of a file's lines, without empty ones; raises InputError for the file as a whole."""
    where = shown_path(path)
    text = read_text(path, where)
    files = [
        (number, _line(line, f"{shown(path.name)}, line {number}"))
        for number, line in enumerate(text.split("\n"), 1)
        if line.strip()
    ]
    if not files:
        raise InputError(where, "is empty", "check that it is the right file and complete")
    return files


def _line(text: str, where: str) -> JsonValue | InputError:
    try:
        return parse(text, where)
    except InputError as error:
        return error


def folder_content(path: Path, levels: Sequence[FolderLevel]) -> Folder:
    """A folder with those files and folders in it that the levels name; raises InputError."""
    return _folder(path, "", levels, shown_path(path))


def _folder(path: Path, below: str, levels: Sequence[FolderLevel], where: str) -> Folder:
    level, *deeper = levels
    files = {
        name: _file(path / name, below, most) for name, most in level.files.items() if _wanted(path, name)
    }
    if level.folders is None:
        return Folder(path.name, below, files=files)
    try:
        names = tuple(_visible_folders(path))
    except OSError as error:
        if not below:
            raise unreadable(where, error) from error
        return Folder(path.name, below, files=files, fault=unreadable(where, error))
    inner = {name: f"{below}/{name}" if below else name for name in names if level.folders.fullmatch(name)}
    folders = {name: _folder(path / name, at, deeper, shown(at)) for name, at in inner.items()}
    return Folder(path.name, below, names, folders, files)


def _wanted(path: Path, name: str) -> bool:
    """A table may be missing; a missing text is an error that the reader reports."""
    return not name.endswith(".csv") or os.path.lexists(path / name)


def _visible_folders(path: Path) -> list[str]:
    return sorted(folder.name for folder in path.iterdir() if folder.name[0] not in "._" and folder.is_dir())


def _file(path: Path, below: str, most_bytes: int) -> str | CsvRows | InputError:
    where = f"{shown(below)}/{path.name}" if below else path.name
    try:
        text = read_text(path, where, most_bytes)
    except InputError as error:
        return error
    if path.suffix != ".csv":
        return text
    read = csv_records(text, where)
    return CsvRows(where, read.columns, read.records, read.fault)
