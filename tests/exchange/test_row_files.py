"""Files of rows: the kind, the encoding and the separator found or told, and each fault named."""

import json
from collections.abc import Mapping
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest

from reviewer.core.errors import InputError, RequestError
from reviewer.exchange.rows.row_files import RowOptions, open_rows
from reviewer.protocols.formats import SourceRows


def opened(folder: Path, name: str, content: str | bytes, **told: str) -> SourceRows:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return open_rows(path, RowOptions(**told))


def rows_of(rows: SourceRows) -> list[Mapping[str, object]]:
    """The rows, all of which are valid."""
    read = [row.content for row in rows.read()]
    assert not [content for content in read if isinstance(content, InputError)]
    return read  # type: ignore[return-value]


def faults(rows: SourceRows) -> list[str]:
    return [str(row.content) for row in rows.read() if isinstance(row.content, InputError)]


@pytest.mark.parametrize(
    ("name", "content", "typed"),
    [
        ("a.jsonl", '{"a": 1, "b": "x;y"}\n\n{"a": 2, "b": ""}\n', True),
        ("a.json", '[{"a": 1, "b": "x;y"},\n {"a": 2, "b": ""}]\n', True),
        ("lines.json", '{"a": 1, "b": "x;y"}\n{"a": 2, "b": ""}', True),
        ("a.csv", 'a,b\n1,"x;y"\n2,\n', False),
        ("a.tsv", "a\tb\r\n1\tx;y\r\n2\t\r\n", False),
        ("semicolons.csv", 'a;b\n1;"x;y"\n\n2;\n', False),
        ("said.csv", 'sep=|\na|b\n1|"x;y"\n2|\n', False),
        ("marked.csv", b"\xef\xbb\xbfa,b\n1,x;y\n2,\n", False),
        ("wide.csv", "\ufeffa,b\n1,x;y\n2,\n".encode("utf-16-le"), False),
    ],
)
def test_each_kind_of_file_gives_the_same_rows(
    tmp_path: Path, name: str, content: str | bytes, typed: bool
) -> None:
    rows = opened(tmp_path, name, content)
    one, two = (1, 2) if typed else ("1", "2")
    assert rows_of(rows) == [{"a": one, "b": "x;y"}, {"a": two, "b": ""}]
    assert (rows.typed, rows.columns) == (typed, None if typed else ("a", "b"))
    assert rows_of(rows) == rows_of(rows), "each call of read goes through the file again"


def test_parquet_has_types_and_its_columns_of_bytes_are_left_out(tmp_path: Path) -> None:
    table = {"a": [1.5, float("nan")], "n": [{"x": [1]}, None], "image": [b"\0", b"\1"]}
    pyarrow.parquet.write_table(pyarrow.table(table), tmp_path / "a.parquet")
    rows = open_rows(tmp_path / "a.parquet")
    assert rows.notices == ["a.parquet: column 'image' holds bytes, not text, and is left out"]
    assert rows_of(rows) == [{"a": 1.5, "n": {"x": [1]}}, {"a": None, "n": None}]
    assert [row.where for row in rows.read()] == ["a.parquet, row 1", "a.parquet, row 2"]


def test_windows_1252_is_found_without_doubt_or_told(tmp_path: Path) -> None:
    western = "a,b\n1,“café”\n".encode("cp1252")
    rows = opened(tmp_path, "w.csv", western)
    assert rows_of(rows) == [{"a": "1", "b": "“café”"}]
    assert "w.csv' is not UTF-8 and was read as Windows-1252; name another" in rows.notices[0]
    polish = "a,b\n1,łza\n".encode("cp1250")
    assert faults(opened(tmp_path, "p.csv", polish)) == [
        "p.csv, line 2, column 'b': is not UTF-8 text; save it as UTF-8, or give --encoding (cp1252 reads "
        "'³za', cp1250 reads 'łza', cp1251 reads 'іza', mac-roman reads '≥za')."
    ]
    assert rows_of(opened(tmp_path, "p.csv", polish, encoding="cp1250")) == [{"a": "1", "b": "łza"}]
    broken = "a,b\n1,“x”\n".encode() + b"2,\x94\n"
    assert len(faults(opened(tmp_path, "b.csv", broken))) == 1, "UTF-8 with one bad byte is no Windows-1252"


@pytest.mark.parametrize(
    "text",
    [
        "€5 or 7 €",
        "„Grüße“",
        "‚nein’ – …",
        "• one\n• two",
        "Word™, “café”",
        "„Spaß“ für 3€",
        "un cœur, une œuvre",
    ],
)
def test_windows_1252_with_a_euro_or_low_quotes_is_found(tmp_path: Path, text: str) -> None:
    rows = opened(tmp_path, "w.csv", f'a,b\n1,"{text}"\n'.encode("cp1252"))
    assert [row["b"] for row in rows_of(rows)] == [text]
    assert "was read as Windows-1252" in rows.notices[0]


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("Mädchen", "cp437"),
        ("schön", "cp850"),
        ("Ölung", "cp850"),
        ("ESPAÑA", "mac-roman"),
        ("été", "cp850"),
        ("hôtel", "mac-roman"),
        ("Ärger", "mac-roman"),
        ("he said ‚nein‘", "mac-roman"),
        ("a — b", "mac-roman"),
        ("cœur", "mac-roman"),
        ("« mot »", "mac-roman"),
        ("Kość i śnieg", "cp1250"),
        ("Škoda", "cp1252"),
        ("Привет", "cp1251"),
        ("za 5 € łódź", "cp1250"),
        ("価格", "shift-jis"),
        ("Ελλάδα", "cp1253"),
    ],
)
def test_other_encodings_are_not_taken_for_windows_1252(tmp_path: Path, text: str, encoding: str) -> None:
    rows = opened(tmp_path, "w.csv", f"a,b\n1,{text}\n".encode(encoding))
    assert "is not UTF-8 text; save it as UTF-8, or give --encoding" in faults(rows)[0]


@pytest.mark.parametrize("name", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("text", ["a,b\n1,plain\n", "键,文\n一,日本語日本語日本語日本語日本語日本語\n"])
def test_utf_16_without_a_mark_is_refused_with_its_name(tmp_path: Path, text: str, name: str) -> None:
    with pytest.raises(InputError) as fault:
        opened(tmp_path, "w.csv", text.encode(name))
    assert "holds NUL bytes, so it is not UTF-8 text; it looks like UTF-16" in str(fault.value)
    assert f"without a byte order mark: give --encoding {name}, or save" in str(fault.value)
    assert len(rows_of(opened(tmp_path, "w.csv", text.encode(name), encoding=name))) == 1


def test_unread_word_is_shown_as_encodings_read_it(tmp_path: Path) -> None:
    czech = faults(opened(tmp_path, "w.csv", "a,b\n1,my Škoda car\n".encode("cp1252")))[0]
    assert "--encoding (cp1252 reads 'Škoda', cp1251 reads 'Љkoda', mac-roman reads 'äkoda')." in czech
    lines = faults(opened(tmp_path, "w.jsonl", '{"a": "Škoda"}\n'.encode("cp1252")))[0]
    assert "cp1252 reads" in lines
    mixed = faults(opened(tmp_path, "w.csv", "a,b\n1,Ähre Š\n".encode() + b"2,\xc3\x84 \x8a\n"))[0]
    assert mixed.endswith("save it as UTF-8, or give --encoding.")


@pytest.mark.parametrize("text", ["“x”", "it’s", "a–b", "5 €", "Word™", "•x"])
def test_utf_8_with_a_bad_byte_is_not_taken_for_windows_1252(tmp_path: Path, text: str) -> None:
    assert len(faults(opened(tmp_path, "w.csv", f"a,b\n1,{text}\n".encode() + b"2,\xe9\n"))) == 1


def test_apostrophes_of_a_text_stay_and_are_counted(tmp_path: Path) -> None:
    rows = opened(tmp_path, "a.csv", "id,code\n1,'-v' is a flag\n2,\"x = 1;'-2\n'=y\"\n3,'quoted'\n")
    assert [row["code"] for row in rows_of(rows)] == ["'-v' is a flag", "x = 1;'-2\n'=y", "'quoted'"]
    kept = "1 cell begins with an apostrophe before a sign such as = or -, and was kept as in the file"
    assert tuple(rows.notices) == (f"a.csv: {kept}",)
    assert rows_of(rows)
    assert len(rows.notices) == 1, "another pass counts the same cells"


def test_a_guard_is_taken_off_only_where_the_file_names_it(tmp_path: Path) -> None:
    content = 'id,\'=code,guarded\n\'-v,\'=1,"[""=code""]"\n\'-w,\'=2,\n'
    rows = opened(tmp_path, "a.csv", content)
    assert rows.columns == ("id", "=code")
    assert rows_of(rows) == [{"id": "'-v", "=code": "=1"}, {"id": "'-w", "=code": "'=2"}]


@pytest.mark.parametrize("cell", ["yes", "[1]", '"[""other""]"', "null"])
def test_a_column_guarded_that_names_no_columns_is_one_of_the_file(tmp_path: Path, cell: str) -> None:
    rows = opened(tmp_path, "a.csv", f"id,guarded\n'-v,\n2,{cell}\n")
    assert rows.columns == ("id", "guarded")
    assert rows_of(rows)[0] == {"id": "'-v", "guarded": ""}


def test_what_is_told_is_checked(tmp_path: Path) -> None:
    assert rows_of(opened(tmp_path, "a.csv", "a;b\nx,y;2\n", separator="semicolon"))[0] == {
        "a": "x,y",
        "b": "2",
    }
    with pytest.raises(RequestError, match="'ab' cannot separate columns; give one sign, or one of tab"):
        opened(tmp_path, "a.csv", "a,b\n1,2\n", separator="ab")
    with pytest.raises(RequestError, match="there is no encoding 'latin-99'; give one such as utf-8"):
        opened(tmp_path, "a.csv", "a,b\n1,2\n", encoding="latin-99")


@pytest.mark.parametrize(
    ("name", "content", "wrong"),
    [
        ("a.parquet", "a,b\n1,2\n", "is named .parquet but holds text that is not Parquet; give the right"),
        (
            "a.csv",
            b"PAR1....PAR1",
            "is named .csv but holds Parquet; give the right file, or rename it to end",
        ),
        ("b.parquet", b"PAR1....", "is not a Parquet file that can be read"),
        ("a.json", "a,b\n1,2\n", "is named .json but holds text that is not JSON"),
        ("s.jsonl", '"one"\n"two"\n', "holds JSON values that are not objects; give one object a line, such"),
        ("b.csv", '{"a": 1}\n', "is named .csv but holds JSON; give the right file, or rename it"),
        ("c.csv", "", "is empty; check that it is the right file and complete."),
        ("d.csv", "a,b,a\n1,2,3\n", "line 1: names the column 'a' twice; rename one of the two."),
        (
            "e.csv",
            b"PK\x03\x04",
            "is a ZIP file or a spreadsheet; save its table as CSV, or unpack it; a ZIP of",
        ),
        ("f.csv", "a,b\n1,2\n".encode("utf-16-le"), "holds NUL bytes, so it is not UTF-8 text; it looks"),
    ],
)
def test_a_file_that_is_not_what_it_should_be_is_named(
    tmp_path: Path, name: str, content: str | bytes, wrong: str
) -> None:
    with pytest.raises(InputError) as error:
        opened(tmp_path, name, content)
    assert wrong in str(error.value)
    assert name in error.value.where


@pytest.mark.parametrize(
    ("name", "content", "wrong"),
    [
        ("a.csv", "a,b\n1,2,3\n", "a.csv, line 2: has 3 cells where the first line has 2; put a text that"),
        ("a.csv", b"a,b\n" + b"1,2\n" * 20 + b"1,\0\n", "a.csv, line 22, column 'b': holds a NUL byte"),
        ("a.jsonl", '{"a": 1}\n[1]\n', "a.jsonl, line 2: is a list, not an object; give one object a line"),
        ("a.jsonl", '{"a": 1}\n{"a": \n', "a.jsonl, line 2: is incomplete JSON at column 6; check"),
        ("a.jsonl", b'{"a": "\xed\xa0\x80"}\n', "a.jsonl, line 1: is not UTF-8 text; save it as UTF-8"),
    ],
)
def test_a_row_that_cannot_be_read_is_named_with_its_place(
    tmp_path: Path, name: str, content: str | bytes, wrong: str
) -> None:
    (fault,) = faults(opened(tmp_path, name, content))
    assert wrong in fault


@pytest.mark.parametrize(
    ("name", "content", "wrong"),
    [
        (
            "a.csv",
            'a,b\n1,2\n3,"x\n4,5\n',
            "a.csv, line 3: has a double quote that is not closed, so the file cannot be read from here",
        ),
        (
            "a.csv",
            'a,b\n1,"x"y\n4,5\n',
            "a.csv, line 2: is not CSV (',' expected after '\"'), so the file cannot",
        ),
        (
            "a.tsv",
            'a\tb\n1\t"x"y\n4\t5\n',
            "a.tsv, line 2: is not CSV (a tab expected after '\"'), so the file cannot",
        ),
        ("a.json", '[{"a": 1},\n{"a": 2}', "a.json, row 3 (line 2): is incomplete JSON or lacks a ','"),
        ("a.json", '[{"a": 1},\n{"a": oh}]', "a.json, row 2 (line 2): is not JSON that can be read"),
        ("a.json", '[{"a": 1}] x', "goes on after its list, with 'x', so the file cannot be read"),
        ("a.csv", "a,b\n1,2\n".encode("utf-16") + b"\0", "is not UTF-16 text"),
    ],
)
def test_a_file_that_cannot_be_read_to_its_end_is_refused_with_the_place(
    tmp_path: Path, name: str, content: str | bytes, wrong: str
) -> None:
    with pytest.raises(InputError) as error:
        faults(opened(tmp_path, name, content))
    assert wrong in str(error.value)


LONG = "x" * 500


@pytest.fixture
def short_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("reviewer.exchange.rows.source_file.LONGEST_ROW", 1000)
    monkeypatch.setattr("reviewer.exchange.rows.separated_rows.LONGEST_ROW", 1000)
    monkeypatch.setattr("reviewer.exchange.rows.separated_rows._LONGEST_CELL", 400)


@pytest.mark.usefixtures("short_limits")
@pytest.mark.parametrize(
    ("long", "where"),
    [(f"2,{LONG}", "line 3"), (f'2,"{LONG}\nmore, and\nmore"', "lines 3 to 5")],
    ids=["a cell", "a cell of three lines"],
)
@pytest.mark.parametrize("end", ["\n", "\r", "\r\n"])
def test_rows_behind_a_cell_that_is_too_long_are_read(
    tmp_path: Path, long: str, where: str, end: str
) -> None:
    text = f'a,b\n1,x\n{long}\n4,"y, z"\n5,w\n'
    rows = opened(tmp_path, "a.csv", text.replace("\n", end))
    read = [row.content for row in rows.read()]
    assert [row for row in read if not isinstance(row, InputError)] == [
        {"a": "1", "b": "x"},
        {"a": "4", "b": "y, z"},
        {"a": "5", "b": "w"},
    ]
    wrong = "has a cell with more than 400 characters; shorten the row, or leave it out."
    assert faults(rows) == [f"a.csv, {where}: {wrong}"]


@pytest.mark.usefixtures("short_limits")
@pytest.mark.parametrize(
    ("long", "wrong"),
    [
        (f"2,{LONG * 3}", "has more than 1,000 characters"),
        (f'2,"so\n""{LONG * 3}\n{LONG}, more"', "has more than 1,000 characters"),
        (f'"{LONG * 3}","""b"""', "has more than 1,000 characters"),
        (f'2,"{LONG}\n{LONG}\n{LONG}"', "has more than 1,000 characters"),
        (f'2,"{LONG}', "has a double quote that is not closed"),
        (f'2,"{LONG}\n3,"y"', "is not CSV"),
    ],
    ids=range(6),
)
def test_a_row_that_may_have_no_end_is_refused_with_the_file(tmp_path: Path, long: str, wrong: str) -> None:
    with pytest.raises(InputError, match=rf"line 3: {wrong}.*, so the file cannot be read from here on"):
        faults(opened(tmp_path, "a.csv", f"a,b\n1,x\n{long}\n"))


@pytest.mark.parametrize(
    ("row", "wrong"),
    [
        ('{"a": 1, "a": 2}', "names 'a' more than once"),
        ('{"a": [{"b": 1, "b": 2}]}', "names 'b' more than once"),
        ('{"a": ' + "[" * 40 + "]" * 40 + "}", "is nested more than 32 deep"),
    ],
)
def test_a_row_whose_shape_is_doubtful_is_named(tmp_path: Path, row: str, wrong: str) -> None:
    for name, content, where in (
        ("a.jsonl", f'{{"a": 1}}\n{row}\n', "line 2"),
        ("a.json", f'[{{"a": 1}},\n{row}]', "row 2"),
    ):
        assert faults(opened(tmp_path, name, content)) == [
            f"{name}, {where}: {wrong}; correct it, or leave it out."
        ]


def test_an_endless_row_is_an_error_and_not_held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("reviewer.exchange.rows.source_file.LONGEST_ROW", 1000)
    monkeypatch.setattr("reviewer.exchange.rows.row_files.LONGEST_ROW", 1000)
    long, short = json.dumps({"a": "x" * 5000}), json.dumps({"a": "y"})
    rows = opened(tmp_path, "a.jsonl", f"{long}\n{short}\n")
    assert sum(not isinstance(row.content, InputError) for row in rows.read()) == 1
    assert "more than 1,000 characters" in faults(rows)[0]
    with pytest.raises(
        InputError, match="more than 1,000 characters, so the file cannot be read from here on"
    ):
        faults(opened(tmp_path, "a.json", f"[{long[:-1]}"))


def test_columns_without_a_name_are_numbered(tmp_path: Path) -> None:
    rows = opened(tmp_path, "a.csv", ",b\n0,x\n")
    assert rows.columns == ("column 1", "b")
    assert tuple(rows.notices) == ("a.csv, line 1: column 1 has no name and is called 'column 1'",)


@pytest.mark.parametrize("indent", [1, 4])
def test_objects_over_several_lines_are_read_one_after_the_other(tmp_path: Path, indent: int) -> None:
    objects = [{"id": "a", "nested": {"list": [1, {"x": None}]}}, {"id": "b"}]
    path = tmp_path / "a.json"
    for count in (1, 2):
        text = "\n".join(json.dumps(one, indent=indent) for one in objects[:count])
        path.write_text(f"{text}\n", encoding="utf-8")
        rows = list(open_rows(path).read())
        assert [row.content for row in rows] == objects[:count]
        assert [row.where for row in rows] == [f"a.json, row {number}" for number in range(1, count + 1)]
    path.write_text(f"{text}\n{{\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"a\.json, row 3 \(line \d+\): is not JSON that can be read"):
        list(open_rows(path).read())
