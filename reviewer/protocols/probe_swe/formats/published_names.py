"""The names of files and generators that PROBE-SWE's authors use, and that their scripts rely on."""

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
"""The only generators that the authors' script for validation sheets accepts."""

_DATASET = re.compile(r"\d+_augmented_dilemmas_dataset_(?P<generator>.+)", re.IGNORECASE)


def generator_of_file(name: str) -> str | None:
    """The generator in the name of a dataset file; None if the name contains none."""
    stem = PurePath(name).stem
    if match := _DATASET.fullmatch(stem):
        return match["generator"]
    return stem if stem in PUBLISHED_GENERATORS else None
