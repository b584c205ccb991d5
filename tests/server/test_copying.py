"""A store copied from file to server and back is the same store."""

from collections.abc import Callable
from pathlib import Path

import pytest

from reviewer.core.errors import StoreError
from reviewer.study.session.review_session import ReviewSession
from store.copying import copy_store
from store.database import Database
from store.findings import CaseFindings, keep_case_findings
from store.ledger import Ledger
from store.records import Measurement
from tests.studies import a_case, a_study, fill

Opener = Callable[[str], Database]


def a_store_with_everything(path: Path, opened: Opener) -> Database:
    database = opened(str(path))
    a_study(database, raters=("anna", "ben"))
    for rater in ("anna", "ben"):
        session = ReviewSession(database, "pilot", rater)
        for label in ("True", "False", "True"):
            session.comment("why: 50 % of [these] — naïve ☃")
            session.answer(label)
        session.undo()
    return database


def test_a_store_goes_to_a_server_and_back_unchanged(tmp_path: Path, server_url: str, opened: Opener) -> None:
    source = a_store_with_everything(tmp_path / "here.db", opened)
    there = opened(server_url)
    back = opened(str(tmp_path / "back.db"))
    out, home = copy_store(source, there), copy_store(there, back)
    assert out == home
    assert {table.name: table.rows for table in out}["events"] == 14
    for event in Ledger(back).events("pilot"):
        assert event.content_digest() == event.digest
    assert ReviewSession(there, "pilot", "anna").done_count == 2
    assert ReviewSession(there, "pilot", "anna").answer("False")


def test_a_whole_number_is_the_same_on_a_server_and_in_a_file(
    tmp_path: Path, server_url: str, opened: Opener
) -> None:
    case = a_case(1)
    value = Measurement(case=case.digest, name="agreement_rate", source="measured", value=1.0)
    stores = [opened(server_url), opened(str(tmp_path / "here.db"))]
    for database in stores:
        fill(database, "numbers", [case])
        keep_case_findings(database, [CaseFindings(value, (), ())])
    copies = [copy_store(database, opened(str(tmp_path / f"{n}.db"))) for n, database in enumerate(stores)]
    assert copies[0] == copies[1]


def test_a_copied_store_goes_on_numbering_its_rows(tmp_path: Path, server_url: str, opened: Opener) -> None:
    there = opened(server_url)
    copy_store(a_store_with_everything(tmp_path / "here.db", opened), there)
    fill(there, "more", [a_case(77)])
    with there.read() as session:
        assert (
            session.connection()
            .exec_driver_sql("SELECT count(*) FROM measurements WHERE dataset = 'more'")
            .scalar()
        )


def test_only_an_empty_store_is_copied_into(tmp_path: Path, opened: Opener) -> None:
    source = a_store_with_everything(tmp_path / "here.db", opened)
    target = opened(str(tmp_path / "there.db"))
    fill(target, "already", [a_case(1)])
    with pytest.raises(StoreError, match="is not empty"):
        copy_store(source, target)
    assert Ledger(target).events("pilot") == []


def test_a_target_that_alters_a_row_is_found_out(tmp_path: Path, opened: Opener) -> None:
    source = a_store_with_everything(tmp_path / "here.db", opened)
    target = opened(str(tmp_path / "there.db"))
    with target.write() as session:
        session.connection().exec_driver_sql(
            "CREATE TRIGGER meddle AFTER INSERT ON assignments BEGIN "
            "UPDATE assignments SET order_seed = 1 WHERE rater = 'ben'; END"
        )
    with pytest.raises(StoreError, match="returned different rows"):
        copy_store(source, target)
    assert Ledger(target).events("pilot") == []
