"""A dataset that is written again as it was published."""

import json
import os
from pathlib import Path

import pytest
from sqlalchemy import text

from reviewer.core.errors import RequestError
from reviewer.exchange.rows.dataset_export import Written, write_dataset
from reviewer.exchange.rows.dataset_import import import_path
from reviewer.exchange.rows.shipped import ensure_seeds
from store.database import Database
from tests.builders import a_record, a_seed_record, dilemma_texts, without, write_groups
from tests.studies import open_store

AS_PUBLISHED = {
    "framing effect": [],
    "Anchoring_Bias": [
        a_record(1, correct_option="option_a", pair_similarity=1, of_ours={"b": [1.0, None], "a": "\u00e9"}),
        without(a_seed_record(2, unbiased=dilemma_texts(2)["unbiased"] + " \r\n\n"), "agreement_rate"),
    ],
    "bandwagon effect": [{"pair": 7, **dict(reversed(dilemma_texts(7).items()))}],
    "hindsight bias": [],
}


@pytest.fixture
def database(tmp_path: Path) -> Database:
    return open_store(tmp_path)


def exact(value: object) -> str:
    """JSON text that differs where keys, their order, values or strings do."""
    return json.dumps(value, ensure_ascii=False)


def written_again(database: Database, dataset: str, tmp_path: Path) -> str:
    file = tmp_path / "again" / f"{dataset}.json"
    write_dataset(database, dataset, file)
    return exact(json.loads(file.read_text(encoding="utf-8")))


def test_an_unchanged_import_is_written_as_it_was_published(database: Database, tmp_path: Path) -> None:
    file = write_groups(tmp_path / "gpt-4o-mini.json", AS_PUBLISHED)
    import_path(database, file, "data")
    assert written_again(database, "data", tmp_path) == exact(AS_PUBLISHED)
    assert write_dataset(database, "data", tmp_path / "out.json") == Written(3, 0)


@pytest.mark.slow
def test_the_published_file_is_written_as_it_was_published(
    database: Database, published_file: Path, tmp_path: Path
) -> None:
    import_path(database, published_file, "data", "gpt-4o-mini")
    published = exact(json.loads(published_file.read_text(encoding="utf-8")))
    same = written_again(database, "data", tmp_path) == published
    assert same  # not the texts themselves: showing where megabytes differ takes minutes


def test_the_seeds_come_back_as_they_were_written(database: Database, tmp_path: Path) -> None:
    ensure_seeds(database)
    first = tmp_path / "seeds.json"
    assert write_dataset(database, "seeds", first) == Written(16, 16)
    import_path(database, first, "again")
    assert written_again(database, "again", tmp_path) == exact(json.loads(first.read_text(encoding="utf-8")))


def test_what_a_place_holds_now_is_what_is_written(database: Database, tmp_path: Path) -> None:
    import_path(database, write_groups(tmp_path / "a.json", AS_PUBLISHED), "data", "model-1")
    later = {"anchoring bias": [a_record(1, biased="Other words.", correct_option="OPTION_A")]}
    report = import_path(database, write_groups(tmp_path / "b.json", later), "data", "model-1")
    assert "1 case with new content" in report.sentence
    written = json.loads(written_again(database, "data", tmp_path))
    records = [record for records in written.values() for record in records]
    assert [record for record in records if record["pair"] == 1] == later["anchoring bias"]
    assert len(records) == 3


def test_what_is_no_regular_file_is_left_as_it_is(database: Database, tmp_path: Path) -> None:
    import_path(database, write_groups(tmp_path / "a.json", AS_PUBLISHED), "data", "model-1")
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(RequestError, match="not a regular file"):
        write_dataset(database, "data", pipe)
    assert pipe.is_fifo()


def forget_records(database: Database) -> None:
    """As datasets are that came from no file."""
    with database.write() as session:
        session.execute(text("UPDATE memberships SET raw = NULL"))


def test_a_dataset_without_records_stays_as_it_is_until_it_is_imported_again(
    database: Database, tmp_path: Path
) -> None:
    file = write_groups(tmp_path / "gpt-4o-mini.json", AS_PUBLISHED)
    import_path(database, file, "data")
    forget_records(database)
    out = tmp_path / "out.json"
    assert write_dataset(database, "data", out) == Written(3, 3)
    assert json.loads(out.read_text(encoding="utf-8"))["anchoring bias"][0]["correct_option"] == "option_A"
    again = import_path(database, file, "data")
    assert (
        again.sentence == "data: 3 cases with the same content, now also kept as gpt-4o-mini.json spells it"
    )
    assert written_again(database, "data", tmp_path) == exact(AS_PUBLISHED)
    once_more = import_path(database, file, "data")
    assert once_more.sentence == "data: nothing changed, all 3 cases are there already"


def test_kept_and_other_records_have_numbers_of_their_own(database: Database, tmp_path: Path) -> None:
    first = {"anchoring bias": [a_record(1)]}
    import_path(database, write_groups(tmp_path / "a.json", first), "data", "model-1")
    forget_records(database)
    with database.write() as session:
        session.execute(text("UPDATE memberships SET key = 'other/anchoring bias/3-1'"))
    second = {"Anchoring bias": [a_record(1, unbiased="Else.")]}
    import_path(database, write_groups(tmp_path / "b.json", second), "data", "model-1")
    written = json.loads(written_again(database, "data", tmp_path))
    assert [(name, [each["pair"] for each in records]) for name, records in written.items()] == [
        ("Anchoring bias", [1, 2])
    ]
