"""Files that people give to commands: read as every CSV and JSON file is, and with the same notices."""

from pathlib import Path

import pytest

from reviewer.core.errors import InputError
from reviewer.exchange.rows.published_numbers import published_rows, read_funnels
from reviewer.exchange.rows.study_inputs import read_case_list

KEPT = "1 cell begins with an apostrophe before a sign such as = or -, and was kept as in the file"
FILTERS = ("logic", "length")


def written(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_a_list_of_cases_is_a_table_or_one_key_a_line(tmp_path: Path) -> None:
    told: list[str] = []
    table = written(tmp_path, "cases.csv", "Dataset;Key;role\none;'-a;counted\none;b;gold\n;c;\n")
    listed = read_case_list(table, told.append)
    assert [(case.where, case.dataset, case.key) for case in listed] == [
        ("cases.csv, line 2", "one", "'-a"),
        ("cases.csv, line 4", None, "c"),
    ]
    assert told == [f"cases.csv: {KEPT}"]
    lines = written(tmp_path, "keys.txt", 'a "quoted" key, with a comma\n\nb\n')
    assert [case.key for case in read_case_list(lines, told.append)] == ['a "quoted" key, with a comma', "b"]


def test_published_values_say_which_apostrophes_were_kept(tmp_path: Path) -> None:
    told: list[str] = []
    path = written(tmp_path, "scores.csv", "bias,score\nFraming,'=1\n")
    assert published_rows(path, ("bias",), told.append) == (
        "'scores.csv'",
        [{"bias": "Framing", "score": "'=1"}],
    )
    assert told == [f"scores.csv: {KEPT}"]
    with pytest.raises(InputError, match="lacks the column 'options'"):
        published_rows(path, ("options",), print)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.csv", "run,filter,discarded,group\nfirst,logic,3,tea\n"),
        ("a.tsv", "run\tfilter\tdiscarded\tgroup\nfirst\tlogic\t3\ttea\n"),
        ("a.json", '[{"run": "first", "filter": "logic", "discarded": 3, "group": "tea"}]'),
        ("a.json", '{"first": {"tea": {"logic": 3}}}'),
        ("a.json", '{\n "first": {\n  "tea": {"logic": 3}\n }\n}'),
    ],
)
def test_a_funnel_is_the_same_in_every_form(tmp_path: Path, name: str, text: str) -> None:
    (funnel,) = read_funnels(written(tmp_path, name, text), FILTERS, "group", print)
    assert (funnel.run, funnel.groups) == ("first", ("tea",))
    assert funnel.discarded == {("tea", "logic", ""): 3}


def test_a_funnel_that_names_a_filter_twice_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path, "a.json", '{"first": {"tea": {"logic": 3, "logic": 4}}}')
    with pytest.raises(InputError, match="names 'logic' more than once"):
        read_funnels(path, FILTERS, "group", print)
