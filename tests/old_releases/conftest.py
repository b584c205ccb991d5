"""Copies of the files that an old release left behind."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import run  # noqa: F401  (a fixture)

FOLDERS = sorted(Path(__file__).parent.glob("schema_*"))


@pytest.fixture(params=FOLDERS, ids=[folder.name for folder in FOLDERS])
def old(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A folder with a release's files; what a test does to them is forgotten."""
    folder = tmp_path / "old"
    shutil.copytree(request.param, folder)
    return folder


@pytest.fixture(params=FOLDERS, ids=[folder.name for folder in FOLDERS], scope="module")
def read_only(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same for tests that change nothing; the first that opens the store brings it up to date for all."""
    folder = tmp_path_factory.mktemp("read") / "old"
    shutil.copytree(request.param, folder)
    return folder


@pytest.fixture
def numbers(read_only: Path) -> dict[str, Any]:
    """What the release printed of its own store."""
    return json.loads((read_only / "numbers.json").read_text())  # type: ignore[no-any-return]
