"""``agreement --from``: labels of a table, wide or long, without a study or a store."""

import csv
import io
from pathlib import Path

import pytest

from tests.cli.conftest import Result, Run

WIDE = """item,anna,ben,cara
i1,A,A,A
i2,A,B,A
i3,B,B,B
i4,B,B,A
i5,C,C,C
i6,A,A,
"""


def numbers(run: Run, *options: object) -> list[dict[str, str]]:
    result: Result = run("agreement", "--from", *options, "--interval", "analytic", "--format", "csv")
    assert result.code == 0, result.err
    return list(csv.DictReader(io.StringIO(result.out)))


def long(wide: str) -> str:
    first, *rows = csv.reader(io.StringIO(wide))
    cells = [(row[0], rater, label) for row in rows for rater, label in zip(first[1:], row[1:], strict=True)]
    return "item,annotator,label\n" + "".join(f"{i},{r},{label}\n" for i, r, label in cells if label)


def test_wide_long_and_bare_tables_give_the_same_numbers(run: Run, tmp_path: Path) -> None:
    bare = "".join(line.partition(",")[2] + "\n" for line in WIDE.splitlines())
    for name, content in (("wide", WIDE), ("long", long(WIDE)), ("bare", bare)):
        (tmp_path / f"{name}.csv").write_text(content, encoding="utf-8")
    wide, others = numbers(run, "wide.csv"), [numbers(run, f"{name}.csv") for name in ("long", "bare")]
    assert others == [wide, wide]
    (row,) = wide
    # 4 of 6 items without a dissent; of 16 pairs of raters 12 agree, by item 1, 1/3, 1, 1/3, 1, 1.
    assert (row["items"], row["raters"], row["labels"]) == ("6", "3", "17")
    assert float(row["po_all_agree"]) == pytest.approx(4 / 6)
    assert float(row["po_pairwise"]) == pytest.approx((4 + 2 / 3) / 6)
    assert {"fleiss_kappa_low", "krippendorff_alpha", "gwet_ac1", "brennan_prediger", "conger_kappa"} <= {
        *row
    }
    assert not (tmp_path / "reviewer.db").exists()
    assert "subgroup" not in run("agreement", "--from", "wide.csv", "--interval", "none").out


def test_sentences_say_what_the_numbers_rest_on(run: Run, tmp_path: Path) -> None:
    (tmp_path / "wide.csv").write_text(WIDE.translate(str.maketrans("ABC", "123")), encoding="utf-8")
    plain = run("agreement", "--from", "wide.csv", "--interval", "none")
    assert "label: labels are numbers, compared as names; --order numbers orders them." in plain.err
    assert "label: items have from 2 to 3 labels." in plain.err
    ordered = run("agreement", "--from", "wide.csv", "--interval", "none", "--order", "1,2,3")
    assert "AC2 quadratic" in ordered.out
    assert "one step apart on 2 of 6 items" in ordered.err


def test_questions_have_a_row_each(run: Run, tmp_path: Path) -> None:
    table = "item,rater,fits,grade\n1,anna,yes,3\n1,ben,yes,4\n2,anna,no,3\n2,ben,yes,3\n"
    (tmp_path / "table.csv").write_text(table, encoding="utf-8")
    assert [row["question"] for row in numbers(run, "table.csv")] == ["fits", "grade"]


@pytest.mark.parametrize(
    ("content", "options", "wrong"),
    [
        (
            "item,a,b,points\n1,1,2,3\n2,2,2,4\n3,1,1,2\n",
            (),
            "has a column 'points', which is the sum or the mean of the others; name the columns",
        ),
        ("item,a,b,Total\n1,1,1,1\n2,2,1,1\n", (), "has a column 'Total', which sums up others by its name"),
        ("item,text,a,b\n1,A long text of an item,x,y\n", (), "has a column 'text', which holds texts"),
        ("item,a,b,year\n1,x,y,2020\n2,x,x,2021\n", (), "'year', which has no value that another one has"),
        ("item,rater,label\n1,a,x\n1,a,y\n", (), "has another label of rater a for item 1; leave x or y out"),
        ("item,label\n1,x\n1,y\n", (), "names no rater; name the column of the rater with --rater-field"),
        ("item,a,b\n1,x,y\n", ("--order", "1,2"), "--order fits no question of 't.csv': its labels are x, y"),
        ("item,a,b\n1,x,y\n", ("--rater-columns", "a,c"), "has no column 'c'"),
        ("item,a,b\n1,,\n", (), "holds no label (left out: 2 empty)"),
    ],
)
def test_bad_table_is_one_sentence(
    run: Run, tmp_path: Path, content: str, options: tuple[str, ...], wrong: str
) -> None:
    (tmp_path / "t.csv").write_text(content, encoding="utf-8")
    refused = run("agreement", "--from", "t.csv", *options)
    assert (refused.code, refused.out) == (2, "")
    assert wrong in refused.err
    assert refused.err.count("\n") == 1


def test_study_and_file_exclude_each_other(run: Run, tmp_path: Path) -> None:
    (tmp_path / "wide.csv").write_text(WIDE, encoding="utf-8")
    assert "leave the study and its options out" in run("agreement", "pilot", "--from", "wide.csv").err
    assert "leave the study and its options out" in run("agreement", "--from", "wide.csv", "--raters").err
    assert "Name a study, or a file of labels with --from" in run("agreement").err


def test_repeated_labels_count_once_and_second_showings_not(run: Run, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(long(WIDE) + "i1,anna,A\n", encoding="utf-8")
    assert "1 label repeated in other rows, counted once" in run("agreement", "--from", "t.csv").err


RANKED = """item,anna,ben,cara
1,A > B > C,A > B > C,A > C = B
2,B > A > C,A > B > C,b > a > c
3,C > A > B,C > A > B,C > B > A
"""


def test_a_table_of_rankings_has_the_coefficients_of_rankings(run: Run, tmp_path: Path) -> None:
    (tmp_path / "ranked.csv").write_text(RANKED, encoding="utf-8")
    (row,) = numbers(run, "ranked.csv")
    assert (row["items"], row["raters"], row["labels"]) == ("3", "3", "9")
    assert 0.7 < float(row["kendall_w"]) < 1
    assert 0.5 < float(row["kendall_tau_b"]) < 1
    assert "fleiss_kappa" not in row


@pytest.mark.parametrize("label", ["A > B", ">50", "A > B > D", "A"])
def test_a_table_with_something_else_has_labels(run: Run, tmp_path: Path, label: str) -> None:
    (tmp_path / "mixed.csv").write_text(f"{RANKED}4,{label},{label},{label}\n", encoding="utf-8")
    (row,) = numbers(run, "mixed.csv")
    assert "fleiss_kappa" in row
