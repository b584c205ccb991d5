"""PROBE-SWE's seed corpus: ``<family> - <bias>/<n>-<name>/`` with two texts, two programs and the axioms."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import count

from pydantic import ValidationError

from reviewer.core.errors import InputError
from reviewer.core.sanitize import is_single_line, shown
from reviewer.core.strict_json import MOST_CHARACTERS
from reviewer.protocols.base import Protocol
from reviewer.protocols.formats import Folder, FolderFormat, FolderLevel, ReadCase, Reading, Source
from reviewer.protocols.intake import CORRECT, HAND_WRITTEN, Intake, invalid, known_group, valid_case
from reviewer.protocols.probe_swe.formats.dataset_json import PublishedValues

VALUES_FILE = "published_values.csv"
"""Optional, in the corpus folder; its column ``dilemma`` holds ``<family> - <bias>/<n>-<name>``."""

_DEFINITION = "definition.txt"
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
_MOST_BYTES_OF_VALUES = 512 * 1024 * 1024
_BETWEEN = " - "
_NUMBERED = re.compile(r"([0-9]+)-.+", re.DOTALL)
_LAYOUT = "lay it out as '<family> - <bias>/<n>-<name>/', or give a dataset file"


class SeedFolder(FolderFormat):
    """A folder of hand-written pairs, such as the authors' and ours."""

    name = "PROBE-SWE's seed folder"
    levels = (
        FolderLevel({VALUES_FILE: _MOST_BYTES_OF_VALUES}, re.compile(f".*{_BETWEEN}.*", re.DOTALL)),
        FolderLevel({_DEFINITION: _MOST_BYTES}, _NUMBERED),
        FolderLevel(dict.fromkeys(_FILES.values(), _MOST_BYTES)),
    )

    def recognises(self, name: str, *, is_folder: bool) -> bool:
        """Every folder."""
        return is_folder

    def read(self, content: Folder, protocol: Protocol, source: Source) -> Reading:
        """Every pair of the folder; raises InputError if it is not a seed corpus."""
        intake = Intake()
        dilemmas = [(group, list(_dilemmas(group, intake))) for group in _groups(content, source, intake)]
        keys = {dilemma.path for _, found in dilemmas for dilemma in found}
        corpus = _Corpus(protocol, _published_values(content, keys, intake))
        positions = count()
        for folder, found in dilemmas:
            with intake.attempt():
                group = corpus.group(folder)
                for dilemma in found:
                    with intake.attempt():
                        intake.add(corpus.case(dilemma, group, next(positions)), shown(dilemma.path))
        return intake.result()


@dataclass(frozen=True, slots=True)
class _Corpus:
    """Turns folders into cases."""

    protocol: Protocol
    published: dict[str, PublishedValues]

    def group(self, folder: Folder) -> str:
        """The group of a folder; raises InputError."""
        group = known_group(self.protocol, folder.name.partition(_BETWEEN)[2], shown(folder.name))
        # Raters judge by the protocol's definition. The file of the corpus is for its readers and must exist.
        folder.text(_DEFINITION)
        return group

    def case(self, dilemma: Folder, group: str, position: int) -> ReadCase:
        """A pair with its published values; raises InputError."""
        where = shown(dilemma.path)
        if not is_single_line(dilemma.path):
            raise InputError(where, "has characters in its name that cannot be kept", "rename it")
        payload = {field: dilemma.text(name) for field, name in _FILES.items()}
        return ReadCase(
            case=valid_case(self.protocol, group, payload, where, _FILES),
            key=dilemma.path,
            position=position,
            generator=HAND_WRITTEN,
            origin="seed",
            published=self.published.get(dilemma.path, PublishedValues()).measured,
        )


def _groups(content: Folder, source: Source, intake: Intake) -> list[Folder]:
    names = content.listed()
    if not content.folders:
        raise InputError(source.path, "is a folder without '<family> - <bias>' folders in it", _LAYOUT)
    for name in names:
        if name not in content.folders:
            intake.notice(f"{shown(name)}: left out because it is not named '<family> - <bias>'")
    return list(content.folders.values())


def _dilemmas(group: Folder, intake: Intake) -> list[Folder]:
    numbered: list[tuple[int, str, Folder]] = []
    with intake.attempt():
        for name in group.listed():
            with intake.attempt():
                match = _NUMBERED.fullmatch(name)
                if match is None:
                    raise InputError(shown(f"{group.path}/{name}"), "is not named '<n>-<name>'", "rename it")
                numbered.append((int(match[1]), name, group.folders[name]))
    return [folder for _, _, folder in sorted(numbered, key=lambda found: found[:2])]


def _published_values(content: Folder, keys: set[str], intake: Intake) -> dict[str, PublishedValues]:
    """The values of each pair; every row that cannot be used is a problem."""
    values: dict[str, PublishedValues] = {}
    with intake.attempt():
        table = content.rows(VALUES_FILE)
        for where, row in table.having("dilemma", *_COLUMNS, tell=intake.notice) if table else ():
            with intake.attempt():
                key = row["dilemma"]
                if key not in keys:
                    raise InputError(where, f"{shown(key)!r} is not a dilemma of this corpus", CORRECT)
                if key in values:
                    raise InputError(where, f"{shown(key)!r} occurs twice", "leave one of them out")
                values[key] = _row_values(row, where)
                if notice := values[key].notice_of(row["correct_option"] or None):
                    intake.notice(f"{where}: {notice}")
    return values


def _row_values(row: Mapping[str, str], where: str) -> PublishedValues:
    cells = {name: row[name] for name in _COLUMNS if row[name]}
    counts = {name: int(cell) for name, cell in cells.items() if re.fullmatch("[0-9]{1,18}", cell)}
    try:
        return PublishedValues.model_validate(cells | counts)
    except ValidationError as error:
        raise invalid(where, error) from None
