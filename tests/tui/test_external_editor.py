"""One's own editor: without a shell, on a private file, and whatever it does the text stays whole."""

import stat
from pathlib import Path

import pytest

from reviewer.core.errors import RequestError
from reviewer.tui.workbench.external_editor import edit_outside, editor_command

TEXT = "fact(a).\nfact(b)."
MOST = 1_000


@pytest.fixture(autouse=True)
def private(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "private"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    return folder


def script(folder: Path, body: str) -> list[str]:
    path = folder / "an editor"
    path.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
    path.chmod(0o700)
    return [str(path)]


def edited(folder: Path, body: str) -> tuple[str | None, str]:
    result = edit_outside(script(folder, body), TEXT, "program", "axioms", MOST)
    return result.text, result.problem


def test_the_file_is_private_and_gone_afterwards(tmp_path: Path, private: Path) -> None:
    seen = tmp_path / "seen"
    body = f'stat -c "%a" "$1" "$(dirname "$1")" > {seen}; basename "$1" >> {seen}; echo "fact(c)." >> "$1"'
    assert edited(tmp_path, body) == (f"{TEXT}\nfact(c).", "")
    assert seen.read_text(encoding="utf-8").split() == ["600", "700", "axioms.pl"]
    assert list(private.iterdir()) == []


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("exit 3", "ended with an error (code 3)"),
        ("kill -9 $$", "was killed (SIGKILL)"),
        (': > "$1"', "left the file empty"),
        ('rm "$1"', "cannot be used"),
    ],
)
def test_an_editor_that_fails_changes_nothing(tmp_path: Path, private: Path, body: str, told: str) -> None:
    text, problem = edited(tmp_path, body)
    assert text is None
    assert told in problem
    assert "the text is as before" in problem
    assert list(private.iterdir()) == []


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (r'printf "\377\376f\000" > "$1"', "is not UTF-8"),
        ('head -c 5000 /dev/zero | tr "\\0" x > "$1"', "more than 1,000 characters"),
        ('echo "fact(c)." >> "$1"; exit 1', "ended with an error"),
    ],
)
def test_work_that_is_not_accepted_is_kept(tmp_path: Path, private: Path, body: str, told: str) -> None:
    text, problem = edited(tmp_path, body)
    (folder,) = private.iterdir()
    assert text is None
    assert told in problem
    assert f"What the editor left is kept in {folder / 'axioms.pl'}." in problem
    assert stat.S_IMODE((folder / "axioms.pl").stat().st_mode) == 0o600


def test_no_shell_reads_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trap = tmp_path / "trap"
    (own,) = script(tmp_path, 'printf "%s\\n" "$@" > "$(dirname "$0")/words"')
    command = editor_command({"EDITOR": f"'{own}' '; touch {trap}' $(touch {trap})"})
    assert edit_outside(command, TEXT, "prose", "unbiased", MOST).text is None
    assert not trap.exists()
    assert (tmp_path / "words").read_text(encoding="utf-8").splitlines()[:2] == [f"; touch {trap}", "$(touch"]


def test_a_command_that_cannot_run_is_said() -> None:
    for given, told in {"'half": "cannot be read", "/nowhere/ed": "cannot be run"}.items():
        with pytest.raises(RequestError, match=told):
            editor_command({"EDITOR": given})
    assert editor_command({"VISUAL": "sh -x", "EDITOR": "ls"}) == ("sh", "-x")
