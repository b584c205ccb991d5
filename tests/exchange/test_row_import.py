"""Rows through a declared protocol: mapped, imported whole or not at all, and given back."""

import csv
import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest

from reviewer.core.errors import InputError, RequestError
from reviewer.exchange.labels.foreign_files import read_foreign_labels
from reviewer.exchange.labels.label_booking import match_labels, store_labels
from reviewer.exchange.rows.dataset_export import write_dataset
from reviewer.exchange.rows.dataset_import import CheckedSource, check_source, import_path
from reviewer.exchange.rows.declaration_file import undefined_notice
from reviewer.exchange.rows.row_files import AS_FOUND, RowOptions
from reviewer.protocols.declared.declaration_reading import read_declaration
from reviewer.protocols.declared.declared_protocol import DeclaredProtocol
from reviewer.protocols.probe_swe.dilemma_protocol import ProbeSwe
from reviewer.protocols.registry import Protocols
from reviewer.study.design.study_bundle import load_study
from reviewer.study.design.study_creation import Design, create_study
from store.cases import Filter, get_measurements, list_places
from store.database import Database

DECLARATION = """
[protocol]
name = "rows"
version = 1
title = "Rows"
[fields]
text = "input.text"
choices = { column = "choices", type = "list", optional = true }
grade = { column = "grade", type = "number", optional = true }
talk = { column = "talk", type = "dialogue", optional = true }
[source]
key = "{set}/{id}"
group = "set"
generator = { constant = "model-1" }
others = "keep"
[published.score]
column = "score"
[pane.text]
fields = ["text", "choices", "grade"]
[pane.talk]
kind = "dialogue"
fields = "talk"
[question.good]
prompt = "Is it good?"
labels = ["yes", "no"]
shows = ["text", "talk"]
"""


def protocols(**changes: str) -> Protocols:
    text = DECLARATION
    for old, new in changes.items():
        text = text.replace({"others": '"keep"', "key": '"{set}/{id}"'}[old], new)
    return Protocols(DeclaredProtocol(read_declaration(text, "rows.toml")))


def a_row(number: int, **changes: Any) -> dict[str, Any]:
    row = {"id": number, "set": "tea", "input": {"text": f"text {number}"}, "score": 0.5, "other": ["y", "x"]}
    return row | changes


def written(path: Path, *rows: Any) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def checked(path: Path, known: Protocols | None = None, **options: Any) -> CheckedSource:
    return check_source(path, "data", protocol="rows", protocols=known or protocols(), **options)


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with closing(Database.open(str(tmp_path / "reviewer.db"))) as opened:
        yield opened


@pytest.fixture
def declared(tmp_path: Path) -> str:
    """The file of the declaration."""
    path = tmp_path / "rows.toml"
    path.write_text(DECLARATION, encoding="utf-8")
    return str(path)


def test_a_row_is_a_case_with_its_place_its_values_and_the_rest(tmp_path: Path) -> None:
    talk = [{"role": "user", "content": "hi"}, {"speaker": "bo", "text": "ho", "to": ["al", "cy"]}]
    (entry,) = checked(
        written(tmp_path / "a.jsonl", a_row(7, choices=["a", 2], grade=3, talk=talk))
    ).incoming.entries
    assert (entry.group, entry.place.key, entry.place.generator, entry.place.position) == (
        *("tea", "tea/7", "model-1"),
        0,
    )
    payload = entry.case.payload
    assert (payload["text"], payload["choices"], payload["grade"]) == ("text 7", ["a", "2"], 3)
    assert [(turn["speaker"], turn["text"]) for turn in payload["talk"]] == [("user", "hi"), ("bo", "ho")]
    assert (payload["talk"][1]["to"], payload["talk"][1]["way"]) == (["al", "cy"], "some")
    assert [(value.name, value.value) for value in entry.published] == [("score", 0.5)]
    assert entry.place.extra == {"other": ["y", "x"]}


def test_the_cells_of_a_csv_are_read_by_the_types_of_the_fields(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(
        "set,id,input.text,choices,grade,talk,score\n"
        'tea,1,hello,"[""a"", ""b""]",2.50,"A: hi\nB: ho\nhum",7\n'
        "tea,2,bye,,,,\n",
        encoding="utf-8",
    )
    first, second = checked(path).incoming.entries
    assert (first.case.payload["choices"], first.case.payload["grade"]) == (["a", "b"], 2.5)
    assert [turn["text"] for turn in first.case.payload["talk"]] == ["hi", "ho\nhum"]
    assert [value.value for value in first.published] == [7]
    assert (second.case.payload, second.published) == ({"text": "bye"}, ())


@pytest.mark.parametrize(
    ("row", "wrong"),
    [
        (
            a_row(2, input={"text": 5}),
            "column 'input.text': is a number, not a text; write it in quotes, or, if all rows are",
        ),
        (
            a_row(2, choices=[["a"]]),
            "holds a list as item 1; give texts or numbers, or, if all rows are like this, declare choices = "
            '{ column = "choices.0", type = "list", optional = true }',
        ),
        (
            a_row(2, grade="high"),
            "column 'grade': is a text, not a number; write it as a number, or, if all rows are like this, "
            'declare grade = { column = "grade", optional = true }',
        ),
        (
            a_row(2, input={"text": [{"role": "A", "content": "hi"}]}),
            'declare text = { column = "input.text", type = "dialogue" } and show it in a pane of kind =',
        ),
        (a_row(2, talk=[{"content": "x"}]), "column 'talk': lacks a speaker in turn 1"),
        (a_row(2, input={"text": "\ud800"}), "column 'input': holds a lone surrogate (U+D800); correct it"),
        (
            a_row(1, input={"text": "else"}),
            "has the same key (tea/1) as a.jsonl, line 1; give one of them another key",
        ),
        (
            a_row(2, input={"texts": "x"}),
            "has no column 'input.text'; did you mean input, or declare text = "
            '{ column = "input.text", optional = true }',
        ),
        (a_row(2, set=""), "column 'set': is empty; fill it in, or name another column"),
    ],
)
def test_a_row_that_does_not_fit_is_named_and_can_be_skipped(
    tmp_path: Path, row: dict[str, Any], wrong: str
) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in (a_row(1), row)), encoding="utf-8")
    with pytest.raises(InputError) as error:
        checked(path)
    assert str(error.value).startswith("a.jsonl, line 2")
    assert wrong in str(error.value)
    kept = checked(path, skip_invalid=True).incoming
    assert (len(kept.entries), len(kept.problems)) == (1, 1)
    assert kept.problems[0].__traceback__ is None  # which would hold the row


@pytest.mark.parametrize(
    ("value", "line"),
    [
        (5, 'text = { column = "input.text", type = "number" }'),
        (["a", 1], 'text = { column = "input.text", type = "list" }'),
        ([[["a"]], "b"], 'text = { column = "input.text.0.0", type = "list" }'),
        ({"a.b": "no", "x": [None, "deep"]}, 'text = "input.text.x.1"'),
        (None, 'text = { column = "input.text", optional = true }'),
    ],
)
def test_the_line_that_a_remedy_gives_reads_the_rows(tmp_path: Path, value: Any, line: str) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps(a_row(1, input={"text": value})), encoding="utf-8")
    with pytest.raises(InputError) as error:
        checked(path)
    assert error.value.remedy.partition(";")[0].endswith(f"declare {line}")
    declared = DECLARATION.replace('text = "input.text"', line)
    (tmp_path / "rows.toml").write_text(declared, encoding="utf-8")
    found = check_source(path, "d", protocol=str(tmp_path / "rows.toml"))
    assert len(found.incoming.entries) == 1


def test_columns_that_lack_or_that_nothing_names_are_faults_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("set,id,inptu.text\ntea,1,x\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"a.csv: has no column 'input.text'; did you mean inptu.text"):
        checked(path)
    refusing = protocols(others='"refuse"')
    with pytest.raises(
        InputError, match=r"a.jsonl, line 1: has a column 'other' that the declaration does not"
    ):
        checked(written(tmp_path / "a.jsonl", a_row(1)), refusing)


def test_the_same_import_again_changes_nothing_and_changed_rows_change_their_places(
    tmp_path: Path, database: Database, declared: str
) -> None:
    path = written(tmp_path / "a.jsonl", *map(a_row, range(5)))
    first = import_path(database, path, "data", protocol=declared)
    assert first.counts.added == 5
    assert import_path(database, path, "data", protocol=declared).counts.changed_nothing
    changed = [
        a_row(0, input={"text": "new"}),
        a_row(1, score=0.9),
        a_row(2, other=None),
        *map(a_row, (3, 4)),
    ]
    again = import_path(database, written(path, *changed), "data", protocol=declared).counts
    assert (again.added, again.replaced, again.unchanged, again.values_changed) == (0, 1, 4, 2)
    with database.read() as session:
        places = list_places(session, Filter(datasets=("data",)))
        (value,) = get_measurements(session, [places[1][0].case])[places[1][0].case]
    assert (places[0][1].payload, value.value) == ({"text": "new"}, 0.9)


@pytest.mark.parametrize("ending", [".jsonl", ".json", ".parquet", ".csv", ".tsv"])
def test_an_export_gives_the_rows_back_and_its_import_changes_no_content(
    tmp_path: Path, database: Database, declared: str, ending: str
) -> None:
    rows = [a_row(number, grade=number) for number in range(3)]
    import_path(database, written(tmp_path / "a.jsonl", *rows), "data", protocol=declared)
    write_dataset(database, "data", tmp_path / f"out{ending}")
    if ending == ".parquet":
        assert pyarrow.parquet.read_schema(tmp_path / "out.parquet").names == list(rows[0])
    if ending == ".json":
        assert json.loads((tmp_path / "out.json").read_text(encoding="utf-8")) == rows
    if ending == ".jsonl":
        assert (tmp_path / "out.jsonl").read_bytes() == (tmp_path / "a.jsonl").read_bytes()
    if ending in (".csv", ".tsv"):
        head = (tmp_path / f"out{ending}").read_text(encoding="utf-8").splitlines()[0]
        assert head.split("," if ending == ".csv" else "\t") == list(rows[0])
        return  # nested values are JSON in a cell, and no column of a field of their own
    again = import_path(database, tmp_path / f"out{ending}", "data", protocol=declared)
    assert again.counts.changed_nothing


@pytest.mark.parametrize("ending", [".csv", ".tsv"])
def test_apostrophes_and_signs_of_code_stay_through_csv(
    tmp_path: Path, database: Database, ending: str
) -> None:
    codes = ["'-v' is a flag", "-x = 1;-2\n'+3'", "=1", "''=1", "x;'=1\n\t-y", "@d\ndef f(): ...", "a-b"]
    flat = tmp_path / "flat.toml"
    flat.write_text(DECLARATION.replace('"input.text"', '"text"'), encoding="utf-8")
    with (tmp_path / "in.csv").open("w", newline="", encoding="utf-8") as file:
        columns = [("id", "set", "text", "score")]
        csv.writer(file).writerows(columns + [(f"-{n}", "tea", code, 1) for n, code in enumerate(codes)])
    import_path(database, tmp_path / "in.csv", "data", protocol=str(flat))
    write_dataset(database, "data", tmp_path / f"out{ending}")
    again = import_path(database, tmp_path / f"out{ending}", "data", protocol=str(flat))
    assert again.counts.changed_nothing
    assert not again.source.incoming.notices
    with database.read() as session:
        assert [case.payload["text"] for _, case in list_places(session, Filter())] == codes


def test_keys_that_differ_only_in_normalisation_are_not_both_taken(
    tmp_path: Path, database: Database, declared: str
) -> None:
    composed, taken_apart = a_row(1, id="café"), a_row(2, id="cafe\u0301")
    both = written(tmp_path / "a.jsonl", composed, taken_apart)
    wrong = r"line 2: has the same key \(tea/café\) as a.jsonl, line 1, but with other code points"
    with pytest.raises(InputError, match=wrong):
        checked(both)
    import_path(database, written(tmp_path / "b.jsonl", composed), "data", protocol=declared)
    with pytest.raises(RequestError, match="differs from a key of dataset 'data' only in the code points"):
        import_path(database, written(tmp_path / "c.jsonl", taken_apart), "data", protocol=declared)


def test_an_export_with_a_study_has_keys_digests_and_final_labels(
    tmp_path: Path, database: Database, declared: str
) -> None:
    rows = [a_row(number, key="mine") for number in range(2)]
    import_path(database, written(tmp_path / "a.jsonl", *rows), "data", protocol=declared)
    create_study(database, "pilot", Design(("data",), None, 1, raters=("ann",)))
    labels = tmp_path / "labels.csv"
    labels.write_text("rater,key,question,label\nann,tea/1,good,yes\n", encoding="utf-8")
    bundle = load_study(database, "pilot")
    store_labels(database, bundle, match_labels(bundle, read_foreign_labels(labels, AS_FOUND)))
    write_dataset(database, "data", tmp_path / "out.jsonl", "pilot")
    out = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text(encoding="utf-8").splitlines()]
    assert list(out[0]) == [*rows[0], "reviewer_key", "case", "final_good"]
    assert [row["reviewer_key"] for row in out] == ["tea/0", "tea/1"]
    assert [row["final_good"] for row in out] == [None, "yes"]
    assert all(len(row["case"]) == 64 for row in out)


def test_a_told_separator_reaches_the_file(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("set^id^input.text\ntea^1^a,b\n", encoding="utf-8")
    (entry,) = checked(path, options=RowOptions(separator="^")).incoming.entries
    assert entry.case.payload == {"text": "a,b"}


def test_a_file_that_another_protocol_knows_is_not_taken_for_rows(tmp_path: Path) -> None:
    both = Protocols(ProbeSwe(), *protocols().values())
    published = written(tmp_path / "a.json", {"anchoring bias": []})
    with pytest.raises(InputError, match="holds no valid case"):
        check_source(published, "data", protocols=both)


def test_wrong_rows_are_named_also_if_no_row_is_left(tmp_path: Path) -> None:
    path = written(tmp_path / "a.jsonl", *(a_row(number, set="") for number in range(14)))
    with pytest.raises(InputError) as error:
        checked(path)
    assert "(and 13 more are invalid: line 2, column 'set'; line 3, column 'set'; " in str(error.value)
    assert "line 11, column 'set'; …)" in str(error.value)
    with pytest.raises(InputError) as error:
        checked(path, skip_invalid=True)
    assert "holds no valid case (a.jsonl, line 1, column 'set' is empty; a.jsonl, line 2" in str(error.value)
    assert "; and 4 more)" in str(error.value)


@pytest.mark.parametrize(("name", "content"), [("a.csv", "set,id,input.text\n"), ("a.json", "[]")])
def test_a_file_without_rows_holds_no_rows(tmp_path: Path, name: str, content: str) -> None:
    (tmp_path / name).write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match="holds no rows; check that it is the right file"):
        checked(tmp_path / name)


def test_groups_without_a_definition_that_a_question_shows_are_named() -> None:
    text = DECLARATION.replace("Is it good?", "Is it {definition}?")
    declaration = read_declaration(text, "rows.toml")
    notice = undefined_notice(declaration, ["tea", "milk", "beer"], ["beer"])
    assert notice == (
        "question 'good' shows the definition of the group, and these groups have none: milk, tea; "
        "import with --groups FILE.toml"
    )
    again = undefined_notice(declaration, ["tea", "milk", "beer"], ["beer"], with_file=True)
    assert str(again).endswith("; add them to the file of --groups")
    assert undefined_notice(declaration, ["beer"], ["beer"]) is None
    assert "and [groups] defines none; import with" in str(undefined_notice(declaration, [], []))
    assert undefined_notice(read_declaration(DECLARATION, "rows.toml"), ["tea"], []) is None
