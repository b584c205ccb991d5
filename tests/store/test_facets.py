"""What places can be told apart by."""

from pathlib import Path

from store.facets import facets
from tests.studies import a_case, fill, open_store


def test_places_are_counted_by_each_field_alone(tmp_path: Path) -> None:
    database = open_store(tmp_path)
    fill(database, "one", [a_case(0), a_case(1, "framing effect")])
    fill(database, "two", [a_case(0)], "model-2")
    with database.read() as session:
        counted = facets(session)
    assert counted == {
        "dataset": {"one": 2, "two": 1},
        "group": {"anchoring bias": 2, "framing effect": 1},
        "generator": {"model-1": 2, "model-2": 1},
        "origin": {"generated": 3},
    }
    assert list(counted["group"]) == ["anchoring bias", "framing effect"]
