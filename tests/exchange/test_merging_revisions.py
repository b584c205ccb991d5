"""Revisions in merges of whole stores: a union by digest, conflicts, and refusals."""

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from reviewer.exchange.packs.pack import write_pack
from reviewer.exchange.packs.store_files import checked, merge_file
from reviewer.runs.repair.revise import read_place, revise, settle, withdraw
from reviewer.study.transfer.revision_merge import merge_revisions
from store.clock import next_id, now_ms
from store.database import Database
from store.records import Revision
from store.revisions import PlaceHistory, histories
from tests.cli.conftest import Run
from tests.cli.conftest import run as run
from tests.studies import a_case, a_study, fill

KEY, OTHER = "anchoring bias/0", "anchoring bias/1"
SAID: dict[str, Any] = {"author": "maria", "reason": "clearer"}


@pytest.fixture
def stores(tmp_path: Path) -> Iterator[tuple[Database, Database]]:
    """A store and a copy of it, open."""
    with closing(Database.open(str(tmp_path / "reviewer.db"))) as mine:
        a_study(mine)
    shutil.copy(tmp_path / "reviewer.db", tmp_path / "theirs.db")
    with (
        closing(Database.open(str(tmp_path / "reviewer.db"))) as mine,
        closing(Database.open(str(tmp_path / "theirs.db"))) as theirs,
    ):
        yield mine, theirs


def repair(database: Database, number: int, key: str = KEY, **said: Any) -> None:
    parent = read_place(database, "pilot-data", key).parent
    revise(database, "pilot-data", key, a_case(number), expected=parent, **{**SAID, **said})


def merge(into: Database, source: Database, **options: Any) -> list[str]:
    """Merge all that a store holds; what was refused."""
    source.settle()
    found = merge_file(into, Path(source.location), **options)
    return [why for account in found for why in account.refused]


def state(database: Database) -> dict[tuple[str, str], PlaceHistory]:
    with database.read() as session:
        return histories(session)


def test_a_merge_is_a_union_and_puts_the_newest_content_in_place(stores: tuple[Database, Database]) -> None:
    mine, theirs = stores
    repair(theirs, 10)
    repair(theirs, 11)
    now = read_place(theirs, "pilot-data", OTHER)
    withdraw(theirs, "pilot-data", OTHER, expected=now.parent, **SAID)
    assert merge(mine, theirs) == []
    assert state(mine) == state(theirs)
    assert read_place(mine, "pilot-data", KEY).case == a_case(11)
    assert read_place(mine, "pilot-data", OTHER).history.withdrawn
    before = state(mine)
    assert merge(mine, theirs) == []
    assert state(mine) == before
    assert not checked(mine.location).faults


def test_a_dry_run_writes_nothing_and_counts_the_same(stores: tuple[Database, Database]) -> None:
    mine, theirs = stores
    repair(theirs, 10)
    theirs.settle()
    told = merge_file(mine, Path(theirs.location), dry_run=True)
    assert (sum(account.revisions for account in told), state(mine)) == (1, {})


def test_two_repairs_of_one_case_conflict_alike_in_both_stores(
    run: Run, stores: tuple[Database, Database]
) -> None:
    mine, theirs = stores
    repair(mine, 10)
    repair(theirs, 11, author="tom")
    mine.settle()
    theirs.settle()
    done = run("merge", "theirs.db")
    assert done.code == 0, done.err
    assert "1 revision of dataset pilot-data added" in done.err
    assert f"case '{KEY}' of dataset pilot-data was revised here and there" in done.err
    merge(theirs, mine)
    assert state(mine) == state(theirs)
    places = [read_place(store, "pilot-data", KEY) for store in stores]
    assert [place.case for place in places] == [a_case(10), a_case(11)]
    assert all(place.history.in_conflict for place in places)
    chosen = places[0].history.newest[-1].id
    settle(mine, "pilot-data", KEY, choice=chosen, expected=places[0].parent, **SAID)
    assert merge(theirs, mine) == []
    assert read_place(theirs, "pilot-data", KEY).case == read_place(mine, "pilot-data", KEY).case
    assert not state(theirs)["pilot-data", KEY].in_conflict
    assert [checked(store.location).faults for store in stores] == [[], []]


def test_the_same_repair_twice_is_no_conflict(stores: tuple[Database, Database]) -> None:
    mine, theirs = stores
    repair(mine, 10)
    repair(theirs, 10, author="tom")
    assert merge(mine, theirs) == []
    place = read_place(mine, "pilot-data", KEY)
    assert (len(place.history.newest), place.history.in_conflict) == (2, False)
    repair(mine, 12)
    assert len(read_place(mine, "pilot-data", KEY).history.newest) == 1
    assert not checked(mine.location).faults


def test_a_store_that_is_no_copy_needs_trust(stores: tuple[Database, Database], tmp_path: Path) -> None:
    mine, _ = stores
    with closing(Database.open(str(tmp_path / "stranger.db"))) as stranger:
        fill(stranger, "pilot-data", [a_case(number) for number in range(3)])
        repair(stranger, 10)
        (refused,) = merge(mine, stranger)
        assert "give --trust" in refused
        assert state(mine) == {}
        assert merge(mine, stranger, trusted=True) == []
        assert state(mine) == state(stranger)


def test_what_does_not_fit_is_refused(stores: tuple[Database, Database], tmp_path: Path) -> None:
    mine, theirs = stores
    repair(theirs, 10)
    repair(theirs, 11, OTHER)
    fill(mine, "pilot-data", [a_case(0), a_case(20), a_case(2)])  # OTHER has other content here
    fill(theirs, "unknown", [a_case(1)])
    parent = read_place(theirs, "unknown", KEY).parent
    revise(theirs, "unknown", KEY, a_case(12), expected=parent, **SAID)
    theirs.close()
    with closing(sqlite3.connect(theirs.location)) as raw:
        raw.execute("DROP TRIGGER revisions_refuse_update")
        raw.execute(
            "UPDATE revisions SET reason = 'another' WHERE key = ? AND dataset = 'pilot-data'", (KEY,)
        )
        raw.commit()
    refused = " | ".join(merge(mine, Database.open(theirs.location)))
    assert "was altered" in refused
    assert "begins with other content than the case has here" in refused
    assert "is of a case that is not in this store" in refused
    assert state(mine) == {}


def test_a_pack_carries_no_revisions(stores: tuple[Database, Database], tmp_path: Path) -> None:
    mine, _ = stores
    repair(mine, 10)
    write_pack(mine, "pilot", "anna", tmp_path / "anna.review")
    with closing(sqlite3.connect(tmp_path / "anna.review")) as raw:
        assert raw.execute("SELECT count(*) FROM revisions").fetchone() == (0,)
        kept = {row[0] for row in raw.execute("SELECT digest FROM cases")}
    assert a_case(10).digest not in kept


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"replaced": {"generator": "x", "origin": "seed", "key": "elsewhere"}}, "was altered"),
        ({"replaced": {"position": 7}}, "was altered"),
        ({"id": "f" * 32}, "was altered"),
        ({"id": next_id(None, now_ms() + 10**10)}, "lies in the future"),
        ({"parent": "0" * 64}, "follows a revision that is neither here nor accepted"),
        ({"case_after": "1" * 64}, "has content that is missing or was altered"),
    ],
)
def test_a_revision_that_somebody_made_up_is_refused(
    stores: tuple[Database, Database], changes: dict[str, Any], why: str
) -> None:
    """Its digest fits; its content would move a place, or refers to an absent case."""
    mine, theirs = stores
    repair(theirs, 10)
    (step,) = state(theirs)["pilot-data", KEY].revisions
    forged = Revision.sealed(**(step.model_dump() | changes))
    cases = {case.digest: case for case in (a_case(0), a_case(10))}
    (refused,) = merge_revisions(mine, [forged], cases, vouched=True).refused
    assert why in refused
    assert state(mine) == {}


def test_the_id_of_another_revision_is_refused(stores: tuple[Database, Database]) -> None:
    mine, theirs = stores
    repair(mine, 10)
    repair(theirs, 11, OTHER)
    ours, other = state(mine)["pilot-data", KEY].revisions[0], state(theirs)["pilot-data", OTHER].revisions[0]
    forged = Revision.sealed(**(other.model_dump() | {"id": ours.id}))
    cases = {case.digest: case for case in (a_case(1), a_case(11))}
    (refused,) = merge_revisions(mine, [forged], cases, vouched=True).refused
    assert "has the id of another one" in refused
