"""Outcomes in a table of any form, described by a declaration: the same as in the layout of a benchmark."""

import csv
import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.rounds import mostly_slow

DECLARATION = """
[columns]
key = "item"
model = "judge"
choice = "better"

[choices]
A = "first"
B = "second"
"-" = "tie"

[conditions.order]
column = "shown"
values = { ab = "as published", ba = "exchanged" }

[texts]
question = "asked"
"""
_SIDES = {"A>B": "A", "B>A": "B", "A=B": "-"}
_ACROSS = {"A": "B", "B": "A", "-": "-"}


def as_table(lines: Path, table: Path) -> None:
    """The shipped judgements as CSV, with one row for each; choices name answers as published."""
    with table.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["item", "asked", "judge", "shown", "better", "text"])
        for row in map(json.loads, lines.read_text(encoding="utf-8").splitlines()):
            for number, said in enumerate(row["judgments"]):
                place = _SIDES.get(said["decision"] or "", "")
                better = _ACROSS[place] if number and place else place
                judge, text = said["judgment"]["judge_model"], said["judgment"]["response"]
                writer.writerow([row["pair_id"], row["question"], judge, ("ab", "ba")[number], better, text])


@pytest.fixture
def imported(run: Run) -> Run:
    first, second, *_ = run("protocol", "example", "judge-pairs", "example").out.splitlines()
    for command in (first, second):
        assert run(*command.split()[1:]).code == 0
    as_table(Path("example/outcomes.jsonl"), Path("table.csv"))
    Path("own.toml").write_text(DECLARATION, encoding="utf-8")
    return run


def test_a_declared_table_gives_what_the_benchmarks_own_layout_gives(imported: Run) -> None:
    done = imported(
        "outcomes", "import", "choices", "table.csv", "--as", "own.toml", "--dataset", "judge-pairs"
    )
    assert done.code == 0, done.err
    assert "24 outcomes of demo-judge added (12 cases, 1 repeat)" in done.out
    read = DECLARATION.replace('choice = "better"', 'text = "text"').replace("[choices]", "[texts]")
    read = read.replace('A = "first"\nB = "second"\n"-" = "tie"\n', 'question = "asked"\n').rsplit(
        "[texts]", 1
    )[0]
    Path("read.toml").write_text(read, encoding="utf-8")
    texts = imported(
        "outcomes", "import", "texts", "table.csv", "--as", "read.toml", "--dataset", "judge-pairs"
    )
    assert texts.code == 0, texts.err
    tables = [
        imported("effects", name, "--resamples", 100, "--format", "csv").out
        for name in ("example", "choices", "texts")
    ]
    assert tables[0] == tables[1] == tables[2]


@mostly_slow(3)
@pytest.mark.parametrize(
    ("change", "says"),
    [
        (('choice = "better"', ""), "[columns]: names neither text nor choice"),
        (('key = "item"', ""), "[columns] key: is missing"),
        (('model = "judge"', "model = 3"), "[columns] model: is not a text"),
        (('"as published"', '"published"'), "'published' is not a known order; did you mean as published"),
        (("[conditions.order]", "[conditions.place]"), "[conditions] place: is not a condition"),
        (("question =", "questoin ="), "[texts] questoin: is not a field of a case; did you mean question"),
        (("[texts]", "[text]"), "text]: is not known here"),
        (("[texts]", "[texts"), "is not valid TOML"),
        (('A = "first"', 'A = "left"'), "'left' is not a label of the case (and"),
        (('"-" = "tie"', ""), "column 'better': '-' is not a known choice"),
        (('key = "item"', 'key = "items"'), "lacks the column 'items'"),
        (('question = "asked"', 'question = "judge"'), "has other texts than options-1"),
    ],
)
def test_what_does_not_fit_is_named_and_nothing_is_written(
    imported: Run, change: tuple[str, str], says: str
) -> None:
    Path("own.toml").write_text(DECLARATION.replace(*change), encoding="utf-8")
    done = imported("outcomes", "import", "bad", "table.csv", "--as", "own.toml", "--dataset", "judge-pairs")
    assert (done.code, done.out) == (2, "")
    assert says in done.err
    assert imported("effects", "bad").code == 2


def test_all_faults_of_a_declaration_are_counted(imported: Run) -> None:
    Path("own.toml").write_text("[columns]\n[conditions.order]\n[texts]\na = 'b'\n", encoding="utf-8")
    done = imported("outcomes", "import", "bad", "table.csv", "--as", "own.toml", "--dataset", "judge-pairs")
    assert done.code == 2
    assert "[columns] key: is missing" in done.err
    Path("own.toml").write_text(
        "[columns]\nkey = 'k'\n[conditions.order]\n[texts]\na = 'b'\n", encoding="utf-8"
    )
    done = imported("outcomes", "import", "bad", "table.csv", "--as", "own.toml", "--dataset", "judge-pairs")
    assert "names neither text nor choice (and 2 more faults)" in done.err
