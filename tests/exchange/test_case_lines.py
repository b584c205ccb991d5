"""JSON Lines: the format that every protocol has, for a protocol with no format of its own."""

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from reviewer.core.errors import InputError, RequestError
from reviewer.exchange.rows.dataset_export import Written, write_dataset
from reviewer.exchange.rows.dataset_import import check_source, import_path
from reviewer.exchange.rows.source_reading import Incoming
from reviewer.protocols.probe_swe.dilemma_protocol import ProbeSwe
from reviewer.protocols.registry import PROTOCOLS, Protocols
from store.cases import Filter, get_measurements, list_places
from store.database import Database
from tests.builders import a_record
from tests.builders import write_dataset as write_json
from tests.second_protocol.material import a_payload
from tests.tiny_protocol.protocol import Tiny

BOTH = Protocols(Tiny(), ProbeSwe())


def a_line(number: int, **changes: object) -> dict[str, Any]:
    return {
        "protocol": "tiny",
        "group": "tea",
        "payload": a_payload(number),
        "generator": "model-1",
    } | changes


def write(path: Path, *lines: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def read(path: Path, **options: Any) -> Incoming:
    return check_source(path, "talks", protocols=BOTH, **options).incoming


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "talks.jsonl"


@pytest.fixture
def database(tmp_path: Path) -> Database:
    return Database.open(str(tmp_path / "reviewer.db"), protocols=BOTH)


def test_a_line_is_a_case_with_its_place_and_its_published_values(file: Path) -> None:
    line = a_line(1, key="tea/one", run="7", published={"warmth": 0.5}, extra={"by": ["ann", None]})
    (entry,) = read(write(file, line)).entries
    assert (entry.case.protocol, entry.case.group) == ("tiny", "tea")
    assert entry.case.payload["replies"] == line["payload"]["replies"]
    place = entry.place
    assert (place.key, place.generator, place.origin, place.run) == ("tea/one", "model-1", "generated", "7")
    assert place.extra == line["extra"]
    assert [(m.name, m.value, m.source, m.key) for m in entry.published] == [
        ("warmth", 0.5, "published", "tea/one")
    ]


def test_group_and_payload_are_enough(file: Path) -> None:
    line = {"group": "any group of the data", "payload": a_payload(1)}
    (entry,) = read(write(file, line), protocol="tiny", generator="model-2").entries
    assert (entry.place.key, entry.place.generator) == ("any group of the data/1", "model-2")


def test_a_seed_is_hand_written(file: Path) -> None:
    (entry,) = read(write(file, a_line(1, origin="seed"))).entries
    assert (entry.place.origin, entry.place.generator) == ("seed", "hand-written")


def test_the_file_names_its_protocol(file: Path, database: Database) -> None:
    report = import_path(database, write(file, a_line(1)), "talks")
    assert report.source.dataset.protocol == "tiny"


def test_with_several_protocols_and_none_named_somebody_is_asked(file: Path) -> None:
    write(file, {"group": "tea", "payload": a_payload(1)})
    with pytest.raises(RequestError, match=r"several protocols .* with --protocol: tiny, probe-swe\."):
        read(file)


def test_a_file_in_a_format_of_one_protocol_is_of_that_protocol(tmp_path: Path) -> None:
    source = check_source(write_json(tmp_path / "gpt-4o-mini.json", [a_record(1)]), "data", protocols=BOTH)
    assert source.dataset.protocol == "probe-swe"


def test_what_is_written_is_what_was_read(file: Path, tmp_path: Path, database: Database) -> None:
    lines = [a_line(1, published={"warmth": 0.5}), a_line(2, origin="seed", run=None)]
    import_path(database, write(file, *lines), "talks")
    out = tmp_path / "out.jsonl"
    assert write_dataset(database, "talks", out) == Written(2, 0)
    assert [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()] == lines


def test_cases_of_no_file_are_written_so_that_they_come_in_again(tmp_path: Path) -> None:
    with closing(Database.open(str(tmp_path / "one.db"))) as database:
        import_path(database, write_json(tmp_path / "gpt-4o-mini.json", [a_record(1), a_record(2)]), "data")
        with database.write() as session:
            session.connection().exec_driver_sql("UPDATE memberships SET raw = NULL")
        assert write_dataset(database, "data", tmp_path / "out.jsonl") == Written(2, 2)
    with closing(Database.open(str(tmp_path / "two.db"))) as again:
        import_path(again, tmp_path / "out.jsonl", "data")
        assert _content(again) == _content(Database.open(str(tmp_path / "one.db")))


def _content(database: Database) -> list[object]:
    with database.read() as session:
        places = list_places(session, Filter(datasets=("data",)))
        values = get_measurements(session, [case.digest for _, case in places])
    return [(place, case, values[case.digest]) for place, case in places]


FAULTS: dict[str, tuple[dict[str, Any] | str, str]] = {
    "not JSON": ("{", "talks.jsonl, line 2: is incomplete JSON"),
    "no object": ("[]", "talks.jsonl, line 2: is a list, not an object; give one object a line"),
    "no payload": (
        {"group": "tea", "generator": "m"},
        "line 2, field 'payload': is missing; add it, or name the protocol of the file with --protocol",
    ),
    "another field": (a_line(2, kind="x"), "line 2, field 'kind'"),
    "a payload that is not valid": (a_line(2, payload={"turns": []}), "line 2, field 'turns'"),
    "another protocol": (a_line(2, protocol="probe-swe"), "belongs to protocol 'probe-swe', not to 'tiny'"),
    "twice": (a_line(1, key="other"), "line 2: is the same case as talks.jsonl, line 1"),
    "the same place": (a_line(2, key="tea/1"), "line 2: has the same key (tea/1) as talks.jsonl, line 1"),
    "a group of two lines": (a_line(2, group="a\nb"), "cannot be the name of a group"),
    "a NUL": (a_line(2, payload=a_payload(2, replies=["\0"] * 5)), "field 'payload': holds a NUL"),
    "a NUL that is published": (a_line(2, published={"a": "\0"}), "field 'published': holds a NUL"),
    "nested": (a_line(2, extra={"a": json.loads("[" * 40 + "]" * 40)}), "is nested more than 32 deep"),
    "a name twice": ('{"group": "a", "group": "b", "payload": {}}', "names 'group' more than once"),
    "a generator of two lines": (a_line(2, generator="a\nb"), "cannot be the name of a generator"),
}


@pytest.mark.parametrize(("line", "sentence"), FAULTS.values(), ids=FAULTS)
def test_a_fault_is_one_sentence_and_can_be_skipped(
    file: Path, line: dict[str, Any] | str, sentence: str
) -> None:
    text = line if isinstance(line, str) else json.dumps(line)
    file.write_text(f"{json.dumps(a_line(1))}\n{text}\n\n{json.dumps(a_line(3))}\n", encoding="utf-8")
    with pytest.raises(InputError) as error:
        read(file)
    assert sentence in str(error.value)
    left = read(file, skip_invalid=True)
    assert [entry.place.key for entry in left.entries] == ["tea/1", "tea/3"]


def test_remedy_does_not_ask_for_the_protocol_that_was_given(file: Path) -> None:
    for line, sentence in (
        ({"group": "tea", "generator": "m"}, "line 1, field 'payload': is missing; add it; or leave out"),
        (a_line(1, protocol="probe-swe"), "not to 'tiny'; leave --protocol out, or import the cases"),
    ):
        with pytest.raises(InputError) as error:
            read(write(file, line), protocol="tiny")
        assert sentence in str(error.value)
        assert "name the protocol" not in str(error.value)


def test_a_protocol_without_the_format_says_which_it_has(tmp_path: Path) -> None:
    with pytest.raises(
        InputError, match=r"is in none of the formats of TINY \(JSON Lines, TOML\); give JSON Lines"
    ):
        read(write(tmp_path / "talks.txt", a_line(1)), protocol="tiny")
    with pytest.raises(InputError, match="none of the formats of TINY"):
        read(tmp_path, protocol="tiny")


def test_a_file_of_another_name_is_not_written(file: Path, tmp_path: Path, database: Database) -> None:
    import_path(database, write(file, a_line(1)), "talks")
    with pytest.raises(RequestError, match=r"TINY is written as JSON Lines, TOML; .* ends in \.jsonl"):
        write_dataset(database, "talks", tmp_path / "out.json")
    assert not (tmp_path / "out.json").exists()


def test_lines_without_a_protocol_name_each_protocol_that_reads_lines(tmp_path: Path) -> None:
    file = tmp_path / "pairs.jsonl"
    file.write_text('{"pair_id": "1", "question": "2 + 2?", "response_A": "4"}\n', encoding="utf-8")
    with pytest.raises(RequestError, match=r"with --protocol: .*judge-pairs"):
        check_source(file, "pairs", protocols=PROTOCOLS)
