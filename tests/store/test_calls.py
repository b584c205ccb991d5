"""Rows of calls: kept as they are, found by request and endpoint, added up."""

from collections.abc import Callable
from dataclasses import astuple
from pathlib import Path

import pytest

from reviewer.core.errors import StoreGoneError
from store.calls import StoredCalls, call_totals
from store.database import Database
from store.records import Call, JsonValue
from store.run_tables import CallRow

STRANGE = "NUL \0, line \u2028, mark \u202e, emoji 😀, [bold]"


def call(number: int, **changed: JsonValue) -> Call:
    """A row of an answered call."""
    response = {"content": STRANGE, "thought": "", "finish_reason": "stop"}
    content = {
        "id": f"{number:032x}",
        "ask": "a" * 64,
        "endpoint": "http://here/v1",
        "model": "m1",
        "purpose": "test",
        "repeat": 0,
        "attempt": 1,
        "request": {"model": "m1", "messages": [{"role": "user", "content": STRANGE}], "temperature": 0.1},
        "response": response,
        "status": 200,
        "prompt_tokens": 10,
        "completion_tokens": 5,
        "cost": 0.1,
        "seconds": 0.25,
        "error": None,
        "at": "2026-01-01T00:00:00.000Z",
    }
    return Call.model_validate(content | changed)


@pytest.fixture(params=["file", "server"])
def database(request: pytest.FixtureRequest, tmp_path: Path, opened: Callable[[str], Database]) -> Database:
    """A store of either kind."""
    if request.param == "file":
        return opened(str(tmp_path / "store.db"))
    return opened(request.getfixturevalue("server_url"))


def test_a_row_reads_back_as_it_was_kept(database: Database) -> None:
    calls = StoredCalls(database)
    calls.keep([call(1)])
    assert calls.answers_to(["a" * 64], "http://here/v1") == {"a" * 64: call(1)}


def test_rows_are_not_kept_in_a_file_that_was_deleted(
    tmp_path: Path, opened: Callable[[str], Database]
) -> None:
    calls = StoredCalls(opened(str(tmp_path / "store.db")))
    (tmp_path / "store.db").unlink()
    with pytest.raises(StoreGoneError, match="moved or deleted"):
        calls.keep([call(1)])


def test_rows_that_wait_to_be_flushed_count_as_a_change(
    tmp_path: Path, opened: Callable[[str], Database]
) -> None:
    database = opened(str(tmp_path / "store.db"))
    for number in range(8):
        with database.write() as session:
            session.add(CallRow.model_validate(call(number).model_dump()))
    assert (tmp_path / "store.db-wal").stat().st_size == 0, "eight changes are moved into the file"


def test_rows_wait_in_the_log_for_the_next_write(tmp_path: Path, opened: Callable[[str], Database]) -> None:
    database = opened(str(tmp_path / "store.db"))
    calls, log = StoredCalls(database), tmp_path / "store.db-wal"
    for number in range(16):
        calls.keep([call(number)])
    assert log.stat().st_size > 0
    with database.write() as session:
        session.add(CallRow.model_validate(call(16).model_dump()))
    assert log.stat().st_size == 0
    assert calls.answers_to(["a" * 64], "http://here/v1")["a" * 64] == call(16)


def test_the_newest_answer_counts_and_errors_are_none(database: Database) -> None:
    calls = StoredCalls(database)
    calls.keep([call(2), call(1), call(3, error="the answer is empty"), call(4, endpoint="http://there/v1")])
    found = calls.answers_to(["a" * 64, "b" * 64], "http://here/v1")
    assert {ask: row.id for ask, row in found.items()} == {"a" * 64: call(2).id}


def test_all_rows_are_kept_or_none(database: Database) -> None:
    calls = StoredCalls(database)
    calls.keep([])
    with pytest.raises(Exception, match=r"(?i)not.null"):
        calls.keep([call(1), call(2).model_copy(update={"purpose": None})])
    assert calls.answers_to(["a" * 64], "http://here/v1") == {}


def test_totals(database: Database) -> None:
    nothing = {"response": None, "prompt_tokens": None, "completion_tokens": None, "cost": None}
    StoredCalls(database).keep(
        [
            *(call(1), call(2, prompt_tokens=None)),
            *(call(3, **nothing, error="busy", status=None), call(4, purpose="z", cost=None)),
        ]
    )
    with database.read() as session:
        totals = call_totals(session)
    assert [astuple(total) for total in totals] == [
        ("http://here/v1", "m1", "test", 3, 1, 10, 10, pytest.approx(0.2), 1, 1),
        ("http://here/v1", "m1", "z", 1, 0, 10, 5, 0.0, 1, 0),
    ]
