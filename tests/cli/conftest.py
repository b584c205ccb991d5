"""The command line, called as the shell calls it."""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import pytest

from reviewer.cli.main import main
from tests.prolog import need_prolog


@dataclass(frozen=True)
class Result:
    """Exit code, and output by stream."""

    code: int
    out: str
    err: str


Run = Callable[..., Result]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """``run("study", "list")`` in an empty folder of its own."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments: object) -> Result:
        monkeypatch.setattr(sys, "argv", ["reviewer", *map(str, arguments)])
        with pytest.raises(SystemExit) as left:
            main()
        printed = capsys.readouterr()
        return Result(int(left.value.code or 0), printed.out, printed.err)

    return call


@pytest.fixture
def prolog() -> None:
    """SWI-Prolog, whose workers stay for the next test: starting them takes long."""
    need_prolog()


@pytest.fixture
def at_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Standard output is one, which cuts tables."""
    terminal = SimpleNamespace(stdout=SimpleNamespace(isatty=lambda: True), stderr=sys.stderr)
    monkeypatch.setattr("reviewer.cli.printing.sys", terminal)
