"""What no option may hold, whichever command it belongs to, and streams and folders that are not as usual."""

import os
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from reviewer.cli.main import reviewer
from tests.cli.conftest import Run
from tests.fuzz.command_lines import leaves
from tests.fuzz.small_store import RATERS, STUDY, small_store
from tests.quick_start import quick_start
from tests.rounds import mostly_slow

NUMBERS = ("nan", "inf", "-inf", "1e400")


Place = tuple[tuple[str, ...], click.Command, click.Parameter]


def options_of(*kinds: type[click.ParamType]) -> Iterator[Place]:
    for words, command in leaves():
        for parameter in command.params:
            if isinstance(parameter.type, kinds) and not getattr(parameter, "is_flag", False):
                yield words, command, parameter


def line(words: tuple[str, ...], command: click.Command, chosen: click.Parameter, value: str) -> list[str]:
    """The command line that gives one parameter this value and the required ones something."""
    given = list(words)
    for parameter in command.params:
        numeric = isinstance(parameter.type, click.types.FloatParamType | click.types.IntParamType)
        here = value if parameter is chosen else ("3" if numeric else "x")
        if isinstance(parameter, click.Argument):
            given.append(here)
        elif parameter is chosen or parameter.required:
            given += [parameter.opts[0], here]
    return given


def test_there_are_options_to_try() -> None:
    assert len(list(options_of(click.types.FloatParamType))) >= 8
    assert len(list(options_of(click.types.IntParamType))) >= 12
    assert len(list(options_of(click.types.StringParamType))) >= 40
    assert len(list(options_of(click.Path))) >= 10


@pytest.mark.parametrize("value", NUMBERS)
def test_no_number_may_be_nan_or_infinite(run: Run, value: str) -> None:
    for words, command, parameter in options_of(click.types.FloatParamType):
        refused = run(*line(words, command, parameter, value))
        assert (refused.code, refused.out) == (2, ""), parameter.name
        assert "is not a finite number" in refused.err or "is not in the range" in refused.err, refused.err


def test_no_whole_number_may_be_beyond_64_bits(run: Run) -> None:
    for words, command, parameter in options_of(click.types.IntParamType):
        refused = run(*line(words, command, parameter, "1" + "0" * 30))
        assert (refused.code, refused.out) == (2, ""), parameter.name
        assert "too large" in refused.err or "is not in the range" in refused.err, refused.err


def test_no_text_may_have_half_a_character(run: Run) -> None:
    for words, command, parameter in options_of(click.types.StringParamType):
        refused = run(*line(words, command, parameter, "x\udcffy"))
        assert (refused.code, refused.out) == (2, ""), parameter.name
        assert "cannot hold a lone surrogate" in refused.err, (words, parameter.name, refused.err)


@pytest.mark.parametrize(
    "words", ["store check", "store backup -o new.db", "generate run --model m", "datasets"]
)
def test_no_store_may_have_a_name_that_no_file_can_have(
    run: Run, monkeypatch: pytest.MonkeyPatch, words: str
) -> None:
    monkeypatch.setenv("REVIEWER_STORE", "x" * 400)
    refused = run(*words.split())
    assert (refused.code, refused.out) == (2, "")
    assert "File name too long" in refused.err


def test_no_path_may_be_longer_than_paths_are(run: Run) -> None:
    for words, command, parameter in options_of(click.Path):
        refused = run(*line(words, command, parameter, "x" * 300))
        assert (refused.code, refused.out) == (2, ""), parameter.name
        assert "cannot be a path here (File name too long)" in refused.err, (
            words,
            parameter.name,
            refused.err,
        )


@pytest.mark.parametrize(
    "name", ["x" * 300, "x" * 250, "missing/x", "/dev/full/x"], ids=["300", "250", "no folder", "device"]
)
@mostly_slow(2)
@pytest.mark.parametrize(
    "command",
    [
        ("store", "backup", "-o"),
        ("study", "pack", STUDY, "--rater", "anna", "-o"),
        ("report", STUDY, "--no-figures", "-o"),
        ("datasets", "export", "one", "-o"),
    ],
)
def test_a_file_that_cannot_be_made_is_one_sentence(
    run: Run, tmp_path: Path, command: tuple[str, ...], name: str
) -> None:
    small_store(tmp_path).rename(tmp_path / "reviewer.db")
    written = run(*command, name)
    made = command[0] in ("report", "datasets") and written.code == 0  # these make folders
    assert made or (written.code == 2 and written.err.count("\n") == 1), written
    assert not list(tmp_path.glob("**/*.unfinished*"))


@pytest.mark.parametrize(
    ("command", "target"),
    [
        (("datasets", "export", "one", "-o", "there"), "there"),
        (("report", STUDY, "--no-figures", "-o", "."), "report.html"),
        (("export", STUDY, "-o", "."), "labels.csv"),
        (("store", "backup", "-o", "there"), "there"),
        (("study", "pack", STUDY, "--rater", "anna", "-o", "there"), "there"),
        (("store", "copy", "reviewer.db", "there"), "there"),
        (("models", "try", "m1", "--base-url", "http://127.0.0.1:9/v1", "--record", "there"), "there"),
    ],
)
def test_what_is_no_file_is_never_replaced(
    run: Run, tmp_path: Path, command: tuple[str, ...], target: str
) -> None:
    small_store(tmp_path).rename(tmp_path / "reviewer.db")
    os.mkfifo(tmp_path / target)  # as a device is: it is there, and it is no file
    refused = run(*command)
    assert (refused.code, refused.out) == (2, "")
    assert (tmp_path / target).is_fifo()
    assert (
        "regular file" in refused.err or "already exists" in refused.err or "is there already" in refused.err
    )


def test_a_pack_that_cannot_be_written_leaves_the_study_as_it_was(run: Run, tmp_path: Path) -> None:
    small_store(tmp_path).rename(tmp_path / "reviewer.db")
    before = run("progress", STUDY).out
    for target in ("missing/p.review", "reviewer.db"):
        assert run("study", "pack", STUDY, "--rater", "ghost", "-o", target).code == 2
    assert run("progress", STUDY).out == before
    assert "ghost" not in before


def test_a_width_that_no_study_reaches_is_refused(run: Run, tmp_path: Path) -> None:
    small_store(tmp_path).rename(tmp_path / "reviewer.db")
    assert RATERS
    for arguments in (
        ("agreement", STUDY, "--plan-width", "1e-300"),
        ("study", "plan", "--raters", "3", "--true-share", ".95", "--agreement", ".9", "--width", "1e-300"),
    ):
        refused = run(*arguments)
        assert refused.code == 2
        assert "a half-width of 1e-300 would need too many cases" in refused.err


def test_a_run_without_a_key_is_not_begun(run: Run) -> None:
    refused = run("generate", "first", "--model", "m1")
    assert refused.code == 2
    assert "OPENAI_API_KEY is not set" in refused.err
    assert "there is no store" in run("funnel", "first").err


def shell(command: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[bytes]:
    """A command line with ``reviewer`` in it, run by a real shell."""
    program = shlex.join((*quick_start(), "-m", "reviewer"))
    return subprocess.run(
        ["/bin/bash", "-c", command.replace("reviewer ", f"{program} ")],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), **environment},
        capture_output=True,
        timeout=60,
    )


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_full_output_is_a_sentence(tmp_path: Path) -> None:
    done = shell("reviewer settings > /dev/full", tmp_path)
    assert done.returncode == 3
    assert (
        done.stderr.decode()
        .splitlines()[-1]
        .startswith("Error: the output cannot be written (No space left on device)")
    )
    assert b"Traceback" not in done.stderr
    assert b"Exception ignored" not in done.stderr


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-", ">&- 2> /dev/full"])
def test_closed_streams_end_in_no_traceback(tmp_path: Path, closed: str) -> None:
    store = small_store(tmp_path)
    done = shell(f"reviewer agreement {STUDY} --store {store} {closed}", tmp_path)
    assert (done.returncode, b"Traceback" in done.stderr) == (0, False), done
    assert store.read_bytes().startswith(b"SQLite format 3\0")


def test_a_reader_that_is_gone_is_no_error(tmp_path: Path) -> None:
    store = small_store(tmp_path)
    reading = (
        f"reviewer cases --store {store} --format json --limit 1000 | head -c 5; exit ${{PIPESTATUS[0]}}"
    )
    done = shell("exec 3>&1; " + reading, tmp_path)
    assert done.returncode in (0, 141)
    assert done.stderr in (b"", b"7 of 7 cases.\n")


@pytest.mark.parametrize("encoding", ["cp1252", "ascii", "latin-1"])
def test_an_output_that_lacks_characters_gets_escapes_and_a_note(tmp_path: Path, encoding: str) -> None:
    store = small_store(tmp_path)
    done = shell(f"reviewer show 'anchoring bias/0' --store {store}", tmp_path, PYTHONIOENCODING=encoding)
    assert done.returncode == 0, done
    assert b"Traceback" not in done.stderr


def test_the_note_about_escapes(tmp_path: Path) -> None:
    done = shell("reviewer settings --keys", tmp_path, PYTHONIOENCODING="cp1252")
    assert done.returncode == 0
    assert b"\\u2192" in done.stdout or b"\\u" in done.stdout
    assert b"lacks some characters" in done.stderr


def test_a_working_folder_that_is_gone_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "gone").mkdir()
    done = shell("cd gone; rmdir ../gone; reviewer datasets", tmp_path)
    assert done.returncode == 2
    assert done.stderr.decode() == (
        "Error: the working folder cannot be reached (No such file or directory); go to another one first.\n"
    )


def test_the_walk_meets_every_command() -> None:
    assert isinstance(reviewer, click.Group)
    assert len(leaves()) > 30
