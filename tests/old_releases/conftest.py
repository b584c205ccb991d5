"""Copies of the files that an old release left behind."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import run  # noqa: F401  (a fixture)

SCHEMA_0013 = Path(__file__).parent / "schema_0013"


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A folder with the release's files; what a test does to them is forgotten."""
    folder = tmp_path / "old"
    shutil.copytree(SCHEMA_0013, folder)
    return folder


@pytest.fixture
def numbers() -> dict[str, Any]:
    """What the release printed of its own store."""
    return json.loads((SCHEMA_0013 / "numbers.json").read_text())  # type: ignore[no-any-return]
