"""The worked examples that are shared beside the repository, and what they expect."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from reviewer.agreement import Ratings

FOLDER = Path(__file__).resolve().parents[3] / "shared" / "data" / "agreement"


def load(name: str) -> list[dict[str, Any]]:
    path = FOLDER / name
    if not path.exists():
        if os.environ.get("CI"):
            raise FileNotFoundError(f"{path} must be there in CI")
        pytest.skip(f"the shared examples are not there: {path}", allow_module_level=True)
    examples: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    return examples


def by_name(name: str) -> list[Any]:
    return [pytest.param(example, id=example["name"]) for example in load(name)]


def ratings_of(vector: dict[str, Any]) -> Ratings:
    if vector["ratings"] is None:
        return Ratings.from_counts(vector["counts"], vector["categories"])
    return Ratings.from_labels(vector["ratings"], vector["categories"])
