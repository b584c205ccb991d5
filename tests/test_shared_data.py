"""Tests that need the shared data skip without it, and fail where it was promised."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests import shared_data

ROOT = Path(__file__).parents[1]


def test_a_file_that_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_data, "FOLDER", tmp_path)
    (tmp_path / "there.json").touch()
    assert shared_data.shared_file("there.json") == tmp_path / "there.json"


def test_a_file_that_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_data, "FOLDER", tmp_path)
    monkeypatch.setenv("CI", "true")
    monkeypatch.setattr(shared_data, "REQUIRED", False)
    with pytest.raises(pytest.skip.Exception, match="needs the shared data at"):
        shared_data.shared_file("gone.json")
    monkeypatch.setattr(shared_data, "REQUIRED", True)
    with pytest.raises(FileNotFoundError, match="REVIEWER_REQUIRE_SHARED_DATA is set"):
        shared_data.shared_file("gone.json")


@pytest.mark.parametrize(("promised", "said"), [("", "1 skipped"), ("1", "1 error")])
def test_under_ci_without_the_data(tmp_path: Path, promised: str, said: str) -> None:
    """A file of tests as it stands, where no shared folder lies beside the checkout."""
    program = (
        "import pathlib, sys, pytest, tests.shared_data as shared\n"
        f"shared.FOLDER = pathlib.Path({str(tmp_path / 'gone')!r})\n"
        "sys.exit(pytest.main(['-q', '-p', 'no:cacheprovider', 'tests/agreement/test_vectors.py']))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        env={**os.environ, "CI": "true", shared_data.VARIABLE: promised},
        capture_output=True,
        text=True,
    )
    assert said in done.stdout
    assert "needs the shared data at" in done.stdout


def test_this_repositorys_own_ci_insists_and_hides_nothing() -> None:
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert f"export {shared_data.VARIABLE}=1" in script
    assert script.splitlines()[-1] == "make test"
    assert "set -euo pipefail" in script
    assert "||" not in script
