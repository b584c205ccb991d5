"""PROBE-SWE's seed corpus: ``<family> - <bias>/<n>-<name>/`` with two texts, two programs and the axioms."""

import csv
import io
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from pydantic import ValidationError

from reviewer.core.csv_text import unguarded
from reviewer.core.errors import InputError
from reviewer.core.sanitize import is_single_line
from reviewer.exchange.rows.incoming import (
    CORRECT,
    HAND_WRITTEN,
    Incoming,
    Intake,
    invalid,
    known_group,
    valid_case,
)
from reviewer.exchange.rows.probe_swe_values import PublishedValues
from reviewer.exchange.rows.source_file import read_text, shown, shown_path, unreadable
from reviewer.exchange.rows.strict_json import MOST_CHARACTERS
from reviewer.protocols.base import Protocol
from store.cases import Entry
from store.records import Membership

VALUES_FILE = "published_values.csv"
"""Optional, in the corpus folder; its column ``dilemma`` holds ``<family> - <bias>/<n>-<name>``."""

_FILES = {
    "unbiased": "0-unbiased_task.txt",
    "biased": "1-biased_task.txt",
    "axioms": "axioms.pl",
    "axioms_description": "axioms.txt",
    "unbiased_prolog": "0-unbiased_task.pl",
    "biased_prolog": "1-biased_task.pl",
}
_COLUMNS = ("correct_option", "inference_steps", "choice_steps")
_MOST_BYTES = 4 * MOST_CHARACTERS
_BETWEEN = " - "
_NUMBERED = re.compile(r"([0-9]+)-.+")
_LAYOUT = "lay it out as '<family> - <bias>/<n>-<name>/', or give a dataset file"


def read_seed_folder(path: Path, protocol: Protocol, dataset: str) -> Incoming:
    """Everything in the folder; raises InputError where it is no seed corpus."""
    intake = Intake()
    dilemmas = {folder: list(_dilemmas(folder, intake)) for folder in _groups(path, intake)}
    keys = {_key(dilemma) for found in dilemmas.values() for dilemma in found}
    corpus = _Corpus(protocol, dataset, _published_values(path / VALUES_FILE, keys, intake))
    positions = count()
    for folder, found in dilemmas.items():
        with intake.attempt():
            group = corpus.group(folder)
            for dilemma in found:
                with intake.attempt():
                    intake.add(corpus.entry(dilemma, group, next(positions)), shown(_key(dilemma)))
    return intake.result()


@dataclass(frozen=True, slots=True)
class _Corpus:
    """Turns folders into entries."""

    protocol: Protocol
    dataset: str
    published: dict[str, PublishedValues]

    def group(self, folder: Path) -> str:
        """The group that a folder is for; raises InputError."""
        where = shown(folder.name)
        group = known_group(self.protocol, folder.name.partition(_BETWEEN)[2], where)
        # What raters judge by is the protocol's own definition; the corpus has one for its readers.
        read_text(folder / "definition.txt", f"{where}/definition.txt", _MOST_BYTES)
        return group

    def entry(self, dilemma: Path, group: str, position: int) -> Entry:
        """A dilemma with its published values; raises InputError."""
        key = _key(dilemma)
        where = shown(key)
        if not is_single_line(key):
            raise InputError(where, "has characters in its name that cannot be kept", "rename it")
        texts = {name: read_text(dilemma / name, f"{where}/{name}", _MOST_BYTES) for name in _FILES.values()}
        payload = {field: texts[name] for field, name in _FILES.items()}
        case = valid_case(self.protocol, group, payload, where, _FILES)
        place = Membership(
            dataset=self.dataset,
            key=key,
            case=case.digest,
            position=position,
            generator=HAND_WRITTEN,
            origin="seed",
        )
        return Entry(case, place, self.published.get(key, PublishedValues()).measurements(place))


def _key(dilemma: Path) -> str:
    return f"{dilemma.parent.name}/{dilemma.name}"


def _groups(path: Path, intake: Intake) -> list[Path]:
    folders = _folders(path, shown_path(path))
    groups = [folder for folder in folders if _BETWEEN in folder.name]
    if not groups:
        raise InputError(shown_path(path), "is a folder without '<family> - <bias>' folders in it", _LAYOUT)
    for folder in folders:
        if folder not in groups:
            intake.notice(f"{shown(folder.name)}: left out, for it is not named '<family> - <bias>'")
    return groups


def _dilemmas(group: Path, intake: Intake) -> list[Path]:
    numbered: list[tuple[int, Path]] = []
    with intake.attempt():
        for folder in _folders(group, shown(group.name)):
            with intake.attempt():
                match = _NUMBERED.fullmatch(folder.name)
                if match is None:
                    raise InputError(shown(_key(folder)), "is not named '<n>-<name>'", "rename it")
                numbered.append((int(match[1]), folder))
    return [folder for _, folder in sorted(numbered)]


def _folders(path: Path, where: str) -> list[Path]:
    """The visible folders in a folder, by name; raises InputError."""
    try:
        return sorted(found for found in path.iterdir() if found.name[0] not in "._" and found.is_dir())
    except OSError as error:
        raise unreadable(where, error) from error


def _published_values(path: Path, keys: set[str], intake: Intake) -> dict[str, PublishedValues]:
    """The values by dilemma; every row that cannot be used is a problem."""
    values: dict[str, PublishedValues] = {}
    if not os.path.lexists(path):
        return values
    with intake.attempt():
        for line, row in _rows(read_text(path, VALUES_FILE)):
            where = f"{VALUES_FILE}, line {line}"
            with intake.attempt():
                key = row["dilemma"]
                if key not in keys:
                    raise InputError(where, f"{shown(key)!r} is no dilemma of this corpus", CORRECT)
                if key in values:
                    raise InputError(where, f"{shown(key)!r} comes twice", "leave one of them out")
                values[key] = _row_values(row, where)
                if notice := values[key].notice_of(row["correct_option"] or None):
                    intake.notice(f"{where}: {notice}")
    return values


def _rows(text: str) -> Iterator[tuple[int, dict[str, str]]]:
    reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)
    try:
        if missing := [name for name in ("dilemma", *_COLUMNS) if name not in (reader.fieldnames or ())]:
            raise InputError(VALUES_FILE, f"lacks the column {missing[0]!r}", "add it")
        for row in reader:
            if None in row or None in row.values():
                raise InputError(
                    f"{VALUES_FILE}, line {reader.line_num}", "has not as many cells as columns", CORRECT
                )
            yield reader.line_num, {name: unguarded(cell) for name, cell in row.items()}
    except csv.Error as error:
        raise InputError(
            f"{VALUES_FILE}, line {reader.line_num}", f"is not CSV ({error})", CORRECT
        ) from error


def _row_values(row: dict[str, str], where: str) -> PublishedValues:
    cells = {name: row[name] for name in _COLUMNS if row[name]}
    counts = {name: int(cell) for name, cell in cells.items() if re.fullmatch("[0-9]{1,18}", cell)}
    try:
        return PublishedValues.model_validate(cells | counts)
    except ValidationError as error:
        raise invalid(where, error) from None
