"""The worked examples that are shared beside the repository, and what they expect."""

import json
from typing import Any

import pytest

from reviewer.agreement.ratings import Ratings
from tests.shared_data import shared_file


def load(name: str) -> list[dict[str, Any]]:
    path = shared_file(f"agreement/{name}", for_module=True)
    examples: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    return examples


def by_name(name: str) -> list[Any]:
    return [pytest.param(example, id=example["name"]) for example in load(name)]


def ratings_of(vector: dict[str, Any]) -> Ratings:
    if vector["ratings"] is None:
        return Ratings.from_counts(vector["counts"], vector["categories"])
    return Ratings.from_labels(vector["ratings"], vector["categories"])
