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


@pytest.mark.slow
def test_under_ci_without_the_data(tmp_path: Path) -> None:
    """A file of tests as it stands, where no shared folder lies beside the checkout: first not promised."""
    program = (
        "import importlib, os, pathlib, pytest, tests.shared_data as shared\n"
        "for promised in ('', '1'):\n"
        f"    os.environ[{shared_data.VARIABLE!r}] = promised\n"
        "    importlib.reload(shared)\n"
        f"    shared.FOLDER = pathlib.Path({str(tmp_path / 'gone')!r})\n"
        "    pytest.main(['-q', '-p', 'no:cacheprovider', 'tests/agreement/test_vectors.py'])\n"
        "    print('ENDED')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        env={**os.environ, "CI": "true"},
        capture_output=True,
        text=True,
        check=True,
    )
    not_promised, promised, _ = done.stdout.split("ENDED")
    assert "1 skipped" in not_promised
    assert "1 error" in promised
    assert all("needs the shared data at" in said for said in (not_promised, promised))


def test_this_repositorys_own_ci_insists_and_hides_nothing() -> None:
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert f"export {shared_data.VARIABLE}=1" in script
    assert script.splitlines()[-2:] == ["make test", "make slow"]
    assert "set -euo pipefail" in script
    assert "||" not in script
