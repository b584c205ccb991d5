"""A full disk, a store that may not be written: the screen says so, and saved answers stay."""

import os
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from reviewer.core.errors import RequestError, StoreError
from reviewer.exchange.packs.pack import write_pack
from reviewer.runs.repair.revise import read_place, revise
from reviewer.study.design.study_bundle import load_study
from tests.faults.test_nothing_lost import check_ledger
from tests.quick_start import quick_start
from tests.rounds import rounds, some_always
from tests.small_disks import BALLAST, fill, small_disk_at
from tests.studies import a_case, a_study, open_store
from tests.terminal import ROOT, Terminal

NOBODY = 65534
AS_NOBODY = ("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups")
# The right to read everything, and to write nothing: the program itself may lie in a folder of root's own.
AS_NOBODY += ("--inh-caps=-all,+dac_read_search", "--ambient-caps=-all,+dac_read_search")
CASES = 4
takes_root = pytest.mark.skipif(os.geteuid() != 0, reason="takes root: to mount, or to become somebody else")


def review(folder: Path, prefix: tuple[str, ...] = ()) -> Terminal:
    command = ["review", "pilot", "--rater", "anna", "--store", str(folder / "reviewer.db")]
    if not prefix:
        return Terminal(command, 160, 40, forked=True)
    whole = ["-m", "reviewer", *command]
    return Terminal(whole, 160, 40, prefix=prefix, HOME=str(folder), PYTHONDONTWRITEBYTECODE="1")


def a_store_in(folder: Path) -> None:
    with closing(open_store(folder)) as database:
        a_study(database, cases=CASES)


def labels_in(folder: Path) -> list[str | None]:
    with closing(open_store(folder)) as database:
        return [event.value for event in check_ledger(database, [])]


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 4 MB of its own."""
    with small_disk_at(tmp_path / "disk") as disk:
        yield disk


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that an unprivileged user owns, with the way to it open."""
    folder = Path(tempfile.mkdtemp(prefix="reviewer-"))
    os.chown(folder, NOBODY, NOBODY)
    yield folder
    shutil.rmtree(folder)


@takes_root
def test_a_full_disk_saves_nothing_says_so_and_goes_on_where_there_is_room(small_disk: Path) -> None:
    a_store_in(small_disk)
    with review(small_disk) as terminal:
        terminal.begin()
        terminal.wait_for(f"case 1 of {CASES}")
        terminal.press("t")
        terminal.wait_for("✓ saved", f"case 2 of {CASES}")
        fill(small_disk)
        terminal.press("f")
        terminal.wait_for("✗ not saved", "the disk or a quota is", f"case 2 of {CASES}", "1 of 16 done")
        (small_disk / BALLAST).unlink()
        assert labels_in(small_disk) == ["True"]
        terminal.press("f")
        terminal.wait_for("✓ saved", f"case 3 of {CASES}", "2 of 16 done")
    assert labels_in(small_disk) == ["True", "False"]


@takes_root
@pytest.mark.parametrize("left", rounds(4096, [0, 20_000]))
def test_a_disk_that_is_full_at_the_start_is_named_and_the_store_is_left_alone(
    small_disk: Path, left: int
) -> None:
    a_store_in(small_disk)
    before = (small_disk / "reviewer.db").read_bytes()
    fill(small_disk, left)
    reviewing = ["review", "pilot", "--rater", "anna", "--plain"]
    for command in (["study", "list"], reviewing, ["progress", "pilot"]):
        told = subprocess.run(
            [*quick_start(), "-m", "reviewer", *command, "--store", str(small_disk / "reviewer.db")],
            cwd=ROOT,
            input="t\n",
            capture_output=True,
            text=True,
            check=False,
        )
        assert told.returncode == 2, told
        assert told.stderr.count("\n") == 1
        assert "the disk or a quota is full" in told.stderr
        assert "restore" not in told.stderr
    (small_disk / BALLAST).unlink()
    assert (small_disk / "reviewer.db").read_bytes() == before
    assert labels_in(small_disk) == []


@takes_root
def test_a_pack_onto_a_full_disk_is_refused_and_nobody_joins(small_disk: Path, tmp_path: Path) -> None:
    fill(small_disk)
    with closing(open_store(tmp_path)) as database:
        a_study(database, cases=CASES)
        with pytest.raises(
            RequestError, match=r"p\.review' cannot be written .*full.*; free some room"
        ) as told:
            write_pack(database, "pilot", "ghost", small_disk / "p.review")
        assert "all that was saved" not in str(told.value), "there is no such file"
        assert load_study(database, "pilot").raters == ()
    assert [file.name for file in small_disk.iterdir()] == [BALLAST]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits a process that runs")
def test_a_file_that_may_not_grow_saves_nothing_and_says_so(tmp_path: Path) -> None:
    """As a quota does: the system refuses the write, and the disk is not full."""
    a_store_in(tmp_path)
    with review(tmp_path) as terminal:
        resource.prlimit(terminal.process.pid, resource.RLIMIT_FSIZE, (200_000, 200_000))
        terminal.begin()
        terminal.wait_for(f"case 1 of {CASES}")
        terminal.press("t")
        terminal.wait_for("✓ saved", "1 of 16 done")
        terminal.press("x" * 80)
        terminal.wait_for("✗ not saved", "the disk or a quota is full")
    assert labels_in(tmp_path)[0] == "True"


@takes_root
@pytest.mark.parametrize("forbidden", some_always(["reviewer.db", "."], 2))
def test_a_store_that_may_not_be_written_is_refused_before_anything_is_shown(
    open_folder: Path, forbidden: str
) -> None:
    a_store_in(open_folder)
    for path in (open_folder, *open_folder.iterdir()):
        os.chown(path, NOBODY, NOBODY)
    (open_folder / forbidden).chmod(0o555)
    before = (open_folder / "reviewer.db").read_bytes()
    command = [*AS_NOBODY, sys.executable, "-m", "reviewer", "review", "pilot", "--rater", "anna"]
    told = subprocess.run(
        [*command, "--store", str(open_folder / "reviewer.db")],
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], "HOME": str(open_folder), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert told.returncode == 2
    assert told.stderr.count("\n") == 1
    assert "read-only for you; ask for write access" in told.stderr
    assert (open_folder / "reviewer.db").read_bytes() == before


@takes_root
@pytest.mark.slow
def test_a_store_that_turns_read_only_at_work_never_says_saved_of_what_is_not(open_folder: Path) -> None:
    a_store_in(open_folder)
    for path in (open_folder, *open_folder.iterdir()):
        os.chown(path, NOBODY, NOBODY)
    with review(open_folder, AS_NOBODY) as terminal:
        terminal.begin()
        terminal.wait_for(f"case 1 of {CASES}")
        terminal.press("t")
        terminal.wait_for("✓ saved", "1 of 16 done")
        for path in (*open_folder.iterdir(), open_folder):
            path.chmod(0o444 if path.is_file() else 0o555)
        terminal.press("f")
        screen = terminal.wait_for("saved", "same task = False")
        terminal.process.kill()
        terminal.wait_for_end()
    assert ("✓ saved" in screen) == (labels_in(open_folder) == ["True", "False"])


@takes_root
def test_a_full_disk_keeps_the_history_of_cases_whole(small_disk: Path) -> None:
    a_store_in(small_disk)
    key = "anchoring bias/0"
    with closing(open_store(small_disk)) as database:
        now = read_place(database, "pilot-data", key)
        said = {"expected": now.parent, "author": "maria", "reason": "clearer"}
        fill(small_disk)
        with pytest.raises(StoreError, match="the disk or a quota is full"):
            revise(database, "pilot-data", key, a_case(10), **said)
        assert read_place(database, "pilot-data", key) == now
        (small_disk / BALLAST).unlink()
        revise(database, "pilot-data", key, a_case(10), **said)
        assert read_place(database, "pilot-data", key).case == a_case(10)
