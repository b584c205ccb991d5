"""How PROBE-SWE's authors name files, folders and generators: what their scripts rely on."""

import re
from pathlib import PurePath

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


def generator_of_file(name: str) -> str | None:
    """The generator that a dataset file is named after; None where its name does not tell."""
    stem = PurePath(name).stem
    if found := _DATASET.fullmatch(stem):
        return found["generator"]
    return stem if stem in PUBLISHED_GENERATORS else None
