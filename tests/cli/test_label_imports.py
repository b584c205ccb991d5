"""``reviewer import --study`` with labels that were given in other tools."""

import json
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest

from store.database import Database
from tests.cli.conftest import Run
from tests.teas import tea, tea_study

INTO = ("--study", "tea")


@pytest.fixture(autouse=True)
def store(tmp_path: Path) -> None:
    tea_study(tmp_path).close()


def written(name: str, text: str) -> str:
    Path(name).write_text(text, encoding="utf-8")
    return name


def long(*rows: Sequence[object]) -> str:
    lines = (",".join(map(str, row)) for row in rows)
    return written("a.csv", "\n".join(["rater,key,question,label", *lines, ""]))


def answers(run: Run) -> list[tuple[str, str, str, str]]:
    assert run("export", "tea", "-o", "out").code == 0
    rows = map(json.loads, Path("out/labels.jsonl").read_text("utf-8").splitlines())
    return sorted((row["rater"], row["key"], row["question"], row["label"]) for row in rows)


def test_one_name_for_two_raters_is_refused(run: Run) -> None:
    file = long(("u", 1, "fits", "yes"))
    refused = run("import", file, *INTO, "--add-raters", "--rename", "u=anna", "--rename", "u=ben")
    assert (refused.code, refused.out) == (2, "")
    assert refused.err == ("Error: --rename gives 'u' two names, 'anna' and 'ben'; leave one of them out.\n")
    twice = run("import", file, *INTO, "--add-raters", "--rename", "u=anna", "--rename", "u=anna")
    assert (twice.code, answers(run)) == (0, [("anna", "1", "fits", "yes")])
    lacking = run("import", file, *INTO, "--rename", "=anna")
    assert lacking.err == "Error: --rename '=anna' is not of the form THEIRS=OURS.\n"


def test_columns_of_a_wide_table_are_named(run: Run) -> None:
    file = written("w.csv", "doc,text,coder 1,coder 2\n1,x,2,3.0\n2,y,,5\n")
    named = ("--key-field", "doc", "--rater-columns", "coder 1, coder 2", "--question", "grade")
    taken = run("import", file, *INTO, *named, "--add-raters", "--rename", "coder 1=anna")
    assert taken.out == "tea: 3 labels of 2 raters (table): 3 new, 0 changed, 0 as they were, 0 comments\n"
    assert "Note: columns that are not read: text." in taken.err
    assert "Note: left out: 1 empty." in taken.err
    assert answers(run) == [
        *(("anna", "1", "grade", "2"), ("coder 2", "1", "grade", "3"), ("coder 2", "2", "grade", "5")),
    ]


def test_columns_of_a_long_table_are_named(run: Run) -> None:
    file = written("l.tsv", "doc\tcoder\ttask\tvalue\tverdict\n1\tanna\tq1\t0.5\tyes\n")
    named = ("--key-field", "doc", "--rater-field", "coder", "--question-field", "task")
    more = ("--label-field", "verdict", "--rename", "q1=fits", "--add-raters")
    assert run("import", file, *INTO, *named, *more).code == 0
    assert answers(run) == [("anna", "1", "fits", "yes")]


def test_mary_ann_is_not_ann(run: Run) -> None:
    assert run("import", long(("ann", 1, "fits", "no")), *INTO, "--add-raters").code == 0
    refused = run("import", long(("mary-ann", 1, "fits", "yes")), *INTO)
    assert (refused.code, answers(run)) == (2, [("ann", "1", "fits", "no")])
    assert "rater 'mary-ann' is not in study 'tea'; give --rename mary-ann=NAME" in refused.err


def test_tool_numbers_move_no_label(run: Run) -> None:
    result = [{"from_name": "fits", "type": "choices", "value": {"choices": ["yes"]}}]
    annotations = [{"completed_by": 7, "result": result}]
    tasks = [
        {"id": n % 6 + 1, "data": {"id": str(n), "text": tea(n)}, "annotations": annotations} for n in (1, 2)
    ]
    file = written("ls.json", json.dumps(tasks))
    refused = run("import", file, *INTO, "--add-raters")
    assert (refused.code, refused.out) == (2, "")
    assert "names different cases in 'id' and 'data.id'; name the field that holds the key" in refused.err
    assert run("import", file, *INTO, "--add-raters", "--key-field", "data.id").code == 0
    assert answers(run) == [("7", "1", "fits", "yes"), ("7", "2", "fits", "yes")]


def test_first_fault_is_named_where_every_row_is_broken(run: Run) -> None:
    refused = run("import", written("a.jsonl", '{"a": \n' * 3), *INTO)
    assert (refused.code, refused.out) == (2, "")
    assert refused.err.startswith("Error: a.jsonl, line 1 and 2 other places: is incomplete JSON")


@pytest.mark.slow
def test_thousands_of_new_raters_join_in_linear_time_and_together(run: Run, tmp_path: Path) -> None:
    def seconds(raters: int, first: int) -> float:
        file = long(*((f"r{first + number}", number % 6 + 1, "fits", "yes") for number in range(raters)))
        begun = time.process_time()
        taken = run("import", file, *INTO, "--add-raters")
        assert (taken.code, f"{raters} labels of {raters} raters" in taken.out) == (0, True)
        return time.process_time() - begun

    few, many = seconds(100, 0), seconds(400, 1000)
    assert many < 4 * few + 2
    file = long(("new", 1, "fits", "yes"), ("\u0430nna", 1, "fits", "yes"), ("anna", 1, "fits", "yes"))
    assert run("import", file, *INTO, "--add-raters").code == 2
    with closing(Database.open(str(tmp_path / "reviewer.db"))):
        assert "new" not in run("progress", "tea").out


def test_reviewer_whose_name_looks_like_a_raters_is_refused(run: Run) -> None:
    assert run("import", long(("anna", 1, "fits", "no")), *INTO, "--add-raters").code == 0
    for name, why in (
        ("\u0430nna", "it has a Cyrillic small letter a"),
        ("Anna", "they differ only in capital letters"),
    ):
        refused = run("study", "pack", "tea", "--rater", name, "-o", "x.review")
        assert refused.code == 2
        assert f"rater {name!r} looks like 'anna', who is in study 'tea' ({why}" in refused.err
