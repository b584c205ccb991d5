"""``import --column``: columns under other names than a format has."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run

PAIR = {
    "id": 7,
    "prompt": "Which is a prime?",
    "chosen": "It is 7.",
    "rejected": "It is 8.",
    "subset": "math",
}
COLUMNS = (
    "pair_id=id",
    "question=prompt",
    "response_A=chosen",
    "response_B=rejected",
    "domain=subset",
    "label==1",
)


def imported(run: Run, *columns: str) -> tuple[int, str, str]:
    options = [word for column in columns for word in ("--column", column)]
    made = run("import", "pairs.jsonl", "--dataset", "pairs", "--protocol", "judge-pairs", *options)
    return made.code, made.out, made.err


@pytest.fixture(autouse=True)
def pairs(tmp_path: Path) -> None:
    (tmp_path / "pairs.jsonl").write_text(json.dumps(PAIR) + "\n", encoding="utf-8")


def test_file_with_other_names_of_columns(run: Run) -> None:
    code, out, err = imported(run, *COLUMNS)
    assert (code, "pairs: 1 case added" in out) == (0, True), err
    assert "7" in run("cases", "--dataset", "pairs").out
    shown = run("show", "pairs:7").out
    assert "It is 7." in shown


@pytest.mark.parametrize(
    ("columns", "wrong"),
    [
        (("question",), "--column 'question' is not of the form OURS=THEIRS or OURS==VALUE"),
        (("question=prompt", "question=id"), "--column names 'question' twice"),
        (("question=promt",), "line 1: has no column 'promt'; did you mean prompt"),
        (("prompt=id",), "line 1: has a column 'prompt' already"),
    ],
)
def test_bad_name_is_one_sentence(run: Run, tmp_path: Path, columns: tuple[str, ...], wrong: str) -> None:
    code, _, err = imported(run, *columns)
    assert (code, wrong in err) == (2, True), err
    assert not (tmp_path / "reviewer.db").exists()
