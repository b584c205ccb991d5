"""Revisions: new content at a place, its history, and what is refused."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from reviewer.core.errors import RequestError
from reviewer.exchange.packs.store_files import checked
from reviewer.runs.repair.revise import read_place, revert, revise, settle, withdraw
from store.cases import get_measurements
from store.database import Database
from store.records import Case, Revision
from store.revisions import histories, put_revisions, revision_counts, withdrawn_places
from store.studies import stale_cases
from store.tables import RevisionRow
from tests.studies import a_case, a_study, fill

KEY = "anchoring bias/0"
SAID: dict[str, Any] = {"author": "maria", "reason": "the goal can match now"}


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with closing(Database.open(str(tmp_path / "store.db"))) as opened:
        fill(opened, "first", [a_case(number) for number in range(3)])
        yield opened


def parent(database: Database, key: str = KEY) -> str:
    return read_place(database, "first", key).parent


def repaired(database: Database, number: int = 10, **said: Any) -> Revision:
    return revise(database, "first", KEY, a_case(number), expected=parent(database), **{**SAID, **said})


def test_new_content_keeps_the_old_one_and_nothing_published_with_it(database: Database) -> None:
    before = read_place(database, "first", KEY)
    finding = {"check": "unmatched_goal", "program": "unbiased"}
    made = repaired(database, resolves=[finding], before={"choice": None}, after={"choice": "option_A"})
    now = read_place(database, "first", KEY)
    assert (now.case, now.history.revisions) == (a_case(10), (made,))
    assert (made.case_before, made.case_after) == (a_case(0).digest, a_case(10).digest)
    assert (made.parent, now.parent) == (a_case(0).digest, made.digest)
    assert (made.resolves, made.before, made.after) == ([finding], {"choice": None}, {"choice": "option_A"})
    assert made.digest == made.content_digest()
    assert (now.place.extra, now.place.position, now.place.generator) == ({}, 0, before.place.generator)
    with database.read() as session:
        values = get_measurements(session, [a_case(0).digest, a_case(10).digest])
        counts = revision_counts(session)["first"]
    assert values[a_case(0).digest]
    assert not values[a_case(10).digest]
    assert (counts.revised, counts.withdrawn, counts.words) == (1, 0, "1 revised")


def test_a_revert_brings_back_what_the_file_said_of_the_content(database: Database) -> None:
    with database.write() as session:
        session.execute(text("UPDATE memberships SET raw = '{\"a\": 1}', extra = '{\"x\": 2}'"))
    repaired(database)
    assert revision_raw(database) is None
    made = revert(database, "first", KEY, to=None, expected=parent(database), **SAID)
    now = read_place(database, "first", KEY)
    assert (now.case, now.place.extra, made.kind) == (a_case(0), {"x": 2}, "revert")
    assert revision_raw(database) == '{"a": 1}'
    with database.read() as session:
        assert revision_counts(session)["first"].revised == 0


def revision_raw(database: Database) -> str | None:
    with database.read() as session:
        statement = text("SELECT raw FROM memberships WHERE key = :key")
        return session.execute(statement, {"key": KEY}).scalar()


def test_a_revert_goes_to_any_earlier_content(database: Database) -> None:
    first = repaired(database, 10)
    repaired(database, 11)
    with pytest.raises(RequestError, match="has this content already"):
        revert(database, "first", KEY, to=repaired(database, 12).id, expected=parent(database), **SAID)
    revert(database, "first", KEY, to=first.id, expected=parent(database), **SAID)
    assert read_place(database, "first", KEY).case == a_case(10)
    revert(database, "first", KEY, to="first", expected=parent(database), **SAID)
    assert read_place(database, "first", KEY).case == a_case(0)
    with pytest.raises(RequestError, match="is not a revision of case"):
        revert(database, "first", KEY, to="zz", expected=parent(database), **SAID)


def test_a_withdrawn_case_stays_in_place_and_a_revert_takes_it_back(database: Database) -> None:
    made = withdraw(database, "first", KEY, expected=parent(database), **SAID)
    assert (made.kind, made.case_after) == ("withdrawal", None)
    with database.read() as session:
        assert withdrawn_places(session) == {("first", KEY)}
        assert revision_counts(session)["first"].words == "1 withdrawn"
    assert read_place(database, "first", KEY).case == a_case(0)
    with pytest.raises(RequestError, match="is withdrawn already"):
        withdraw(database, "first", KEY, expected=parent(database), **SAID)
    revert(database, "first", KEY, to=None, expected=parent(database), **SAID)
    with database.read() as session:
        assert not withdrawn_places(session)


def test_a_place_that_somebody_changed_meanwhile_is_not_overwritten(database: Database) -> None:
    opened = parent(database)
    repaired(database, 10, author="tom")
    with pytest.raises(RequestError, match=r"was changed by tom on \S+ since you opened it"):
        revise(database, "first", KEY, a_case(11), expected=opened, **SAID)
    assert read_place(database, "first", KEY).case == a_case(10)


def test_an_import_meanwhile_is_noticed_too(database: Database) -> None:
    opened = parent(database)
    fill(database, "first", [a_case(20), a_case(1), a_case(2)])
    with pytest.raises(RequestError, match="was changed by an import since you opened it"):
        revise(database, "first", KEY, a_case(11), expected=opened, **SAID)


@pytest.mark.parametrize(
    ("case", "said", "why"),
    [
        (a_case(0), {}, "nothing changed"),
        (a_case(9, "framing effect"), {}, "not a whole case of its group"),
        (a_case(9), {"reason": " \t"}, "needs a reason"),
        (a_case(9), {"reason": "x" * 20_000}, "shorten it"),
        (a_case(9), {"author": "/"}, "author name '/' is not valid"),
    ],
)
def test_what_is_no_repair_is_refused_and_writes_nothing(
    database: Database, case: Case, said: dict[str, str], why: str
) -> None:
    with pytest.raises(RequestError, match=why):
        revise(database, "first", KEY, case, expected=parent(database), **{**SAID, **said})
    with database.read() as session:
        assert not histories(session)


def test_verdicts_on_the_old_content_are_stale_and_the_sample_stays(tmp_path: Path) -> None:
    with closing(Database.open(str(tmp_path / "store.db"))) as database:
        a_study(database)
        now = read_place(database, "pilot-data", KEY)
        revise(database, "pilot-data", KEY, a_case(10), expected=now.parent, **SAID)
        withdrawn = read_place(database, "pilot-data", "anchoring bias/1")
        withdraw(database, "pilot-data", withdrawn.place.key, expected=withdrawn.parent, **SAID)
        with database.read() as session:
            assert stale_cases(session, "pilot") == {now.case.digest}


@pytest.mark.parametrize(
    "deed",
    [
        "UPDATE revisions SET reason = 'x'",
        "DELETE FROM revisions",
        "INSERT OR REPLACE INTO revisions SELECT * FROM revisions",
    ],
)
def test_the_history_cannot_be_changed(database: Database, deed: str) -> None:
    made = repaired(database)
    with pytest.raises(Exception, match="append-only"), database.write() as session:
        session.execute(text(deed))
    assert read_place(database, "first", KEY).history.revisions == (made,)


def test_two_newest_revisions_are_a_conflict_that_a_person_settles(database: Database) -> None:
    mine = repaired(database, 10)
    theirs = another(mine, a_case(11))
    with database.write() as session:
        contents = {case.digest: case for case in (a_case(0), a_case(11))}
        put_revisions(session, [theirs], contents)
    now = read_place(database, "first", KEY)
    assert now.history.in_conflict
    assert now.history.newest == (mine, theirs)
    with pytest.raises(RequestError, match="repairs of two authors that conflict"):
        repaired(database, 12)
    made = settle(database, "first", KEY, choice=theirs.id, expected=now.parent, **SAID)
    after = read_place(database, "first", KEY)
    assert (after.case, after.history.newest, made.kind) == (a_case(11), (made,), "settlement")
    assert {made.parent, *made.settles} == {mine.digest, theirs.digest}
    assert not checked(database.location).faults


def another(step: Revision, case: Case) -> Revision:
    """The same repair by somebody else, with other content."""
    said = step.model_dump() | {"id": f"{int(step.id, 16) + 1:032x}", "author": "tom"}
    return Revision.sealed(**(said | {"case_after": case.digest}))


def test_a_check_of_the_store_proves_the_chain(database: Database) -> None:
    first = repaired(database, 10)
    repaired(database, 11)
    assert not checked(database.location).faults
    forged = RevisionRow(**(first.model_dump() | {"id": f"{int(first.id, 16) + 1:032x}", "parent": "0" * 64}))
    with database.write() as session:
        session.add(forged)
    wrong = [fault.wrong for fault in checked(database.location).faults]
    assert any(each.startswith("was altered: its digest does not match its content") for each in wrong)
    assert "follows a revision that is not in the store" in wrong
    with database.write() as session:
        session.execute(text(f"UPDATE memberships SET \"case\" = '{a_case(2).digest}' WHERE key = '{KEY}'"))
    assert "holds other content than its newest revision" in [
        f.wrong for f in checked(database.location).faults
    ]


def test_a_check_tells_repairs_in_a_study_from_alterations(tmp_path: Path) -> None:
    with closing(Database.open(str(tmp_path / "store.db"))) as database:
        a_study(database)
        now = read_place(database, "pilot-data", KEY)
        revise(database, "pilot-data", KEY, a_case(10), expected=now.parent, **SAID)
        found = checked(database.location)
        assert not found.faults
        assert any(
            "Without the revisions, they are as they were signed." in remark for remark in found.remarks
        )
        with database.write() as session:
            session.execute(text("UPDATE memberships SET generator = 'x' WHERE key = 'anchoring bias/1'"))
        (fault,) = checked(database.location).faults
        assert fault.wrong.startswith("changed after being signed")
