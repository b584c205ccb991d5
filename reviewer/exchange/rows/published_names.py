"""How PROBE-SWE's authors name files, folders and generators: what their scripts rely on."""

import re
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import unquote

PUBLISHED_GENERATORS = (
    "gpt-4.1-nano",
    "gpt-4.1-mini",
    "gpt-4o-mini",
    "llama-3.1-8b-instant",
    "llama-3.3-70b-versatile",
    "deepseek-r1-distill-llama-70b",
)
"""The only names that the authors' script for validation sheets knows."""

_DATASET = re.compile(r"\d+_augmented_dilemmas_dataset_(?P<generator>.+)", re.IGNORECASE)


def generator_of_file(path: Path) -> str | None:
    """The generator that a dataset file is named after; None where its name does not tell."""
    if found := _DATASET.fullmatch(path.stem):
        return found["generator"]
    return path.stem if path.stem in PUBLISHED_GENERATORS else None


def generator_of_folder(folder: str, generators: Iterable[str]) -> str | None:
    """Which of the generators a folder of sheets is for: named in full, or after the last ``=``."""
    known = {generator.casefold(): generator for generator in generators}
    names = (folder, unquote(folder), unquote(folder.rpartition("=")[2]))
    return next((known[name.casefold()] for name in names if name.casefold() in known), None)
