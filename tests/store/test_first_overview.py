"""The overview that is read without SQLAlchemy says what the opened store says, or leaves it to that."""

import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from reviewer.core.errors import StoreError
from reviewer.study.design.closing import close_study
from store.database import Database
from store.deferred_database import first_overview, opened_by_use
from store.overview import StoreOverview
from tests.studies import a_study, open_store


@pytest.fixture(scope="module")
def study_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with a study, closed."""
    folder = tmp_path_factory.mktemp("study")
    with closing(open_store(folder)) as database:
        a_study(database)
    return folder / "reviewer.db"


@pytest.fixture
def path(study_file: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(study_file, tmp_path / "reviewer.db"))


@pytest.fixture
def opened_afterwards(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The stores that were opened since."""
    opened: list[str] = []
    real = Database.open

    def noted(location: str, **given: object) -> Database:
        opened.append(location)
        return real(location, **given)  # type: ignore[arg-type]

    monkeypatch.setattr(Database, "open", noted)
    return opened


def of_the_opened(path: Path) -> StoreOverview:
    with closing(Database.open(str(path))) as database:
        return database.overview()


def change(path: Path, sql: str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(sql)
        connection.commit()


def test_a_new_store_and_one_with_a_study_are_read_alike(path: Path, tmp_path: Path) -> None:
    with closing(Database.open(str(tmp_path / "new.db"))) as database:
        assert first_overview(tmp_path / "new.db") == database.overview()
    assert first_overview(path) == of_the_opened(path)
    with closing(Database.open(str(path))) as database:
        close_study(database, "pilot", "lead", "time is up", anyway=True)
        # The closing is still in the log beside the file.
        assert first_overview(path) == database.overview()
    overview = first_overview(path)
    assert overview is not None
    assert overview.studies[0].study.closed_at


def test_home_reads_a_current_store_without_opening_it(path: Path, opened_afterwards: list[str]) -> None:
    database = opened_by_use(str(path), None)
    assert database is not None
    assert [study.study.name for study in database.overview().studies] == ["pilot"]
    assert opened_afterwards == []
    database.check_there()
    assert [study.study.name for study in database.overview().studies] == ["pilot"]
    assert opened_afterwards == [str(path)]
    database.close()


# What pydantic warns of before it refuses such a row; the command line silences it too.
@pytest.mark.filterwarnings("ignore:Pydantic serializer warnings")
@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE studies SET questions = '[{}]'",
        "UPDATE studies SET questions = '{}'",
        "UPDATE studies SET design = 'no json'",
        "UPDATE studies SET design = '[]'",
        "UPDATE studies SET created_at = 'yesterday'",
        "UPDATE studies SET closed_at = 'yesterday'",
        "UPDATE studies SET seed = 'seven'",
        "UPDATE datasets SET imported_at = 'yesterday'",
    ],
)
def test_a_row_that_cannot_be_read_is_left_to_the_opened_store(
    path: Path, opened_afterwards: list[str], sql: str
) -> None:
    change(path, sql)
    database = opened_by_use(str(path), None)
    assert database is not None
    assert first_overview(path) is None
    with pytest.raises(StoreError, match="cannot be read"):
        database.overview()
    assert opened_afterwards == [str(path)]
    database.close()


def test_a_file_that_is_locked_or_no_store_is_left_to_the_opened_store(path: Path, tmp_path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("PRAGMA locking_mode=EXCLUSIVE")
        other.execute("BEGIN EXCLUSIVE")
        other.execute("UPDATE studies SET seed = seed")
        assert first_overview(path) is None
    assert first_overview(path) is not None
    (tmp_path / "text.db").write_text("no database")
    assert first_overview(tmp_path / "text.db") is None
    assert first_overview(tmp_path / "none.db") is None


def test_reading_it_loads_no_sqlalchemy_and_no_records(path: Path) -> None:
    code = (
        "import sys\n"
        "from reviewer.study.session import blinding\n"
        "from reviewer.study.session.rater_progress import progress_from\n"
        "from store.deferred_database import opened_by_use\n"
        f"overview = opened_by_use({str(path)!r}, None).overview()\n"
        "print(*(progress_from(study).verdicts.split()[0] for study in overview.studies))\n"
        "print(*{'sqlalchemy', 'sqlmodel', 'store.records', 'numpy'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    slots, loaded = done.stdout.split("\n")[:2]
    assert int(slots) > 0
    assert loaded == ""
