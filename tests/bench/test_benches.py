"""Benches that press keys or run commands still find what they wait for, each with its smallest setting.

Names that a bench imports are checked with all types; words on a screen, keys and options are not. Benches
that only compute are left out, as are those that take a minute or more however little they measure.
"""

import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent
SMALLEST = {
    "bytes.py": "--presses 2 --rounds 1",
    "keys.py": "--cases 400 --presses 2",
    "labels.py": "--rounds 1",
    "start.py": "--rounds 1",
    "transcripts.py": "--cases 4 --rounds 1 --turns 20",
    "workbench.py": "",
    "writers.py": "--seconds 0.5 --writers 1",
}
pytestmark = pytest.mark.slow


@pytest.mark.parametrize("name", SMALLEST)
def test_bench_ends_and_prints_its_table(name: str) -> None:
    command = [sys.executable, str(FOLDER / name), *SMALLEST[name].split()]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr[-3_000:]
    assert "──" in ended.stdout or "SWI-Prolog was not found" in ended.stdout, ended.stdout
