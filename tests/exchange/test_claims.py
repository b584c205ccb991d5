"""A paper's numbers: how each is read, compared as printed, and refused."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from reviewer.core.errors import InputError, RequestError
from reviewer.exchange.claims.claim_checks import CLAIMS, CheckedClaim, checked_claims, claims_in_words
from reviewer.exchange.claims.claims_file import (
    Claim,
    PrintedNumber,
    Rounding,
    claims_of_report,
    printed_number,
    read_claims,
)

ROWS = [
    {"question": "same task", "kind": "cell", "kappa": 0.475, "kappa_undefined": None, "items": 40},
    {"question": "axioms", "kind": "cell", "kappa": None, "kappa_undefined": "all labels alike", "items": 40},
]


def number(text: str, times: int = 1) -> PrintedNumber:
    read = printed_number(text, times)
    assert read is not None
    return read


def written(path: Path, text: str) -> Path:
    file = path / "claims.toml"
    file.write_text(text, encoding="utf-8")
    return file


def entry(**fields: str) -> str:
    named = {"where": '"Table 1"', "printed": '".48"', "command": '"agreement pilot"', **fields}
    return "[[claim]]\n" + "".join(f"{name} = {value}\n" for name, value in named.items())


def one(path: Path, rows: Sequence[Mapping[str, Any]] = ROWS, **fields: str) -> CheckedClaim:
    """What the one claim of a file comes to."""
    claims = read_claims(written(path, entry(**fields)))
    (checked,) = checked_claims(claims, lambda command: rows, lambda done: None)
    return checked


@pytest.mark.parametrize(
    ("text", "value", "rounding", "fits"),
    [
        (".48", 0.475, "half-up", True),  # 0.475 is less than half in binary, and is printed as .48
        (".47", 0.475, "half-up", False),
        (".48", 0.475, "half-even", True),
        (".46", 0.465, "half-even", True),
        (".47", 0.479, "down", True),
        ("65.71%", 230 / 350, "half-up", True),
        ("65.72 %", 230 / 350, "half-up", False),
        ("1,204", 1204, "half-up", True),
        ("−.33", -1 / 3, "half-up", True),
        ("0.00", -0.001, "half-up", True),
        ("<.001", 4.7e-6, "half-up", True),
        ("<.001", 0.001, "half-up", False),
        ("14.000000000000002%", 0.14, "half-up", True),  # only twelve digits are compared
        ("14.00000000001%", 0.14, "half-up", True),
        ("14.0000000012%", 0.14, "half-up", False),
    ],
)
def test_a_value_is_compared_as_it_is_printed(
    text: str, value: float, rounding: Rounding, fits: bool
) -> None:
    assert number(text).fits(value, rounding) is fits


@pytest.mark.parametrize(
    "text", ["", "12 ms", ".3–.5", "0.3-0.5", "about 3", "1,20", "1e-3", "%", ".", "nan", "٣"]
)
def test_what_is_not_one_number_is_none(text: str) -> None:
    assert printed_number(text) is None


@pytest.mark.parametrize(
    ("text", "value", "shown"),
    [(".48", 0.475, ".48"), ("0.5", 0.475, "0.5"), ("65.71%", 0.6, "60.00%"), ("-.5", -0.25, "-.3")],
)
def test_a_recomputed_value_is_shown_like_the_printed_one(text: str, value: float, shown: str) -> None:
    assert number(text).text(value, "half-up") == shown


@pytest.mark.parametrize(
    ("printed", "remark"),
    [
        (".475", ""),
        ("1,204", ""),
        ("0.475000000000", ""),
        ("0.4750000000000", "only 12 digits are compared"),
        ("47.50000000000001%", "only 12 digits are compared"),
    ],
)
def test_digits_that_are_not_compared_are_named(tmp_path: Path, printed: str, remark: str) -> None:
    row = '{ question = "same task", kind = "cell" }'
    found = one(tmp_path, row=row, column='"kappa"', printed=f'"{printed}"')
    assert found.detail == remark


def test_a_share_that_no_whole_number_gives() -> None:
    assert number("65.71%").share_of(350, "half-up") == 230
    assert number("65.73%").share_of(350, "half-up") is None
    assert number("65.7", 100).share_of(350, "half-up") == 230
    assert number("1.00").share_of(7, "half-up") == 7
    assert number(".00").share_of(7, "half-up") == 0
    possible = {round(100 * count / 23) for count in range(24)}
    assert all((number(f"{p}%").share_of(23, "half-up") is not None) == (p in possible) for p in range(101))


def test_a_claim_is_reproduced_or_differs_with_both_numbers(tmp_path: Path) -> None:
    row = '{ question = "same task", kind = "cell" }'
    found = one(tmp_path, row=row, column='"kappa"')
    assert (found.state, found.value, found.recomputed, found.detail) == ("reproduced", 0.475, ".48", "")
    wrong = one(tmp_path, row=row, column='"kappa"', printed='".41"')
    assert (wrong.state, wrong.recomputed) == ("differs", ".48")


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        (
            {"row": '{ question = "axioms" }', "column": '"kappa"'},
            "there is no value there: all labels alike",
        ),
        (
            {"row": '{ kind = "cell" }', "column": '"kappa"'},
            "2 rows have kind cell; name one row by its columns",
        ),
        (
            {"row": '{ question = "none" }', "column": '"kappa"'},
            "no row has question none; name one row by",
        ),
        ({"column": '"kapa"'}, "the table has no column kapa; did you mean kappa"),
        (
            {"row": '{ question = "axioms" }', "column": '"kind"'},
            "the cell holds cell, which is not a number",
        ),
        ({"command": '""'}, "no command gives it"),
    ],
)
def test_a_claim_that_cannot_be_recomputed_says_why(tmp_path: Path, fields: dict[str, str], why: str) -> None:
    found = one(tmp_path, **fields)
    assert (found.state, found.value, found.recomputed) == ("cannot be recomputed", None, "")
    assert found.detail.startswith(why)


def test_an_empty_table_and_a_refused_command_say_why(tmp_path: Path) -> None:
    assert one(tmp_path, rows=[]).detail == "the table has no rows"

    def refused(command: str) -> Sequence[Mapping[str, Any]]:
        raise RequestError("anna has cases to answer; wait for her.")

    claims = read_claims(written(tmp_path, entry() + entry()))
    checked = checked_claims(claims, refused, lambda done: None)
    assert {each.detail for each in checked} == {"anna has cases to answer; wait for her"}


def test_an_impossible_share_is_named_whatever_is_computed(tmp_path: Path) -> None:
    row = '{ question = "same task" }'
    found = one(tmp_path, row=row, column='"kappa"', n="7")
    assert (found.state, found.detail) == ("reproduced", "no whole number of 7 gives this share")
    alone = one(tmp_path, command='""', n="7")
    assert alone.detail == "no command gives it; no whole number of 7 gives this share"
    assert claims_in_words([found, alone]) == (
        "2 numbers: 1 reproduced, 1 cannot be recomputed, 2 printed shares that no whole number gives."
    )


def test_a_command_is_carried_out_once_for_all_its_claims(tmp_path: Path) -> None:
    asked: list[str] = []

    def table_of(command: str) -> Sequence[Mapping[str, Any]]:
        asked.append(command)
        return ROWS

    claims = read_claims(written(tmp_path, entry() + entry(command='"effects run"') + entry()))
    counts: list[int] = []
    checked_claims(claims, table_of, counts.append)
    assert (asked, counts) == (["agreement pilot", "effects run"], [1, 2, 3])


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "has no claims; write each number as [[claim]]."),
        ("claim = 3", "has no claims; write each number as [[claim]]."),
        ("claim = [3]", "claim 1: is not a table; write it as [[claim]] with its fields below."),
        ("[[claims]]\nprinted = '1'", "claims: is not a claim; write each number as [[claim]]."),
        (entry(printed='"12 ms"'), "claim 1, printed: 12 ms is not one number; write one number as it is"),
        (entry(printed='".3–.5"'), "claim 1, printed: .3–.5 is not one number; write one number as it is"),
        (entry() + entry(printed="0.5"), "claim 2, printed: is not a text; write it in quotes, so that its"),
        (entry(where='""'), "claim 1, where: is not a text; write it as text in quotes."),
        (entry(colunm='"kappa"'), "claim 1: has an unknown field colunm; did you mean column."),
        (entry(n="0"), "claim 1, n: is not a whole number of at least 1; write such a number."),
        (entry(n="true"), "claim 1, n: is not a whole number of at least 1; write such a number."),
        (
            entry(rounding='"up"'),
            "claim 1, rounding: up is not a way of rounding; write half-up, half-even, down.",
        ),
        (entry(row="[1]"), "claim 1, row: does not name columns with their values; write it as"),
        ("[[claim]]\nwhere = 'x'", "claim 1, printed: is missing; write it in quotes"),
    ],
)
def test_bad_claims_are_one_sentence(tmp_path: Path, text: str, sentence: str) -> None:
    with pytest.raises(InputError) as refused:
        read_claims(written(tmp_path, text))
    assert sentence in str(refused.value)


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    claim = Claim(
        'a "b"\x7f\n', ".48", number(".48"), "agreement pilot", {"a b": "ü\u202e", "c": ""}, "kappa"
    )
    assert read_claims(written(tmp_path, claims_of_report([claim]))) == [claim]


def test_the_table_has_both_numbers(tmp_path: Path) -> None:
    found = one(tmp_path, row='{ question = "same task" }', column='"kappa"')
    table = CLAIMS.for_programs([found])
    assert dict(zip(table.columns, table.rows[0], strict=True)) == {
        "where": "Table 1",
        "printed": ".48",
        "recomputed": ".48",
        "value": 0.475,
        "result": "reproduced",
        "detail": "",
        "command": "agreement pilot",
        "column": "kappa",
    }
