"""The data that is shared beside this repository; nothing of it is in the repository.

Tests that need it skip where it is not there. Only this repository's own CI insists, by a variable of its
own: others run the tests under CI without that data.
"""

import os
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "shared" / "data"
VARIABLE = "REVIEWER_REQUIRE_SHARED_DATA"
REQUIRED = bool(os.environ.get(VARIABLE))
"""Looked up once, at the start: while tests run, the environment has none of our variables."""


def shared_file(name: str, *, for_module: bool = False) -> Path:
    """The path of a shared file; where it is not there, skips the test (or the module) or fails."""
    path = FOLDER / name
    if not path.exists():
        message = f"needs the shared data at {path}"
        if REQUIRED:
            raise FileNotFoundError(f"{message}, and {VARIABLE} is set")
        pytest.skip(message, allow_module_level=for_module)
    return path
