"""Which protocol and format a file or folder belongs to, and what the format reads there."""

from collections.abc import Sequence
from pathlib import Path

from reviewer.core.errors import InputError, RequestError
from reviewer.core.sanitize import shown
from reviewer.exchange.rows.decoding import folder_content, json_lines, json_value
from reviewer.exchange.rows.incoming import StreamedReading
from reviewer.exchange.rows.row_files import RowOptions, open_rows
from reviewer.exchange.rows.source_file import shown_path, unreadable
from reviewer.protocols.base import Protocol
from reviewer.protocols.case_lines import CaseLines, formats_of, protocol_named_in
from reviewer.protocols.formats import (
    CaseFormat,
    FolderFormat,
    JsonFormat,
    LinesFormat,
    Reading,
    RowsFormat,
    Source,
)
from reviewer.protocols.registry import Protocols, the_only


def read_source(
    path: Path, named: str | None, protocols: Protocols, generator: str | None, options: RowOptions
) -> tuple[Protocol, Reading | StreamedReading]:
    """What a file or folder holds, and its protocol; raises InputError and RequestError.

    ``named`` is the name of the protocol, None if the material itself tells it.
    """
    is_folder = _is_folder(path)
    protocol = _protocol_of(path, is_folder, named, protocols)
    form = _format_of(path, is_folder, protocol)
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
            return protocol, form.read(json_value(path), protocol, source)
        case LinesFormat():
            return protocol, form.read(json_lines(path), protocol, source)
        case RowsFormat():
            rows = open_rows(path, options)
            return protocol, StreamedReading(form.read(rows, protocol, source), rows.notices)
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
    recognised = {
        protocol: forms
        for protocol in protocols.values()
        if (
            forms := [
                form for form in formats_of(protocol) if form.recognises(path.name, is_folder=is_folder)
            ]
        )
    }
    if len(recognised) > 1 and not is_folder and (said := _protocol_said_in(path, list(recognised))):
        return said
    # A declared protocol takes any file of rows, so that it counts only if no other one knows the file.
    unnamed = {protocol: forms for protocol, forms in recognised.items() if not protocol.taken_by_name}
    own = [protocol for protocol, forms in unnamed.items() if not isinstance(forms[0], RowsFormat)]
    return the_only(
        own or unnamed or recognised or protocols.values(),
        "there is no protocol here.",
        f"several protocols have a format for {shown_path(path)}; name one of these with --protocol",
    )


def _protocol_said_in(path: Path, protocols: Sequence[Protocol]) -> Protocol | None:
    """The protocol that the first line of a file in lines names."""
    if not CaseLines().recognises(path.name, is_folder=False):
        return None
    name = _protocol_of_first_line(path)
    return next((protocol for protocol in protocols if protocol.name == name), None)


def _protocol_of_first_line(path: Path) -> str | None:
    first = next(open_rows(path).read(), None)
    return protocol_named_in([(1, first.content)]) if first else None


def _format_of(path: Path, is_folder: bool, protocol: Protocol) -> CaseFormat:
    forms = formats_of(protocol)
    chosen = next((form for form in forms if form.recognises(path.name, is_folder=is_folder)), None)
    lines = CaseLines()
    if isinstance(chosen, RowsFormat) and lines.recognises(path.name, is_folder=is_folder):
        # Whole cases in JSON Lines name their protocol, which rows of other tools do not.
        return lines if _protocol_of_first_line(path) == protocol.name else chosen
    if chosen is None:
        wrong = f"is in none of the formats of {protocol.title} ({', '.join(form.name for form in forms)})"
        raise InputError(shown_path(path), wrong, "give JSON Lines in a file whose name ends in .jsonl")
    return chosen
