"""What was read from a file or folder, before any of it is written."""

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from reviewer.core.errors import InputError, RequestError
from reviewer.core.sanitize import shown
from reviewer.core.strict_json import parse
from reviewer.exchange.rows.row_files import RowOptions, check_is_text, open_rows, small_rows
from reviewer.exchange.rows.source_file import plain_path, read_text, shown_path, unreadable
from reviewer.protocols.base import Protocol
from reviewer.protocols.case_lines import (
    CaseLines,
    CaseToml,
    formats_of,
    protocol_named_in,
    protocol_of_tables,
)
from reviewer.protocols.formats import (
    CaseFormat,
    Folder,
    FolderFormat,
    FolderLevel,
    JsonFormat,
    ReadCase,
    Reading,
    RowsFormat,
    Source,
    SourceRows,
    TextFormat,
)
from reviewer.protocols.intake import SeenCases
from reviewer.protocols.registry import Protocols, the_only
from store.case_import import Entry, Spool, published_at
from store.records import JsonValue, Membership

MOST_NAMED = 10
_AS_IT_CAME = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False)


@dataclass(frozen=True, slots=True)
class Incoming:
    """Valid entries, notices about normalisations, and an error for everything that is not valid."""

    entries: tuple[Entry, ...]
    notices: tuple[str, ...]
    problems: tuple[InputError, ...]


@dataclass(frozen=True, slots=True)
class StreamedReading:
    """Cases that are read one after the other, each with its place in words, or the fault there."""

    cases: Iterator[tuple[str, ReadCase | InputError]]
    notices: Sequence[str]
    if_equal: str = "leave one of them out"


def incoming_of(reading: Reading | StreamedReading, dataset: str) -> Incoming:
    """What a reader found, as entries of a dataset. Those of a stream are packed as they come."""
    if isinstance(reading, StreamedReading):
        return _streamed(reading, dataset)
    entries = tuple(_entry(read, dataset) for read in reading.cases)
    return Incoming(entries, reading.notices, reading.problems)


def _streamed(reading: StreamedReading, dataset: str) -> Incoming:
    seen, spool, entries, problems = SeenCases(reading.if_equal), Spool(), [], []
    for where, read in reading.cases:
        if isinstance(read, InputError):
            problems.append(_alone(read))
            continue
        try:
            seen.add(read, where)
        except InputError as error:
            problems.append(_alone(error))
        else:
            raw = None if read.raw is None else raw_text(read.raw)
            entries.append(Entry.packed(read.case, _place(read, dataset), read.published, raw, spool))
    return Incoming(tuple(entries), tuple(reading.notices), tuple(problems))


def _alone(problem: InputError) -> InputError:
    """The error without the row that its traceback holds."""
    return InputError(problem.where, problem.wrong, problem.remedy)


def raw_text(raw: JsonValue) -> str:
    """A record of a file as it is kept: in its own order and spelling."""
    return _AS_IT_CAME.encode(raw)


def _entry(found: ReadCase, dataset: str) -> Entry:
    place = _place(found, dataset)
    raw = None if found.raw is None else raw_text(found.raw)
    return Entry(found.case, place, published_at(place, found.published), raw)


def _place(found: ReadCase, dataset: str) -> Membership:
    return Membership(
        dataset=dataset,
        key=found.key,
        case=found.case.digest,
        position=found.position,
        generator=found.generator,
        run=found.run,
        origin=found.origin,
        extra=found.extra,
    )


def all_problems(problems: Sequence[InputError], *, can_skip: bool = True) -> InputError:
    """The first problem, with the number of further ones and the places of the first of them.

    ``can_skip``: the command has the option --skip-invalid.
    """
    first, more = problems[0], len(problems) - 1
    wrong = (
        f"{first.wrong} (and {more:,} more {'is' if more == 1 else 'are'} invalid: "
        f"{_places(problems[1:], first.where.partition(', ')[0])})"
        if more
        else first.wrong
    )
    or_skip = "; or leave out what is invalid with --skip-invalid" if can_skip else ""
    return InputError(first.where, wrong, f"{first.remedy}{or_skip}")


def _places(problems: Sequence[InputError], file: str) -> str:
    """Where in the file the first problems are."""
    places = "; ".join(problem.where.removeprefix(f"{file}, ") for problem in problems[:MOST_NAMED])
    return f"{places}; …" if len(problems) > MOST_NAMED else places


def read_source(
    path: Path, named: str | None, protocols: Protocols, generator: str | None, options: RowOptions
) -> tuple[Protocol, Reading | StreamedReading]:
    """What a file or folder holds, and its protocol; raises InputError and RequestError.

    ``named`` is the name of the protocol, None if the material itself tells it.
    """
    is_folder = _is_folder(path)
    protocol = _protocol_of(path, is_folder, named, protocols)
    form = _format_of(path, is_folder, protocol)
    if options.columns and not isinstance(form, RowsFormat):
        raise RequestError("--column names columns of rows; this file has none, so leave it out.")
    source = Source(path.name, shown(path.name), shown_path(path), generator, named)
    match form:
        case FolderFormat():
            if generator is not None:
                raise RequestError(
                    "--generator is for files of generated cases; a folder holds hand-written ones, so leave "
                    "it out."
                )
            return protocol, form.read(folder_content(path, form.levels), protocol, source)
        case JsonFormat():
            return protocol, form.read(parse(text_content(path), source.path), protocol, source)
        case TextFormat():
            return protocol, form.read(text_content(path), protocol, source)
        case RowsFormat():
            rows = open_rows(path, options)
            return protocol, StreamedReading(form.read(rows, protocol, source), rows.notices, form.if_equal)
    raise TypeError(f"{form.name} is in no shape that can be read")


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except (OSError, ValueError) as error:
        raise unreadable(shown_path(path), error) from error


def _protocol_of(path: Path, is_folder: bool, named: str | None, protocols: Protocols) -> Protocol:
    """The named protocol, else the one that the material names, else the only one with a format for it."""
    if named is not None:
        return protocols.named(named)
    name = plain_path(path).name
    recognised = {
        protocol: forms
        for protocol in protocols.values()
        if (forms := [form for form in formats_of(protocol) if form.recognises(name, is_folder=is_folder)])
    }
    if len(recognised) > 1 and not is_folder and (said := _protocol_said_in(path, list(recognised))):
        return said
    # A declared protocol takes any file of rows, so that it counts only if no other one knows the file.
    unnamed = {protocol: forms for protocol, forms in recognised.items() if not protocol.taken_by_name}
    own = [
        protocol
        for protocol, forms in unnamed.items()
        if isinstance(forms[0], CaseLines) or not isinstance(forms[0], RowsFormat)
    ]
    return the_only(
        (own if len(own) == 1 else ()) or unnamed or recognised or protocols.values(),
        "there is no protocol here.",
        f"several protocols have a format for {shown_path(path)}; name one of these with --protocol",
    )


def _protocol_said_in(path: Path, protocols: Sequence[Protocol]) -> Protocol | None:
    """The protocol that the first case of a file in lines or tables names."""
    name = plain_path(path).name
    if CaseToml().recognises(name, is_folder=False):
        named = protocol_of_tables(text_content(path), shown_path(path))
    elif CaseLines().recognises(name, is_folder=False):
        named = protocol_named_in(open_rows(path))
    else:
        return None
    return next((protocol for protocol in protocols if protocol.name == named), None)


def _format_of(path: Path, is_folder: bool, protocol: Protocol) -> CaseFormat:
    forms = formats_of(protocol)
    chosen = next(
        (form for form in forms if form.recognises(plain_path(path).name, is_folder=is_folder)), None
    )
    lines = CaseLines()
    if isinstance(chosen, RowsFormat) and lines.recognises(plain_path(path).name, is_folder=is_folder):
        # Whole cases in JSON Lines name their protocol, which rows of other tools do not.
        return lines if protocol_named_in(open_rows(path)) == protocol.name else chosen
    if chosen is None:
        wrong = f"is in none of the formats of {protocol.title} ({', '.join(form.name for form in forms)})"
        raise InputError(shown_path(path), wrong, "give JSON Lines in a file whose name ends in .jsonl")
    return chosen


def text_content(path: Path) -> str:
    """The text of a file; raises InputError."""
    where = shown_path(path)
    check_is_text(path, where)
    return read_text(path, where)


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


def _file(path: Path, below: str, most_bytes: int) -> str | SourceRows | InputError:
    where = f"{shown(below)}/{path.name}" if below else path.name
    try:
        return small_rows(path, most_bytes) if path.suffix == ".csv" else read_text(path, where, most_bytes)
    except InputError as error:
        return error
