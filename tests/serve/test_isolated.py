"""A window runs nothing that lies in the working directory."""

from pathlib import Path

import pytest

from reviewer.oracle.oracle_errors import OracleMissing
from reviewer.oracle.oracle_program import Program
from reviewer.oracle.pool import close, run
from reviewer.oracle.workers import find_engine
from tests.serve.conftest import Site

_PLANTED = ("platformdirs.py", "json.py", "sitecustomize.py", "usercustomize.py", "click.py", "reviewer.py")
_PLANTED_PROLOG = ("init.pl", ".swiplrc", "gate.pl")


@pytest.fixture
def planted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory full of modules that leave a mark when they run; the mark."""
    folder, mark = tmp_path / "here", tmp_path / "mark"
    folder.mkdir()
    for name in _PLANTED:
        code = f"import pathlib; pathlib.Path({str(mark)!r}).write_text(__name__)\nraise SystemExit(3)\n"
        (folder / name).write_text(code)
    for name in _PLANTED_PROLOG:
        (folder / name).write_text(f":- open('{mark}', write, S), write(S, prolog), close(S).\n")
    monkeypatch.chdir(folder)
    return mark


async def test_a_window_runs_nothing_of_the_working_directory(planted: Path, site: Site) -> None:
    window = await site.window(site.secret())
    await site.press(window, "t")
    await site.answered("anna", 1)
    await window.close()
    assert not planted.exists()


def test_prolog_runs_nothing_of_the_working_directory(planted: Path) -> None:
    try:
        find_engine.cache_clear()
        find_engine()
        result = run(Program("decide_option(user, option_A)."))
    except OracleMissing as missing:
        pytest.skip(str(missing))
    finally:
        close()
    assert result.status == "ok"
    assert not planted.exists()
