"""The rules on published benchmarks: pairs of replies for judges, and scripts of dialogues."""

import csv
from collections.abc import Iterator
from typing import Any

import pytest

from reviewer.protocols.declared.declaration import CheckTable
from reviewer.protocols.declared.rule_checks import check_case, check_dataset
from tests.shared_data import shared_file

Row = tuple[str, dict[str, Any]]


def read_pairs() -> list[Row]:
    parquet = pytest.importorskip("pyarrow.parquet", reason="needs pyarrow to read parquet")
    rows = parquet.read_table(shared_file("biasscope/judge_bench.parquet")).to_pylist()
    return [(row["pair_id"], row) for row in rows]


@pytest.fixture(scope="module")
def pairs() -> list[Row]:
    return read_pairs()


def failed(rows: list[Row], group: str, **table: object) -> Iterator[str]:
    """The keys of the rows that a check of these arguments fails on."""
    check = CheckTable.model_validate(table)
    for key, values in rows:
        if check_case("c", check, str(values.get(group, "")), values, str).state == "failed":
            yield key


def test_one_pair_is_identical_and_one_holds_twelve_bells(pairs: list[Row]) -> None:
    assert len(pairs) == 620
    assert len(list(failed(pairs, "source", rule="differ", fields=["response_A", "response_B"]))) == 1
    fields = ["question", "response_A", "response_B"]
    (bells,) = failed(pairs, "source", rule="lacks", fields=fields, pattern="\\x07")
    assert sum(str(dict(pairs)[bells][field]).count("\a") for field in fields) == 12


def test_questions_repeat_and_the_right_reply_is_first_more_often(pairs: list[Row]) -> None:
    repeats = check_dataset("c", CheckTable(rule="unique", fields=("question",)), pairs, str)
    assert repeats.says.startswith("92 values of question repeat, in 184 of 620 cases: ")
    shares = check_dataset("c", CheckTable(rule="balanced", fields=("label",)), pairs, str)
    assert (
        shares.says
        == "Label: 1 in 336 (54.2%), 2 in 284 (45.8%) of 620 cases. Wanted: shares of 0.0% to 55.0%."
    )
    assert shares.state == "passed"


def test_no_script_lacks_its_method() -> None:
    with shared_file("mindscope/scripts.csv").open(newline="", encoding="utf-8") as file:
        scripts: list[Row] = [(row["row"], dict(row)) for row in csv.DictReader(file)]
    assert len(scripts) == 50
    method = {"rule": "holds", "fields": ["Script"], "pattern": r"(?mi)^[#* ]*(simulation )?method"}
    assert list(failed(scripts, "Bias Name", **method)) == []
    named = list(failed(scripts, "Bias Name", rule="lacks_group", fields=["Script"]))
    assert 0 < len(named) < 50
