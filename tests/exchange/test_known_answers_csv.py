"""Known answers in a CSV file: read, or refused with file and line."""

from pathlib import Path

import pytest

from reviewer.core.errors import InputError
from reviewer.exchange.rows.study_inputs import read_known_answers

HEAD = "dataset,key,question,label,why\n"


def read(folder: Path, text: str) -> list[tuple[str, str, str, str, str]]:
    path = folder / "gold.csv"
    path.write_text(text, encoding="utf-8")
    return [(e.dataset, e.key, e.question, e.label, e.why) for e in read_known_answers(path, "gold", print)]


def test_lines_are_answers_whatever_the_order_of_the_columns(tmp_path: Path) -> None:
    text = 'Why,key,dataset,label,question\n"one, dropped",b/1,d,False,same_task\n\n,b/2,d,True,axioms\n'
    assert read(tmp_path, text) == [
        ("d", "b/1", "same_task", "False", "one, dropped"),
        ("d", "b/2", "axioms", "True", ""),
    ]
    assert read(tmp_path, "dataset,key,question,label\nd,k,q,l\n") == [("d", "k", "q", "l", "")]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", r"is empty"),
        ("key\n", r"line 1: has no column 'dataset'; its first line"),
        ("dataset,key,question\n", r"has no column 'label'"),
        ("dataset,key,question,label,colour\n", r"has an unknown column 'colour'"),
        (HEAD, r"holds no answers"),
        (HEAD + "d,k,q\n", r"line 2: has 3 cells where the first line has 5; put"),
        (HEAD + "d,k,q,True,ok\nd,,q,True,ok\n", r"line 3: key is empty"),
        (HEAD + 'd,k,q,True,"a\0b"\n', r"line 2, column 'why': holds a NUL byte"),
        (HEAD + 'd,k,q,True,"open\n', r"line 2: has a double quote that is not closed"),
    ],
)
def test_what_is_no_answer_is_refused_by_file_and_line(tmp_path: Path, text: str, sentence: str) -> None:
    with pytest.raises(InputError, match=rf"gold\.csv.*{sentence}"):
        read(tmp_path, text)


def test_a_file_that_is_not_there_is_said_so(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is not there"):
        read_known_answers(tmp_path / "none.csv", "gold", print)


def test_what_a_spreadsheet_saves_is_read_and_said(tmp_path: Path) -> None:
    text = "dataset;key;question;label;why\nd;b/1;same_task;False;'-v caf\u00e9\n"
    path, told = tmp_path / "gold.csv", list[str]()
    path.write_bytes(text.encode("cp1252"))
    (answer,) = read_known_answers(path, "gold", told.append)
    assert (answer.key, answer.why) == ("b/1", "'-v caf\u00e9")
    encoding, apostrophes = told
    assert encoding.endswith("gold.csv' is not UTF-8 and was read as Windows-1252")
    assert apostrophes.startswith("gold.csv: 1 cell begins with an apostrophe before a sign such as = or -")


def test_lines_that_nobody_filled_in_are_left_out_and_counted(tmp_path: Path) -> None:
    path, told = tmp_path / "training.csv", list[str]()
    path.write_text("dataset,key,question,label,why,begins\nd,1,q,,,I plan\nd,2,q,True,because,We plan\n")
    (answer,) = read_known_answers(path, "training", told.append)
    assert (answer.key, answer.label, answer.why) == ("2", "True", "because")
    assert told == [f"'{path}': 1 line without a label is left out."]
