"""Drafts: private, whole or not there, offered when their window has ended, and not before."""

import resource
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from reviewer.core.errors import StoreError
from reviewer.runs.repair.repair_session import DraftFile, RepairDraft, drafts_folder
from store.database import Database


@pytest.fixture
def database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Database]:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    with closing(Database.open(str(tmp_path / "store.db"))) as opened:
        yield opened


def draft(text: str, at: str = "2026-01-01T00:00:00.000Z") -> RepairDraft:
    return RepairDraft(dataset="one", key="a/0", expected="x", texts={"axioms": text}, kept_at=at)


def test_a_draft_is_private_and_offered_once_its_window_has_ended(database: Database) -> None:
    first = DraftFile(database, "one", "a/0")
    first.keep(draft("typed"))
    modes = {oct(path.stat().st_mode & 0o777) for path in drafts_folder().rglob("*") if path.is_file()}
    assert modes == {"0o600"}
    second = DraftFile(database, "one", "a/0")
    assert (second.left, second.windows) == (None, 1)
    first.close()
    third = DraftFile(database, "one", "a/0")
    assert (third.left, third.windows) == (draft("typed"), 1)
    third.discard()
    third.close()
    second.close()
    fourth = DraftFile(database, "one", "a/0")
    assert (fourth.left, fourth.windows) == (None, 0)
    fourth.close()
    assert DraftFile(database, "one", "b/0").left is None


def test_the_newest_of_several_drafts_is_offered_and_a_damaged_one_is_passed_over(database: Database) -> None:
    for number in range(3):
        window = DraftFile(database, "one", "a/0")
        window._adopted = []
        window.keep(draft(f"draft {number}", f"2026-01-0{number + 1}T00:00:00.000Z"))
        window.close()
    folder = next(drafts_folder().iterdir())
    (folder / "1-broken.json").write_text('{"texts": 3', encoding="utf-8")
    left = DraftFile(database, "one", "a/0").left
    assert left is not None
    assert left.texts == {"axioms": "draft 2"}


KILLED = """
import json, sys, time
from reviewer.runs.repair.repair_session import DraftFile, RepairDraft
from store.database import Database
window = DraftFile(Database.open(sys.argv[1]), "one", "a/0")
for number in range(1_000_000):
    texts = {"axioms": f"{number} " * 5_000}
    window.keep(RepairDraft(dataset="one", key="a/0", expected="x", texts=texts, kept_at=f"{number:09}"))
    print(number, flush=True)
"""


@pytest.mark.slow
def test_a_process_that_is_killed_while_it_writes_leaves_a_whole_draft(database: Database) -> None:
    writer = subprocess.Popen(
        [sys.executable, "-c", KILLED, database.location], stdout=subprocess.PIPE, text=True
    )
    assert writer.stdout is not None
    for _ in range(20):
        kept = int(writer.stdout.readline())
    writer.send_signal(signal.SIGKILL)
    writer.wait()
    writer.stdout.close()
    left = DraftFile(database, "one", "a/0").left
    assert left is not None
    number = left.texts["axioms"].split()[0]
    assert int(number) >= kept
    assert left.texts["axioms"] == f"{number} " * 5_000


def test_a_full_disk_is_said_and_leaves_the_draft_before_it(database: Database) -> None:
    window = DraftFile(database, "one", "a/0")
    window.keep(draft("small"))
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, limits[1]))
    try:
        with pytest.raises(StoreError, match=r"the draft cannot be kept in .* \(File too large\)"):
            window.keep(draft("x" * 20_000))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, handler)
    window.close()
    assert DraftFile(database, "one", "a/0").left == draft("small")
    assert not list(drafts_folder().rglob(".new-*"))
