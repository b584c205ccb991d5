"""Known answers in a CSV file: read, or refused with file and line."""

from pathlib import Path

import pytest

from reviewer.core.errors import InputError
from reviewer.exchange.rows.known_answers_csv import read_known_answers

HEAD = "dataset,key,question,label,why\n"


def read(folder: Path, text: str) -> list[tuple[str, str, str, str, str]]:
    path = folder / "gold.csv"
    path.write_text(text, encoding="utf-8")
    return [(e.dataset, e.key, e.question, e.label, e.why) for e in read_known_answers(path, "gold")]


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
        ("", r"line 1: has no column 'dataset'; its first line"),
        ("dataset,key,question\n", r"has no column 'label'"),
        ("dataset,key,question,label,colour\n", r"has an unknown column 'colour'"),
        (HEAD, r"holds no answers"),
        (HEAD + "d,k,q\n", r"line 2: has 3 cells where the first line has 5; put"),
        (HEAD + "d,k,q,True,ok\nd,,q,True,ok\n", r"line 3: key is empty"),
        (HEAD + 'd,k,q,True,"a\0b"\n', r"line 2: (why holds|is not CSV)"),
        (HEAD + 'd,k,q,True,"open\n', r"is not CSV"),
    ],
)
def test_what_is_no_answer_is_refused_by_file_and_line(tmp_path: Path, text: str, sentence: str) -> None:
    with pytest.raises(InputError, match=rf"gold\.csv.*{sentence}"):
        read(tmp_path, text)


def test_a_file_that_is_not_there_is_said_so(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is not there"):
        read_known_answers(tmp_path / "none.csv", "gold")
