"""What places can be told apart by."""

from collections.abc import Callable
from pathlib import Path

from store.cases import facets
from store.database import Database
from tests.studies import a_case, fill, open_store


def test_places_are_counted_by_each_field_alone(tmp_path: Path) -> None:
    check(open_store(tmp_path))


def test_a_server_counts_alike(server_url: str, opened: Callable[[str], Database]) -> None:
    check(opened(server_url))


def check(database: Database) -> None:
    """Fill a store, and count."""
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
