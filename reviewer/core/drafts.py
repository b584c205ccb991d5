"""Where a file or folder is written before it has its name."""

from pathlib import Path


def draft_of(target: Path) -> Path:
    """The draft of a file or folder, beside it: visible, and always of the same name.

    A program that is killed can remove nothing. So what it leaves is seen, and the next attempt replaces it.
    """
    return target.with_name(f"{target.name}.unfinished")
