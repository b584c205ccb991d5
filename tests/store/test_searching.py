"""Finding cases by their words, by the index of a file and without it."""

from pathlib import Path

import pytest

from store.cases import Filter, count_places, list_places
from store.database import Database
from tests.studies import a_case, fill


@pytest.fixture(params=["indexed", "not indexed"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Database:
    database = Database.open(str(tmp_path / "store.db"))
    if request.param == "not indexed":
        with database.write() as session:
            for name in ("TRIGGER cases_are_searched", "TABLE case_words", "TABLE searched_cases"):
                session.connection().exec_driver_sql(f"DROP {name}")
    return database


def found(database: Database, text: str) -> set[str]:
    with database.read() as session:
        places = list_places(session, Filter(text=text))
        assert count_places(session, Filter(text=text)) == len(places)
    return {place.key.split("/")[1] for place, _ in places}


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("zebra", {"0"}),
        ("ZEB", {"0"}),
        ("zebra quagga", set()),
        ("stripes  Quag", {"1"}),
        ('say "hello', {"1"}),
        ("bandwagon", {"1"}),
        ("NEAR OR", set()),
        ("option_Q", {"0"}),
        ("café", {"1"}),
        ("100%", {"0"}),
        ("%", set()),
        ('"', set()),
        ("*", set()),
        ("zebra*", {"0"}),
        ("' OR 1=1 --", set()),
    ],
)
def test_every_word_must_be_in_the_case(database: Database, text: str, keys: set[str]) -> None:
    if text == "zebra*" and "case_words" not in _tables(database):
        pytest.skip("without an index a star is a star")
    fill(
        database,
        "one",
        [
            a_case(0, unbiased="A Zebra is 100% black.\nprefers(option_Q)"),
            a_case(1, "bandwagon effect", biased='The quagga had stripes; say "hello there" at the Café.'),
        ],
    )
    assert found(database, text) == keys


def _tables(database: Database) -> set[str]:
    with database.read() as session:
        rows = session.connection().exec_driver_sql("SELECT name FROM sqlite_master")
        return {row[0] for row in rows}


def test_accents_do_not_matter_to_the_index(tmp_path: Path) -> None:
    database = Database.open(str(tmp_path / "store.db"))
    fill(database, "one", [a_case(0, unbiased="Über das Café")])
    assert found(database, "uber cafe") == {"0"}


def test_what_many_cases_hold_is_found_in_the_same_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = Database.open(str(tmp_path / "store.db"))
    fill(database, "one", [a_case(number) for number in range(12)])
    with database.read() as session:
        few = list_places(session, Filter(text="release"), 5)
        monkeypatch.setattr("store.searching._MANY", 3)
        assert list_places(session, Filter(text="release"), 5) == few
        assert count_places(session, Filter(text="release")) == 12
        assert count_places(session, Filter(text="release 11")) == 1


def test_the_index_outlives_a_vacuum(tmp_path: Path) -> None:
    database = Database.open(str(tmp_path / "store.db"))
    fill(database, "one", [a_case(number, unbiased=f"animal {number}") for number in range(20)])
    with database._writing.connect().execution_options(begin="") as connection:
        connection.connection.driver_connection.execute("VACUUM")  # type: ignore[union-attr]
    assert found(database, "animal 7") == {"7"}


def test_an_index_that_expects_many_cases_merges_late_and_finds_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("store.case_import._MANY_CASES", 1)
    database = Database.open(str(tmp_path / "store.db"))
    fill(database, "one", [a_case(number, unbiased=f"animal {number}") for number in range(3)])
    with database.read() as session:
        settings = session.connection().exec_driver_sql("SELECT k, v FROM case_words_config").all()
    assert {("automerge", 64), ("crisismerge", 1000)} <= {(name, value) for name, value in settings}
    assert found(database, "anim 2") == {"2"}


def test_cases_that_come_together_are_one_part_of_the_index(tmp_path: Path) -> None:
    database = Database.open(str(tmp_path / "store.db"))
    fill(database, "one", [a_case(number) for number in range(12)])
    with database.read() as session:
        counting = "SELECT COUNT(DISTINCT segid) FROM case_words_idx"
        assert session.connection().exec_driver_sql(counting).scalar_one() == 1
