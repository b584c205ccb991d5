"""Writing a release as a folder: whole or not at all, and never over something else."""

import os
import shutil
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from reviewer.core.drafts import draft_of
from reviewer.core.errors import RequestError
from reviewer.exchange.rows.source_file import shown_path


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


def stage_files(folder: Path, files: Mapping[str, bytes]) -> Path:
    """Write the files into a new folder beside ``folder``; raises RequestError, and nothing is left then."""
    beside = Path(os.path.abspath(folder))  # noqa: PTH100  # links in the path stay as they are
    staged = draft_of(beside)
    shutil.rmtree(staged, ignore_errors=True)
    try:
        for name, content in files.items():
            path = staged / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
    except (OSError, ValueError) as error:
        shutil.rmtree(staged, ignore_errors=True)
        raise _not_written(folder, error) from error
    return staged


def name_staged(staged: Path, folder: Path) -> None:
    """Give the staged folder its name; raises RequestError, and removes it, if that fails."""
    try:
        with suppress(FileNotFoundError):
            folder.rmdir()  # an empty one; anything else is refused
        staged.rename(folder)
    except (OSError, ValueError) as error:
        shutil.rmtree(staged, ignore_errors=True)
        raise _not_written(folder, error) from error


def _not_written(folder: Path, error: OSError | ValueError) -> RequestError:
    reason = error.strerror if isinstance(error, OSError) else "no path can have this name"
    return RequestError(
        f"folder {shown_path(folder)} cannot be written ({reason}); nothing was kept. Choose another with -o."
    )
