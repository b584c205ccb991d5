"""Columns of ``[source] identity`` tell equal outputs apart, and raters see nothing of them."""

import csv
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from reviewer.core.errors import InputError
from reviewer.exchange.rows.dataset_import import import_path
from reviewer.protocols.base import DatasetCase
from reviewer.protocols.declared.declaration_reading import DeclarationError
from reviewer.protocols.declared.declared_protocol import protocol_of_text
from reviewer.study.session.own_answers import case_text
from store.cases import Filter, list_places
from store.database import Database
from tests.declarations import with_passages

WITHOUT = """\
[protocol]
name = "translations"
version = 1
title = "Translations"

[fields]
source = "source"
target = "target"

[source]
key = "{id}"

[pane.texts]
kind = "pair"
fields = ["source", "target"]

[question.good]
prompt = "Is the translation good?"
labels = ["yes", "no"]
shows = "texts"
"""
WITH = with_passages(('key = "{id}"\n', 'key = "{id}"\nidentity = ["system", "round"]\n'), text=WITHOUT)
ROWS = [
    ("1", "Guten Tag", "Good day", "zephyr", "1"),
    ("2", "Guten Tag", "Good day", "tempest", "1"),
    ("3", "Guten Tag", "Hello", "tempest", "1"),
]


def a_file(folder: Path, declaration: str, rows: list[tuple[str, ...]] = ROWS) -> tuple[Path, str]:
    declared, table = folder / "translations.toml", folder / "outputs.csv"
    declared.write_text(declaration)
    with table.open("w", newline="") as file:
        csv.writer(file).writerows([("id", "source", "target", "system", "round"), *rows])
    return table, str(declared)


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with closing(Database.open(str(tmp_path / "reviewer.db"))) as opened:
        yield opened


def imported(database: Database, folder: Path, declaration: str = WITH) -> list[DatasetCase]:
    table, declared = a_file(folder, declaration)
    import_path(database, table, "outputs", "several", protocol=declared)
    with database.read() as session:
        placed = list_places(session, Filter(datasets=("outputs",)))
    return [DatasetCase(place.key, case, {}) for place, case in placed]


def test_equal_outputs_of_two_systems_are_two_cases(database: Database, tmp_path: Path) -> None:
    one, other, third = imported(database, tmp_path)
    assert len({one.case.digest, other.case.digest, third.case.digest}) == 3
    assert one.case.payload["target"] == other.case.payload["target"]


def test_without_identity_the_second_is_refused_and_the_way_out_named(
    database: Database, tmp_path: Path
) -> None:
    with pytest.raises(
        InputError, match=r"line 3: is the same case as .*line 2; .*identity = \[\"system\"\]"
    ):
        imported(database, tmp_path, WITHOUT)


def test_no_case_holds_the_values_that_raters_do_not_see(database: Database, tmp_path: Path) -> None:
    protocol = protocol_of_text(WITH, "translations.toml")
    for placed in imported(database, tmp_path):
        seen = [
            case_text(placed.case),
            protocol.headline(placed.case),
            *map(str, protocol.panes(placed.case, ())),
        ]
        assert not any(word in text for text in seen for word in ("zephyr", "tempest", "_identity"))


def test_equal_fields_are_a_finding(database: Database, tmp_path: Path) -> None:
    protocol, cases = protocol_of_text(WITH, "translations.toml"), imported(database, tmp_path)
    (finding,) = protocol.judge_dataset(cases)
    assert (finding.check, finding.state) == ("equal_fields", "failed")
    assert finding.says == (
        "2 of 3 cases have the same fields as another one, and only [source] identity tells them apart: "
        "1 and 2 are the first two."
    )
    assert protocol.judge_dataset(cases[1:])[0].state == "passed"
    assert protocol_of_text(WITHOUT, "translations.toml").judge_dataset(cases) == ()


def test_digests_of_declarations_without_identity_do_not_change() -> None:
    payload = {"source": "Guten Tag", "target": "Good day"}
    with_it, without = (protocol_of_text(text, "t.toml").case("all", payload) for text in (WITH, WITHOUT))
    assert with_it.digest == without.digest
    assert without.digest == "b3c201ea4e7f124ee4740880abecda0cc27cda0c1fe7ba4133e3bde67184ec0a"


def test_the_columns_are_kept_with_the_place_and_must_be_there(database: Database, tmp_path: Path) -> None:
    imported(database, tmp_path, WITH.replace('key = "{id}"', 'key = "{id}"\nothers = "refuse"'))
    with database.read() as session:
        assert [place.extra for place, _ in list_places(session, Filter(datasets=("outputs",)))] == [
            {"system": system, "round": number} for *_, system, number in ROWS
        ]
    table, declared = a_file(tmp_path, WITH)
    table.write_text("id,source,target,round\n1,a,b,1\n")
    with pytest.raises(InputError, match="has no column 'system'"):
        import_path(database, table, "others", "several", protocol=declared)


@pytest.mark.parametrize(
    ("passage", "says"),
    [
        (('["system", "round"]', '["target"]'), "belongs to the identity as field 'target'"),
        (('["system", "round"]', '["system", "system"]'), "names 'system' twice"),
    ],
)
def test_faults_of_identity(passage: tuple[str, str], says: str) -> None:
    with pytest.raises(DeclarationError, match=says):
        protocol_of_text(with_passages(passage, text=WITH), "translations.toml")
