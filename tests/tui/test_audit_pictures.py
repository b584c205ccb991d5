"""Pictures of the audit: its findings, one of them over its case, and the filter."""

import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from reviewer.tui.app import ReviewerApp
from store.database import Database
from store.dismissals import dismiss
from store.findings import failed_findings
from tests.studies import a_case, fill
from tests.tui.pictured_review import GENERATED, build
from tests.tui.picturing import Compare, after, each_pictured

pytestmark = pytest.mark.usefixtures("steady_cursor")

_CHOSEN = ("v", "home", "enter")
KEYS = {
    "choice": ("v",),
    "findings": ("v", "end", "enter"),
    "finding": (*_CHOSEN, "enter"),
    "narrow": (*_CHOSEN, "i"),
}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("pictured") / "reviewer.db"
    build(path)
    with closing(Database.open(str(path))) as database:
        fill(database, "new", [a_case(0)])
    return path


@pytest.fixture
def database(built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Database]:
    """A copy, under a name that is the same everywhere."""
    monkeypatch.chdir(tmp_path)
    shutil.copy(built, "reviewer.db")
    with closing(Database.open("reviewer.db")) as opened:
        yield opened


@each_pictured("keys", KEYS, wide_only=("narrow",))
def test_audit(
    database: Database, snap_compare: Compare, keys: tuple[str, ...], size: tuple[int, int]
) -> None:
    if "end" in keys:
        with database.read() as session:
            last = failed_findings(session, GENERATED)[-1]
        dismiss(database, last.finding, "dora", "Facts are there for the reader.")
    app = ReviewerApp(database, "dora")
    assert snap_compare(app, terminal_size=size, run_before=after(*keys))
