"""The table of alterations: single changes to stores and packs, and reports of `store check` and `merge`."""

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from reviewer.core.errors import InputError
from reviewer.exchange.packs.pack import opened_pack, write_pack
from reviewer.exchange.packs.store_files import merge_file
from reviewer.exchange.releases.release_content import ReleaseOptions
from reviewer.exchange.releases.release_making import plan_release, write_release
from reviewer.study.adjudication.adjudication_session import AdjudicationSession
from reviewer.study.design.closing import close_study
from reviewer.study.design.design_facts import describe_study
from reviewer.study.integrity.uncovered import UNCOVERED
from reviewer.study.session.review_session import ReviewSession
from reviewer.study.transfer.merge import Merged
from store.database import Database
from store.records import Citation
from tests.studies import a_study, open_store
from tests.tampering import ALL_TABLES, attack, check, single_changes

CITATION = Citation(dataset="pilot-data", licence="CC0-1.0", authors=["A. Author"], contact="a@example.org")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a lead's store and a pack of it, in which its rater answered, undid and commented."""
    folder = tmp_path_factory.mktemp("made")
    with closing(open_store(folder)) as database:
        a_study(database, raters=("anna", "ben"))
        write_pack(database, "pilot", "anna", folder / "anna.review")
    database, _ = opened_pack(folder / "anna.review")
    with closing(database):
        session = ReviewSession(database, "pilot", "anna")
        for label in ("True", "False", "True"):
            session.answer(label)
        session.undo()
        session.comment("why so?")
    return folder


@pytest.fixture(scope="module")
def whole(made: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with answers, a decision, a description and a release, of a closed study."""
    path = tmp_path_factory.mktemp("whole") / "reviewer.db"
    shutil.copy(made / "reviewer.db", path)
    with closing(Database.open(str(path))) as database:
        merge_file(database, made / "anna.review")
        session = ReviewSession(database, "pilot", "ben")
        while not session.finished:
            session.answer("False")
        close_study(database, "pilot", "lena", anyway=True)
        AdjudicationSession(database, "pilot", "zoe").decide("False", "two of them differ")
        describe_study(database, "pilot", "lena", {"recruitment": "All were asked."})
        planned = plan_release(database, CITATION, "1.0", ReleaseOptions())
        write_release(database, planned, CITATION, path.parent / "pilot-1.0")
    return path


def altered(path: Path, folder: Path) -> Iterator[tuple[str, Path]]:
    """What was changed, and the file with this change, again and again at one place."""
    copy = folder / f"altered{path.suffix}"
    for what, statement in single_changes(path):
        shutil.copy(path, copy)
        try:
            attack(copy, statement)
        except sqlite3.IntegrityError:
            continue  # SQLite keeps the file as it was
        yield what, copy


@pytest.mark.slow
def test_every_change_of_a_store_is_found_or_said_not_to_be_covered(whole: Path, tmp_path: Path) -> None:
    assert check(whole).faults == []
    tried, unfound = set[str](), set[str]()
    for what, path in altered(whole, tmp_path):
        tried.add(what)
        if not check_fails(path):
            unfound.add(what)
    assert len(tried) > 120
    # The last event came after the newest signed count, as `store check` says of newer events.
    assert {what for what in unfound if not is_uncovered(what)} <= {"events, last row"}


def is_uncovered(what: str) -> bool:
    """Whether a column such as "releases.at", or a row such as "releases, first row", is not covered."""
    return what in UNCOVERED or what.partition(".")[0].partition(",")[0] in UNCOVERED


def check_fails(path: Path) -> bool:
    try:
        return bool(check(path).faults)
    except InputError:
        return True


COVERED = {
    *("datasets", "cases", "declarations", "studies", "memberships", "revisions", "releases", "study_cases"),
    *("known_answers", "study_acts", "assignments", "study_secrets", "pack_seals", "signed_counts"),
    *("kept_aside", "events", "alembic_version"),
}


def test_every_table_is_covered_or_said_not_to_be(whole: Path) -> None:
    """A new table has to be entered: here, if the check of a store covers it, else among what it does not."""
    with closing(sqlite3.connect(whole)) as connection:
        tables = {name for (name,) in connection.execute(ALL_TABLES)}
    uncovered = {what for what in UNCOVERED if "." not in what and "," not in what}
    assert COVERED | uncovered == tables
    assert COVERED.isdisjoint(uncovered)


NOT_MERGED = {
    *("assignments.years", "assignments.field", "assignments.degree", "assignments.joined_at"),
    *("searched_cases.case", "searched_cases, first row", "searched_cases, last row", "searched_cases.id"),
    "measurements.id",
}
"""Rows of a pack that its store has itself and does not take from it."""


@pytest.mark.slow
def test_every_change_of_a_pack_is_found_when_it_is_merged(made: Path, tmp_path: Path) -> None:
    with closing(Database.open(str(shutil.copy(made / "reviewer.db", tmp_path)))) as lead:
        assert not said(merge_file(lead, made / "anna.review", dry_run=True))
        changes = list(altered_packs(lead, made / "anna.review", tmp_path))
    assert len(changes) > 75
    unfound = {what for what, words in changes if not words}
    assert unfound - NOT_MERGED == {"events, last row"}


def altered_packs(lead: Database, pack: Path, folder: Path) -> Iterator[tuple[str, list[str]]]:
    for what, path in altered(pack, folder):
        yield what, said(merge_file(lead, path, dry_run=True))


def said(accounts: list[Merged]) -> list[str]:
    return [words for each in accounts for words in (*each.refused, *each.remarks, *each.missing)]


def test_last_event_of_a_pack_that_was_given_to_another_study_is_missed(made: Path, tmp_path: Path) -> None:
    pack = Path(shutil.copy(made / "anna.review", tmp_path))
    attack(pack, "UPDATE events SET study = 'other' WHERE rowid = (SELECT max(rowid) FROM events)")
    with closing(Database.open(str(shutil.copy(made / "reviewer.db", tmp_path)))) as lead:
        (words,) = said(merge_file(lead, pack, dry_run=True))
    assert words == "a row of events refers to a row of studies that is not there"


@pytest.mark.parametrize("column", ["name", "version", "program"])
def test_header_of_a_kept_release_is_compared_with_its_content(
    whole: Path, tmp_path: Path, column: str
) -> None:
    path = Path(shutil.copy(whole, tmp_path))
    attack(path, f"UPDATE releases SET {column} = '9.9'")
    (fault,) = check(path).faults
    assert "its content has another" in fault.wrong
