"""Importing readers' reports about cases of a dataset: a file of rows, whole or not at all."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from reviewer.core.errors import InputError
from reviewer.core.names import checked_name
from reviewer.core.sanitize import is_blank, link_fault, shown, text_fault
from reviewer.exchange.rows.row_files import small_rows
from reviewer.exchange.rows.source_file import shown_path
from reviewer.exchange.rows.source_reading import all_problems
from reviewer.protocols.formats import SourceRow
from reviewer.runs.audit.reader_reports import finding_of_reports
from store.cases import get_dataset, places_of
from store.complaints import NewComplaint, add_complaints
from store.database import Database
from store.records import Complaint, JsonValue
from store.revisions import histories

COLUMNS = ("key", "text", "link")
_MOST_BYTES = 32 * 1024 * 1024
_MOST_ROWS = 10_000
_MOST_NAMED = 5
_SHAPE = 'give "key" and "text", and "link" if there is one'


@dataclass(frozen=True, slots=True)
class ImportedComplaints:
    """The result of an import. ``known`` rows were there already; ``problems`` are rows that were skipped.

    ``withdrawn`` and ``changed`` are keys of cases that were so before: readers may have seen another text.
    """

    added: tuple[Complaint, ...]
    known: int
    withdrawn: tuple[str, ...]
    changed: tuple[str, ...]
    notices: tuple[str, ...]
    problems: tuple[InputError, ...]


def import_complaints(
    database: Database, dataset: str, path: Path, who: str, *, skip_invalid: bool = False
) -> ImportedComplaints:
    """Add the reports of a file, each as an open finding on its case; raises InputError and RequestError.

    Rows have the columns ``key`` and ``text``, and may have ``link``. Importing a row again changes nothing.
    """
    checked_name("author", who)
    with database.read() as session:
        get_dataset(session, dataset)
        keys = {place.key for place in places_of(session, dataset)}
        revised = histories(session, [dataset])
    rows = small_rows(path, _MOST_BYTES)
    if missing := [name for name in COLUMNS[:2] if rows.columns is not None and name not in rows.columns]:
        raise InputError(rows.where, f"has no column {missing[0]!r}", _SHAPE)
    said, problems = _read(rows.read(), keys, dataset, shown_path(path))
    if problems and not skip_invalid:
        raise all_problems(problems)
    if not said:
        raise InputError(shown_path(path), "holds no valid report", "check that it is the right file")
    added = add_complaints(database, dataset, said, who, finding_of_reports)
    about = dict.fromkeys(each.key for each in added)
    gone = [key for key in about if (history := revised.get((dataset, key))) and history.withdrawn]
    changed = [key for key in about if (dataset, key) in revised and key not in gone]
    return ImportedComplaints(
        added=tuple(added),
        known=len(said) - len(added),
        withdrawn=tuple(gone),
        changed=tuple(changed),
        notices=tuple(rows.notices),
        problems=tuple(problems),
    )


def _read(
    rows: Iterator[SourceRow], keys: set[str], dataset: str, where: str
) -> tuple[list[NewComplaint], list[InputError]]:
    said: list[NewComplaint] = []
    problems: list[InputError] = []
    for number, row in enumerate(rows, 1):
        if number > _MOST_ROWS:
            raise InputError(where, f"has more than {_MOST_ROWS:,} rows", "split it into several files")
        try:
            said.append(_complaint(row.where, row.cells, keys, dataset))
        except InputError as error:
            problems.append(error)
    return said, problems


def _complaint(where: str, row: Mapping[str, JsonValue], keys: set[str], dataset: str) -> NewComplaint:
    if unknown := [name for name in row if name not in COLUMNS]:
        raise InputError(where, f"has an unknown field {shown(unknown[0])!r}", f"take it out; {_SHAPE}")
    key, text, link = (_text(where, row, name) for name in COLUMNS)
    for name, value in (("key", key), ("text", text)):
        if is_blank(value):
            raise InputError(f"{where}, {name}", "is empty", _SHAPE)
    if key not in keys:
        remedy = f"`reviewer cases --dataset {dataset}` lists its keys"
        raise InputError(f"{where}, key", f"dataset {dataset!r} has no case {shown(key)!r}", remedy)
    if link and (fault := link_fault(link)):
        raise InputError(f"{where}, link", *fault)
    return NewComplaint(key, text, link)


def _text(where: str, row: Mapping[str, JsonValue], name: str) -> str:
    value = row.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise InputError(f"{where}, {name}", "is not a text", "put it into double quotes")
    if fault := text_fault(value):
        raise InputError(f"{where}, {name}", *fault)
    return value.strip()


def key_words(keys: Sequence[str]) -> str:
    """Some keys, and how many more there are."""
    more = f" and {len(keys) - _MOST_NAMED:,} more" if len(keys) > _MOST_NAMED else ""
    return ", ".join(map(shown, keys[:_MOST_NAMED])) + more
