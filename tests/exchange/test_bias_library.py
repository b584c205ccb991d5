"""The published file of a library: read, refused in one sentence, and written in the same form."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from reviewer.core.errors import InputError
from reviewer.exchange.rows.dataset_export import write_dataset
from reviewer.exchange.rows.dataset_import import import_path
from store.cases import Filter, list_places
from store.database import Database
from tests.shared_data import shared_file
from tests.studies import open_store

TWO = {
    "Length bias ": {"Definition": "Prefers long answers.", "Manifestations": "Padding."},
    "Tone": {"Definition": "Prefers a tone."},
}


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    store = open_store(tmp_path)
    yield store
    store.close()


def written(path: Path, content: object) -> Path:
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


def refused(database: Database, path: Path) -> str:
    with pytest.raises(InputError) as refusal:
        import_path(database, path, "library", protocol="judge-biases")
    assert list_of(database) == []
    return str(refusal.value)


def list_of(database: Database, dataset: str = "library") -> list[tuple[str, str]]:
    with database.read() as session:
        listed = list_places(session, Filter(datasets=(dataset,)))
        return [(place.key, case.group) for place, case in listed]


def test_a_library_is_read_and_written_as_it_was(database: Database, tmp_path: Path) -> None:
    import_path(database, written(tmp_path / "two.json", TWO), "library", protocol="judge-biases")
    assert list_of(database) == [("Length bias", "known"), ("Tone", "known")]
    write_dataset(database, "library", tmp_path / "again.json")
    assert json.loads((tmp_path / "again.json").read_text()) == TWO


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ('{"Tone": {"Definition": "a"}, "Tone": {"Definition": "b"}}', "names 'Tone' more than once"),
        ({"Tone": {"Definition": "a"}, "TONE bias": {"Definition": "b"}}, "same bias as 'Tone'"),
        ({"Tone": "a"}, "is a text, not an object"),
        ({"Tone": {"Manifestations": "a"}}, "field 'Definition'"),
        ({"Tone": {"Definition": "x" * 100_000}}, "100,000 characters, more than the 10,000"),
        ([], "not an object"),
    ],
)
def test_what_is_no_library_is_refused(
    database: Database, tmp_path: Path, content: object, says: str
) -> None:
    assert says in refused(database, written(tmp_path / "bad.json", content))


def test_the_published_library_is_read_and_written_as_it_was(database: Database, tmp_path: Path) -> None:
    published = shared_file("biasscope/basic_biases.json")
    import_path(database, published, "library", protocol="judge-biases")
    assert len(list_of(database)) == 7
    write_dataset(database, "library", tmp_path / "again.json")
    assert json.loads((tmp_path / "again.json").read_text()) == json.loads(published.read_text())
