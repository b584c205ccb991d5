"""Raters who withdraw consent: their labels are in no later release, which says how many were withdrawn."""

import gzip
import json
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from reviewer.core.errors import RequestError
from reviewer.exchange.releases.release_content import ReleaseOptions
from reviewer.exchange.releases.release_folder import FolderOfRelease, ReleaseFile
from reviewer.exchange.releases.release_making import PlannedRelease, plan_release
from reviewer.exchange.releases.verification import verified
from reviewer.study.design.closing import close_study
from reviewer.study.design.design_facts import describe_study
from reviewer.study.design.left_out_raters import count_again, leave_out
from reviewer.study.design.study_bundle import load_study
from store.database import Database
from store.records import Citation
from tests.judged import judged_study
from tests.second_protocol.material import PROTOCOLS
from tests.studies import open_store

DATASET = "pilot-0"
CITATION = Citation(dataset=DATASET, licence="CC-BY-4.0", authors=["A. Author"], contact="a@example.org")
RELEASED = Path(__file__).parents[1] / "release_1_0"
CASES, QUESTIONS = 8, 4


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """A store with a closed study by three raters who agreed to the publication of their labels."""
    with closing(open_store(tmp_path)) as opened:
        judged_study(opened, per_generator=CASES, generators=("model-1",))
        close_study(opened, "pilot", "lena")
        describe_study(opened, "pilot", "lena", {"consent": "All agreed."})
        yield opened


def planned(database: Database) -> PlannedRelease:
    return plan_release(database, CITATION, "1.0", ReleaseOptions())


def labels_in(release: PlannedRelease) -> int:
    return release.files[ReleaseFile.LABELS].count(b"\n")


def withdraw(database: Database, rater: str = "ben") -> None:
    leave_out(database, "pilot", rater, "lena", "they withdrew consent", withdraw=True)


def test_withdrawn_labels_are_in_no_later_release_which_counts_them(database: Database) -> None:
    before = planned(database)
    assert labels_in(before) == 3 * CASES * QUESTIONS
    withdraw(database)
    after = planned(database)
    assert labels_in(after) == 2 * CASES * QUESTIONS
    (study,) = after.content.studies
    assert (study.raters, study.withdrawn_raters, study.withdrawn_labels) == (2, 1, CASES * QUESTIONS)
    card = after.files[ReleaseFile.CARD].decode()
    assert "32 labels of 1 rater were withdrawn and were left out of all numbers and files." in card
    for content in after.files.values():
        assert b"they withdrew consent" not in content
        assert not re.search(rb"\bben\b", content)
    assert {check.state for check in verified(FolderOfRelease(after.files, ())).checks} <= {
        "holds",
        "not checked",
    }


def test_a_release_without_withdrawn_labels_says_nothing_of_them(database: Database) -> None:
    release = planned(database)
    assert b"withdrawn and" not in release.files[ReleaseFile.CARD]
    (study,) = json.loads(release.files[ReleaseFile.MANIFEST])["content"]["studies"]
    assert "withdrawn_labels" not in study


def test_a_rater_who_is_left_out_can_withdraw_and_nobody_takes_that_back(database: Database) -> None:
    leave_out(database, "pilot", "ben", "lena", "ben wrote the items")
    withdraw(database)
    with pytest.raises(RequestError) as refused:
        count_again(database, "pilot", "ben", "lena", "a mix-up")
    assert str(refused.value) == (
        "the labels of 'ben' were withdrawn from study 'pilot' for good; ask them to answer in a new study."
    )
    with pytest.raises(RequestError, match="is left out of study 'pilot' already"):
        withdraw(database)
    assert {*load_study(database, "pilot").excluded} == {"ben"}


def test_leaving_out_without_withdrawing_can_still_be_taken_back(database: Database) -> None:
    leave_out(database, "pilot", "ben", "lena", "ben wrote the items")
    assert load_study(database, "pilot").withdrawn == {}
    count_again(database, "pilot", "ben", "lena", "a mix-up")
    assert labels_in(planned(database)) == 3 * CASES * QUESTIONS


def test_acts_of_a_store_of_1_0_stay_and_refuse_changes(tmp_path: Path) -> None:
    store = tmp_path / "reviewer.db"
    store.write_bytes(gzip.decompress((RELEASED / "reviewer.db.gz").read_bytes()))
    asked = "SELECT * FROM study_acts ORDER BY id"
    indexes = "SELECT name, sql FROM sqlite_master WHERE tbl_name = 'study_acts' AND type = 'index'"
    with closing(sqlite3.connect(store)) as connection:
        before, indexed = connection.execute(asked).fetchall(), connection.execute(indexes).fetchall()
    Database.open(str(store), protocols=PROTOCOLS).close()
    with closing(sqlite3.connect(store)) as connection:
        assert connection.execute(asked).fetchall() == before != []
        assert connection.execute(indexes).fetchall() == indexed
        for change in ("UPDATE study_acts SET why = 'x'", "DELETE FROM study_acts"):
            with pytest.raises(sqlite3.IntegrityError, match="append-only"):
                connection.execute(change)
