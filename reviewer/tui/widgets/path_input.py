"""A field for the path of a file, which is completed while it is typed."""

import asyncio
import os
from pathlib import Path

from textual.suggester import Suggester
from textual.widgets import Input


class PathInput(Input):
    """Shows how the path could go on; the right arrow takes that."""

    def __init__(self, value: str = "", *, id: str, placeholder: str = "") -> None:
        super().__init__(value, id=id, placeholder=placeholder, suggester=_PathSuggester())

    @property
    def path(self) -> Path | None:
        """The path, with the home folder for ~; None where nothing was entered."""
        text = self.value.strip()
        try:
            return Path(text).expanduser() if text else None
        except RuntimeError:  # there is nobody of that name
            return Path(text)


class _PathSuggester(Suggester):
    """The first name in the folder that begins with what was typed; folders end in a slash."""

    def __init__(self) -> None:
        super().__init__(use_cache=False, case_sensitive=True)

    async def get_suggestion(self, value: str) -> str | None:
        """The path, completed; None if nothing fits. Reading a folder may take time: a thread does."""
        return await asyncio.to_thread(_completed, value)


def _completed(value: str) -> str | None:
    folder, slash, beginning = value.rpartition("/")
    if not beginning or value == "~":
        return None
    try:
        with os.scandir(Path(folder + slash or ".").expanduser()) as entries:
            fitting = [entry for entry in entries if entry.name.startswith(beginning)]
            first = min(fitting, key=lambda entry: entry.name, default=None)
            return first and f"{folder}{slash}{first.name}{'/' if first.is_dir() else ''}"
    except (OSError, RuntimeError, ValueError):
        return None
