"""Protocols open no files, sockets, processes or databases; the contract knows no Prolog."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "reviewer" / "protocols"
FILES = sorted({*FOLDER.rglob("*.py")} - {FOLDER / "registry.py"})  # which finds benchmarks by entry point
_FILES = "glob io mmap os pathlib pickle shelve shutil tempfile zipfile importlib"
_PROCESSES = "asyncio ctypes multiprocessing signal subprocess threading"
_NETWORK = "ftplib http httpx openai requests socket sqlalchemy sqlite3 sqlmodel ssl urllib"
DOORS = frozenset(f"{_FILES} {_PROCESSES} {_NETWORK}".split())
CALLS = frozenset(("open", "exec", "eval", "compile", "__import__", "input", "print"))
HARMLESS = frozenset(("PurePath",))


def openings_in(source: str) -> Iterator[str]:
    """Every import and call that could open one."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names if name.name.partition(".")[0] in DOORS)
        elif isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] in DOORS:
            yield from (name.name for name in node.names if name.name not in HARMLESS)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in CALLS:
            yield node.func.id


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_a_protocol_opens_nothing(file: Path) -> None:
    assert list(openings_in(file.read_text(encoding="utf-8"))) == []


@pytest.mark.parametrize(
    "source", ["import socket", "from pathlib import Path", "open('x')", "import os.path"]
)
def test_an_opening_is_seen(source: str) -> None:
    assert list(openings_in(source))


def test_the_contract_loads_no_prolog_and_no_store() -> None:
    contract = "base, formats, intake, case_lines"
    code = f"import sys; from reviewer.protocols import {contract}; print(*sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert [
        name for name in done.stdout.split() if name.startswith(("reviewer.oracle", "store.database"))
    ] == []
