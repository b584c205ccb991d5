"""A test that hangs is named, and ends the run of the others neither at its limit nor when it hangs again."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
HANGING = """
import subprocess

def test_hangs():
    with subprocess.Popen(["sleep", "20"]) as program:
        program.wait()  # and once more at the end of the block

def test_other():
    pass
"""


@pytest.mark.slow
def test_a_test_that_hangs_after_its_limit_is_named(tmp_path: Path) -> None:
    (tmp_path / "test_hanging.py").write_text(HANGING)
    limit = ("-p", "tests.conftest", "-o", "timeout=1", "-n", "1")
    command = (sys.executable, "-m", "pytest", *limit, "-c", "pyproject.toml", f"--rootdir={tmp_path}")
    done = subprocess.run([*command, tmp_path], cwd=ROOT, capture_output=True, text=True, check=False)
    assert "crashed while running 'test_hanging.py::test_hangs'" in done.stdout
    assert "1 failed, 1 passed" in done.stdout
    assert "in test_hangs" in done.stderr
