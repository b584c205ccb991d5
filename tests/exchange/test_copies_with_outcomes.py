"""Evaluation runs in a store that is backed up, copied, packed, merged and checked: nothing is lost."""

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from reviewer.exchange.packs.pack import opened_pack, write_pack
from reviewer.exchange.packs.store_files import back_up_store, checked, merge_file
from reviewer.study.integrity.count_signing import count_study, keep_count
from reviewer.study.session.review_session import ReviewSession
from store.copying import copy_store
from store.database import Database
from store.evaluations import Evaluations
from store.records import Outcome, Run, RunRole, SampledCase
from tests.evaluations import an_evaluation
from tests.studies import a_study, open_store

REPLY = "An answer that no rater may read."
Kept = tuple[list[Run], list[RunRole], list[SampledCase], list[Outcome]]


def kept(database: Database) -> Kept:
    """Everything that the store has of the run."""
    evaluations = Evaluations(database)
    outcomes = [*evaluations.outcomes("first")]
    return evaluations.runs(), evaluations.models("first"), evaluations.sample("first"), outcomes


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study of three cases whose count is signed, an evaluation run with a reply, and a pack."""
    folder = tmp_path_factory.mktemp("made")
    with closing(open_store(folder)) as database:
        a_study(database, cases=3, questions=("same_task",), raters=("anna", "ben"))
        an_evaluation(database, "first", "pilot-data", {"model-1": "AAAAAA", "model-2": "BBBAA"})
        last = [*Evaluations(database).outcomes("first", model="model-1")][-1]
        evaluations = Evaluations(database)
        evaluations.keep([last.model_copy(update={"model": "model-2", "reply": REPLY, "case": 2})])
        ReviewSession(database, "pilot", "ben").answer("True")
        keep_count(database, count_study(database, "pilot", "report"))
        write_pack(database, "pilot", "anna", folder / "anna.review")
    return folder


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    return tmp_path


@pytest.fixture
def lead(folder: Path) -> Iterator[Database]:
    with closing(open_store(folder)) as database:
        yield database


def test_a_backup_and_a_copy_hold_every_run_sample_and_outcome(lead: Database, folder: Path) -> None:
    whole = kept(lead)
    assert any(outcome.reply == REPLY for outcome in whole[3])
    check = back_up_store(lead.location, folder / "monday.db")
    assert not check.faults
    assert not checked(lead.location).faults
    with closing(Database.open(str(folder / "monday.db"))) as backup:
        assert kept(backup) == whole
    with closing(Database.open(str(folder / "other.db"))) as other:
        rows = {table.name: table.rows for table in copy_store(lead, other)}
        assert rows["outcomes"] == len(whole[3])
        assert kept(other) == whole


def test_a_pack_carries_no_outcome_and_coming_back_changes_none(lead: Database, folder: Path) -> None:
    whole, pack = kept(lead), folder / "anna.review"
    assert any(outcome.reply == REPLY for outcome in whole[3])
    assert REPLY.encode() not in pack.read_bytes()
    with closing(sqlite3.connect(pack)) as connection:
        for table in ("outcomes", "run_cases", "run_roles", "runs", "calls"):
            assert connection.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,), table
    with closing(opened_pack(pack)[0]) as packed:
        ReviewSession(packed, "pilot", "anna").answer("False")
    assert [account.added for account in merge_file(lead, pack)] != [0]
    assert kept(lead) == whole
    assert not checked(lead.location).faults


def test_a_merge_of_a_whole_store_leaves_its_runs_there_and_says_so(lead: Database, folder: Path) -> None:
    whole, other = kept(lead), folder / "other.db"
    back_up_store(lead.location, other)
    with closing(Database.open(str(other))) as elsewhere:
        an_evaluation(elsewhere, "second", "pilot-data")
        ReviewSession(elsewhere, "pilot", "anna").answer("False")
    accounts = merge_file(lead, other)
    assert sum(account.added for account in accounts) > 0
    remarks = [remark for account in accounts for remark in account.remarks]
    assert remarks == [
        "evaluation run 'second' stays in that file, since a merge brings no outcomes; "
        "open the file with --store"
    ]
    assert kept(lead) == whole
    assert not checked(lead.location).faults
    with closing(Database.open(str(other))) as elsewhere:
        assert [run.name for run in Evaluations(elsewhere).runs()] == ["first", "second"]
