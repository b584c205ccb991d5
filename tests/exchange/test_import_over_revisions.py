"""Imports that meet repaired or withdrawn cases."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from reviewer.core.errors import RequestError
from reviewer.exchange.packs.store_files import checked
from reviewer.exchange.rows.dataset_import import check_source, import_path, store_source
from reviewer.runs.repair.revise import read_place, revert, revise, withdraw
from store.database import Database
from store.revisions import PlaceNow, RevisingImport
from tests.builders import a_record, write_dataset
from tests.cli.conftest import Run
from tests.cli.conftest import run as run
from tests.studies import PROBE_SWE, a_study, open_store

SAID: dict[str, Any] = {"author": "maria", "reason": "clearer"}
KEY, OTHER = "anchoring bias/3-1", "anchoring bias/3-2"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return write_dataset(tmp_path / "first.json", [a_record(1), a_record(2)])


@pytest.fixture
def database(tmp_path: Path, file: Path) -> Iterator[Database]:
    """A dataset whose first case was repaired."""
    with closing(open_store(tmp_path)) as opened:
        import_path(opened, file, "first", "model-1")
        now = read_place(opened, "first", KEY)
        payload = now.case.payload | {"unbiased": "Something else.", "reconstructed_unbiased_prompt": None}
        new = PROBE_SWE.case(now.case.group, payload)
        revise(opened, "first", KEY, new, expected=now.parent, **SAID)
        yield opened


def place(database: Database, key: str = KEY) -> PlaceNow:
    return read_place(database, "first", key)


def test_an_import_does_not_replace_a_repair(database: Database, file: Path) -> None:
    before = place(database)
    with pytest.raises(RequestError, match=r"1 case in first\.json that somebody repaired or withdrew since"):
        import_path(database, file, "first", "model-1")
    assert place(database) == before


def test_an_import_of_other_cases_goes_on(database: Database, tmp_path: Path) -> None:
    more = write_dataset(tmp_path / "more.json", [a_record(2), a_record(3)])
    report = import_path(database, more, "first", "model-1")
    assert (report.counts.added, report.over) == (1, 0)


def test_an_import_over_revisions_is_one_itself(run: Run, database: Database, file: Path) -> None:
    refused = run("import", file, "--dataset", "first")
    assert (refused.code, "give --over-revisions" in refused.err) == (2, True)
    done = run("import", file, "--dataset", "first", "--over-revisions", "--as", "tom")
    assert done.code == 0, done.err
    assert "1 revision by this import" in done.out + done.err
    now = place(database)
    step = now.history.newest[0]
    assert (step.kind, step.author, step.reason) == ("import", "tom", "imported from first.json")
    assert now.case.digest == now.history.first_case
    assert not checked(database.location).faults
    again = run("import", file, "--dataset", "first", "--over-revisions", "--as", "tom")
    assert "nothing changed" in again.out + again.err


def test_a_withdrawn_case_is_met_even_with_the_same_content(database: Database, file: Path) -> None:
    revert(database, "first", KEY, to="first", expected=place(database).parent, **SAID)
    withdraw(database, "first", OTHER, expected=place(database, OTHER).parent, **SAID)
    with pytest.raises(RequestError, match="the first: 'anchoring bias/3-2', by maria"):
        import_path(database, file, "first", "model-1")
    report = store_source(database, check_source(file, "first", "model-1"), over="tom")
    assert (report.over, place(database, OTHER).history.withdrawn) == (1, False)


def test_a_repair_that_comes_in_between_is_not_overwritten(
    database: Database, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first look at the dataset is over when the repair is saved; the look under the lock is not."""
    revert(database, "first", KEY, to="first", expected=place(database).parent, **SAID)
    changed = write_dataset(file, [a_record(1, unbiased="As published later."), a_record(2)])
    look = RevisingImport.check
    monkeypatch.setattr(RevisingImport, "check", lambda _self, _session: None)
    monkeypatch.setattr(RevisingImport, "append", look)
    with pytest.raises(RequestError, match="repaired or withdrew"):
        import_path(database, changed, "first", "model-1")
    assert place(database).case.digest == place(database).history.first_case


def test_a_rater_with_open_cases_may_not(run: Run, database: Database, tmp_path: Path) -> None:
    a_study(database, raters=["anna"])
    new = tmp_path / "new.json"
    write_dataset(new, [a_record(1)])
    words = ("--generator", "model-1", "--over-revisions", "--as", "anna")
    refused = run("import", new, "--dataset", "pilot-data", *words)
    assert (refused.code, "to answer in study pilot" in refused.err) == (2, True)
