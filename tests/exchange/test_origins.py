"""Who wrote the cases: people, a model, or nobody says."""

import gzip
import json
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from reviewer.core.errors import RequestError
from reviewer.exchange.releases.release_content import GeneratorCases
from reviewer.exchange.rows.dataset_import import import_path
from store.cases import places_of
from store.database import Database
from store.records import Origin
from tests.second_protocol.material import PROTOCOLS, a_payload
from tests.studies import open_store

EXAMPLES = Path(__file__).parents[2] / "seeds/own_benchmark"
SCRIPTS, DECLARED = EXAMPLES / "meeting_scripts.jsonl", str(EXAMPLES / "meeting_scripts.toml")
RELEASED = Path(__file__).parents[1] / "release_1_0"


def origins(database: Database, dataset: str) -> set[tuple[str, Origin]]:
    with database.read() as session:
        return {(place.generator, place.origin) for place in places_of(session, dataset)}


def rows_of(folder: Path, lines: Sequence[dict[str, Any]]) -> Path:
    file = folder / "rows.jsonl"
    file.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return file


@pytest.mark.parametrize(
    ("generator", "origin", "words"),
    [
        ("hand-written", "seed", "12 written by people"),
        ("not stated", "imported", "12 of unknown origin"),
        ("gpt-4o", "generated", "12 generated"),
    ],
)
def test_an_import_says_who_wrote_the_cases(
    tmp_path: Path, generator: str, origin: Origin, words: str
) -> None:
    with closing(open_store(tmp_path)) as database:
        report = import_path(database, SCRIPTS, "scripts", generator, protocol=DECLARED)
        assert report.sentence == f"scripts: 12 cases added (3 groups, {words})"
        assert origins(database, "scripts") == {(generator, origin)}


@pytest.mark.parametrize(
    ("stated", "expected"),
    [
        ({"generator": "hand-written", "origin": "generated"}, ("hand-written", "seed")),
        ({"generator": "not stated", "origin": "generated"}, ("not stated", "imported")),
        ({"generator": "gpt-4o", "origin": "generated"}, ("gpt-4o", "generated")),
        ({"origin": "seed"}, ("hand-written", "seed")),
        ({"origin": "imported"}, ("not stated", "imported")),
        ({"generator": "hand-written"}, ("hand-written", "seed")),
    ],
)
def test_lines_that_release_1_0_wrote_are_read_by_their_generator(
    tmp_path: Path, stated: dict[str, str], expected: tuple[str, Origin]
) -> None:
    file = rows_of(tmp_path, [{"protocol": "tiny", "group": "tea", "payload": a_payload(1), **stated}])
    with closing(Database.open(str(tmp_path / "new.db"), protocols=PROTOCOLS)) as database:
        import_path(database, file, "talks")
        assert origins(database, "talks") == {expected}


def test_lines_that_name_nobody_are_refused_and_the_sentence_names_all_three(tmp_path: Path) -> None:
    file = rows_of(tmp_path, [{"protocol": "tiny", "group": "tea", "payload": a_payload(1)}])
    with closing(Database.open(str(tmp_path / "new.db"), protocols=PROTOCOLS)) as database:
        with pytest.raises(RequestError) as refused:
            import_path(database, file, "talks")
        assert str(refused.value) == (
            "nothing says who wrote cases of rows.jsonl; name the model with --generator, or give "
            '--generator hand-written if people did, or --generator "not stated" if it is unknown.'
        )


def test_the_places_of_a_store_of_1_0_get_the_origin_that_their_generator_tells(tmp_path: Path) -> None:
    store = tmp_path / "reviewer.db"
    store.write_bytes(gzip.decompress((RELEASED / "reviewer.db.gz").read_bytes()))
    with closing(sqlite3.connect(store)) as connection, connection:
        before = dict(connection.execute("SELECT dataset || key, origin FROM memberships"))
        named = connection.execute("SELECT dataset, key FROM memberships WHERE origin = 'generated' LIMIT 2")
        for (dataset, key), generator in zip(named.fetchall(), ("hand-written", "not stated"), strict=True):
            changed = "UPDATE memberships SET generator = ? WHERE dataset = ? AND key = ?"
            connection.execute(changed, (generator, dataset, key))
            before[dataset + key] = {"hand-written": "seed", "not stated": "imported"}[generator]
        defined = "SELECT name, sql FROM sqlite_master WHERE tbl_name = 'memberships' AND type = 'index'"
        indexes = dict(connection.execute(defined))
    with closing(Database.open(str(store), protocols=PROTOCOLS)) as database, database.read() as session:
        connection = session.connection()
        places = connection.exec_driver_sql("SELECT dataset || key, origin FROM memberships")
        assert dict(map(tuple, places)) == before
        assert dict(map(tuple, connection.exec_driver_sql(defined))) == indexes
        made = connection.exec_driver_sql("SELECT sql FROM sqlite_master WHERE name = 'memberships'").scalar()
        assert "origin IN ('seed', 'generated', 'imported')" in str(made)
        assert connection.exec_driver_sql("PRAGMA foreign_key_check").all() == []


def test_cases_of_a_release_of_1_0_that_people_wrote_are_called_so() -> None:
    stated = GeneratorCases(generator="hand-written", origin="generated", cases=3)
    assert stated.written == "seed"
    assert GeneratorCases(generator="gpt-4o", origin="generated", cases=3).written == "generated"
