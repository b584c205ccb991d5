"""What a store keeps of releases: listed, merged with whole stores, and checked against the seals."""

import json
import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from reviewer.exchange.packs.store_files import merge_file
from reviewer.exchange.releases.release_content import ReleaseOptions
from reviewer.exchange.releases.release_making import plan_release
from reviewer.study.transfer.merge import Merged
from store.database import Database
from store.records import Citation
from store.releases import citation_of, put_citation, put_release, releases_of
from tests.cli.conftest import Run
from tests.cli.conftest import run as run
from tests.studies import a_study
from tests.tampering import attack, check

DATASET = "pilot-data"
CITATION = Citation(dataset=DATASET, licence="MIT", authors=["A. Author"], contact="a@example.org")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a store, and a copy of it that made a release."""
    folder = tmp_path_factory.mktemp("made")
    with closing(Database.open(str(folder / "reviewer.db"))) as mine:
        a_study(mine)
    shutil.copy(folder / "reviewer.db", folder / "theirs.db")
    with closing(Database.open(str(folder / "theirs.db"))) as theirs:
        keep(theirs, "1.0")
    return folder


@pytest.fixture
def mine(made: Path, tmp_path: Path) -> Iterator[Database]:
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    with closing(Database.open(str(tmp_path / "reviewer.db"))) as database:
        yield database


def keep(database: Database, version: str, citation: Citation = CITATION) -> None:
    """Make a release and keep it in the store, without a folder."""
    planned = plan_release(database, citation, version, ReleaseOptions())
    with database.write() as session:
        put_citation(session, citation)
        put_release(session, planned.release)
    database.settle()


def merged(mine: Database, **options: bool) -> list[Merged]:
    """What a merge of the copy says of releases."""
    accounts = merge_file(mine, Path(mine.location).with_name("theirs.db"), **options)
    return [account for account in accounts if not account.study]


def versions(database: Database) -> list[str]:
    with database.read() as session:
        return [release.version for release in releases_of(session, [DATASET])]


def test_a_merge_of_a_copy_brings_its_releases_and_how_datasets_are_cited(mine: Database) -> None:
    (told,) = merged(mine, dry_run=True)
    assert (versions(mine), told.refused) == ([], ())
    assert merged(mine) == [told]
    assert told.remarks == (
        f"release {DATASET} 1.0 of dataset {DATASET} added",
        f"licence, authors and contact of dataset {DATASET} added",
    )
    with mine.read() as session:
        assert (versions(mine), citation_of(session, DATASET)) == (["1.0"], CITATION)
    assert merged(mine) == [Merged("", "")]


def test_a_citation_that_is_here_stays_and_the_difference_is_said(mine: Database) -> None:
    own = CITATION.model_copy(update={"licence": "CC-BY-4.0"})
    keep(mine, "2.0", own)
    (told,) = merged(mine)
    assert told.remarks[1] == f"it cites dataset {DATASET} otherwise; this store keeps its own citation"
    with mine.read() as session:
        assert (versions(mine), citation_of(session, DATASET)) == (["1.0", "2.0"], own)


def test_another_seal_under_the_same_version_is_refused(mine: Database) -> None:
    keep(mine, "1.0", CITATION.model_copy(update={"contact": "b@example.org"}))
    (told,) = merged(mine)
    assert len(told.refused) == 1
    assert f"release {DATASET} 1.0 of dataset {DATASET} has the seal " in told.refused[0]


def test_a_release_that_was_altered_is_refused_and_found_by_the_check(mine: Database) -> None:
    theirs = Path(mine.location).with_name("theirs.db")
    assert check(theirs).sentence.startswith("Every verdict is whole: ")
    assert "1 release;" in check(theirs).sentence
    attack(theirs, "UPDATE releases SET content = json_set(content, '$.places', 99)")
    wrong = f"release {DATASET} 1.0 of dataset {DATASET} was altered: its seal is of other content"
    assert [f"{fault.where} {fault.wrong}" for fault in check(theirs).faults] == [wrong]
    (told,) = merged(mine)
    assert (told.refused, versions(mine)) == ((wrong,), [])


def test_a_store_that_is_no_copy_is_refused_unless_somebody_vouches(mine: Database, tmp_path: Path) -> None:
    attack(tmp_path / "theirs.db", "DELETE FROM study_secrets")
    assert any("cannot prove who made them" in why for told in merged(mine) for why in told.refused)
    assert versions(mine) == []
    merged(mine, trusted=True)
    assert versions(mine) == ["1.0"]


def test_releases_of_other_datasets_are_left_out_with_a_word(mine: Database, tmp_path: Path) -> None:
    with closing(Database.open(str(tmp_path / "empty.db"))) as empty:
        (told,) = [
            account
            for account in merge_file(empty, tmp_path / "theirs.db", trusted=True)
            if not account.study
        ]
    left = f"release {DATASET} 1.0 of dataset {DATASET} left out, since the dataset is not in this store"
    assert told.remarks == (left,)


def test_releases_are_listed(run: Run, mine: Database, tmp_path: Path) -> None:
    assert "No releases yet." in run("release", "list").err
    (row,) = json.loads(run("release", "list", DATASET, "--store", "theirs.db", "--format", "json").out)
    assert (row["dataset"], row["version"], row["cases"], row["origin"]) == (DATASET, "1.0", 3, "made")
    assert len(row["seal"]) == 64
