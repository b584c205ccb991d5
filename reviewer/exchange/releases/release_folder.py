"""A release as a folder: its files by name, read within limits, and written whole or not at all.

Only the files of a release are read, by their known names: no path of the folder's own is followed. Links,
other kinds of files and files above their limit are refused before anything is read.
"""

import hashlib
import os
import re
import shutil
import stat
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from pydantic import ValidationError

from reviewer.core.errors import InputError, RequestError
from reviewer.core.sanitize import shown
from reviewer.core.strict_json import fault_in, parse
from reviewer.core.whole_files import draft_of, made_folder
from reviewer.exchange.releases.release_content import FORMAT, FORMATS_BEFORE, ReleaseManifest
from reviewer.exchange.rows.source_file import MOST_BYTES, RELEASE_MARKS, shown_path, unreadable
from reviewer.protocols.declared.declaration_reading import MOST_BYTES as MOST_BYTES_OF_DECLARATION
from reviewer.protocols.intake import invalid
from store.migrations import MADE_BEFORE


class ReleaseFile(StrEnum):
    """The files of a release, by their paths in its folder."""

    CARD = "README.md"
    CHANGELOG = "CHANGELOG.md"
    CITATION = "CITATION.cff"
    CROISSANT = "croissant.json"
    ZENODO = ".zenodo.json"
    MANIFEST, CHECKSUMS = RELEASE_MARKS
    DECLARATION = "protocol.toml"
    ROWS = "data/cases.jsonl"
    OWN = "data/cases.json"
    PARQUET = "data/cases.parquet"
    STUDIES = "data/studies.json"
    LABELS = "data/labels.jsonl"
    SCRIPT = "data/agreement.py"


def sha256(content: bytes) -> str:
    """The digest that checksums have."""
    return hashlib.sha256(content).hexdigest()


def checksum_lines(digests: Mapping[str, str]) -> str:
    """A line for each file, as ``sha256sum --check`` reads it."""
    return "".join(f"{digest}  {path}\n" for path, digest in sorted(digests.items()))


_TEXT_BYTES = 32 * 1024 * 1024
LIMITS: Mapping[str, int] = {
    **dict.fromkeys(ReleaseFile, _TEXT_BYTES),
    ReleaseFile.MANIFEST: 128 * 1024 * 1024,
    ReleaseFile.ROWS: MOST_BYTES,
    ReleaseFile.OWN: MOST_BYTES,
    ReleaseFile.DECLARATION: MOST_BYTES_OF_DECLARATION,
    ReleaseFile.PARQUET: MOST_BYTES,
    ReleaseFile.STUDIES: MOST_BYTES,
    ReleaseFile.LABELS: MOST_BYTES,
}
"""The most bytes of each file of a release."""
_LABELS = frozenset((ReleaseFile.STUDIES, ReleaseFile.LABELS, ReleaseFile.SCRIPT))
_OPTIONAL = frozenset(
    (ReleaseFile.ZENODO, ReleaseFile.DECLARATION, ReleaseFile.OWN, ReleaseFile.PARQUET, *_LABELS)
)
_MOST_ENTRIES = 1000
_LINE = re.compile(r"([0-9a-f]{64})  (.+)")
GET_AGAIN = "get the release again"


@dataclass(frozen=True, slots=True)
class FolderOfRelease:
    """The files of a release by path, with their bytes, and the paths of whatever else is in the folder."""

    files: Mapping[str, bytes]
    extra: tuple[str, ...]

    @property
    def missing(self) -> tuple[str, ...]:
        """The needed files that are not there."""
        return tuple(sorted(LIMITS.keys() - _OPTIONAL - self.files.keys()))


def read_folder(folder: Path) -> FolderOfRelease:
    """Every file of a release; raises InputError for a link, another kind of file, or a file too large."""
    where = shown_path(folder)
    try:
        held = dict(_entries(folder, ""))
        if "data" in held and stat.S_ISDIR(held["data"].st_mode):
            held |= _entries(folder / "data", "data/")
    except (OSError, ValueError) as error:
        raise unreadable(where, error) from error
    for path, status in held.items():
        if stat.S_ISLNK(status.st_mode):
            raise InputError(f"{where}, {shown(path)}", "is a link, and a release has none", GET_AGAIN)
        if path in LIMITS and status.st_size > LIMITS[path]:
            wrong = f"has {status.st_size:,} bytes; at most {LIMITS[path]:,} are read"
            raise InputError(f"{where}, {path}", wrong, "check that it is a release of this program")
    files = {
        path: _content(folder / path, f"{where}, {path}", LIMITS[path]) for path in LIMITS if path in held
    }
    folders = {"data"} if "data" in held and stat.S_ISDIR(held["data"].st_mode) else set()
    return FolderOfRelease(files, tuple(sorted(held.keys() - files.keys() - folders)))


def _entries(folder: Path, below: str) -> list[tuple[str, os.stat_result]]:
    """The entries of a folder, without following links; raises InputError for too many entries."""
    files = []
    with os.scandir(folder) as entries:
        for entry in entries:
            files.append((f"{below}{entry.name}", entry.stat(follow_symlinks=False)))
            if len(files) > _MOST_ENTRIES:
                raise InputError(shown_path(folder), f"has over {_MOST_ENTRIES:,} files", GET_AGAIN)
    return files


def _content(path: Path, where: str, most: int) -> bytes:
    """The bytes of a regular file, even if it is exchanged for a link or grows meanwhile."""
    try:
        number = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        with os.fdopen(number, "rb") as file:
            if not stat.S_ISREG(os.fstat(number).st_mode):
                raise InputError(where, "is not a regular file", GET_AGAIN)
            content = file.read(most + 1)
    except OSError as error:
        raise unreadable(where, error) from error
    if len(content) > most:
        raise InputError(where, f"has more than {most:,} bytes", GET_AGAIN)
    return content


def utf8_text(content: bytes, where: str) -> str:
    """The text of a file; raises InputError if it is not UTF-8."""
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        raise InputError(where, f"is not UTF-8 text (byte {error.start:,})", GET_AGAIN) from None


def manifest_of(content: bytes) -> ReleaseManifest:
    """The manifest; raises InputError, naming the field, for anything else."""
    value = parse(utf8_text(content, ReleaseFile.MANIFEST), ReleaseFile.MANIFEST)
    stated = value.get("format", "nothing") if isinstance(value, dict) else "nothing"
    if stated in FORMATS_BEFORE:
        raise InputError(ReleaseFile.MANIFEST, "; ".join(MADE_BEFORE).removeprefix("it "), GET_AGAIN)
    if stated != FORMAT:
        wrong = f"is not in the format {FORMAT!r} (it says {shown(str(stated))!r})"
        raise InputError(ReleaseFile.MANIFEST, wrong, "check it with the release of the program that made it")
    if fault := fault_in(value):
        raise InputError(ReleaseFile.MANIFEST, f"has a value that {fault}", GET_AGAIN)
    try:
        return ReleaseManifest.model_validate_json(content)
    except ValidationError as error:
        raise invalid(ReleaseFile.MANIFEST, error) from None


def checksums_of(content: bytes) -> dict[str, str]:
    """Path → SHA-256; raises InputError for a line that is none, or a path that no release has."""
    sums: dict[str, str] = {}
    text = utf8_text(content, ReleaseFile.CHECKSUMS)
    for number, line in enumerate(text.removesuffix("\n").split("\n"), 1):
        match = _LINE.fullmatch(line)
        where = f"{ReleaseFile.CHECKSUMS}, line {number}"
        if match is None:
            raise InputError(where, "is not a digest and a path", GET_AGAIN)
        if match[2] not in LIMITS or match[2] in sums:
            raise InputError(
                where, f"names {shown(match[2])!r}, which is not one file of a release", GET_AGAIN
            )
        sums[match[2]] = match[1]
    if text != checksum_lines(sums):
        raise InputError(ReleaseFile.CHECKSUMS, "has other lines than were written", GET_AGAIN)
    return sums


def check_free(folder: Path, files: Mapping[str, bytes]) -> bool:
    """Whether the folder has exactly these files already; raises RequestError if it has others."""
    try:
        if not os.path.lexists(folder):
            return False
        if folder.is_symlink() or not folder.is_dir():
            raise RequestError(f"{shown_path(folder)} exists and is not a folder; choose another with -o.")
        held = {path.name for path in folder.iterdir()}
        if not held:
            return False
        if held == {name.partition("/")[0] for name in files} and _has_only(folder, files):
            return True
    except (OSError, ValueError) as error:
        raise _not_written(folder, error) from error
    raise RequestError(f"folder {shown_path(folder)} has other files; choose a new one with -o.")


def _has_only(folder: Path, files: Mapping[str, bytes]) -> bool:
    held = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if not path.is_dir()}
    return held == files.keys() and all((folder / name).read_bytes() == files[name] for name in files)


@contextmanager
def staged_files(folder: Path, files: Mapping[str, bytes]) -> Iterator[Path]:
    """A new folder of the files beside ``folder``, which is removed unless it gets its name.

    Raises RequestError.
    """
    beside = Path(os.path.abspath(folder))  # noqa: PTH100  # links in the path stay as they are
    staged = draft_of(beside)
    shutil.rmtree(staged, ignore_errors=True)
    with ExitStack() as left_over:
        try:
            left_over.enter_context(made_folder(beside.parent))
            left_over.callback(shutil.rmtree, staged, ignore_errors=True)
            for name, content in files.items():
                (staged / name).parent.mkdir(parents=True, exist_ok=True)
                (staged / name).write_bytes(content)
        except (OSError, ValueError) as error:
            raise _not_written(folder, error) from error
        yield staged


def name_staged(staged: Path, folder: Path) -> None:
    """Give the staged folder its name; raises RequestError."""
    try:
        with suppress(FileNotFoundError):
            folder.rmdir()  # an empty one; anything else is refused
        staged.rename(folder)
    except (OSError, ValueError) as error:
        raise _not_written(folder, error) from error


def _not_written(folder: Path, error: OSError | ValueError) -> RequestError:
    reason = error.strerror if isinstance(error, OSError) else "no path can have this name"
    return RequestError(
        f"folder {shown_path(folder)} cannot be written ({reason}); nothing was kept. Choose another with -o."
    )
