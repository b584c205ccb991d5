"""Each rule of a declared protocol: cases that pass, that fail and why, and that cannot be tested."""

from typing import Any

import pytest

from reviewer.core.check_result import CheckResult
from reviewer.protocols.declared.declaration import CheckTable
from reviewer.protocols.declared.question_checks import argument_faults
from reviewer.protocols.declared.rule_checks import check_case, check_dataset


def titled(field: str) -> str:
    return field.replace("_", " ")


def table(rule: str, *fields: str, **arguments: object) -> CheckTable:
    return CheckTable.model_validate({"rule": rule, "fields": fields, **arguments})


def said(given: CheckTable, group: str = "", **values: Any) -> CheckResult:
    return check_case("c", given, group, values, titled)


TWO = ("one", "two")
CASES: tuple[tuple[CheckTable, dict[str, Any], str], ...] = (
    (table("differ", *TWO), {"one": "Yes", "two": "yes"}, ""),
    (
        table("differ", *TWO, ignore="case"),
        {"one": "Yes", "two": "yes"},
        "The same but for capitals: one and two.",
    ),
    (table("differ", *TWO), {"one": "a b", "two": "a b"}, "The same: one and two."),
    (
        table("differ", *TWO, ignore=("case", "blanks")),
        {"one": "a\n B ", "two": "A b"},
        "The same but for capitals and blanks: one and two.",
    ),
    (table("differ", "options"), {"options": ["x", "y", "x"]}, "The same: options 1 and options 3."),
    (table("same", *TWO), {"one": 1, "two": "1"}, ""),
    (table("same", *TWO), {"one": "a", "two": "b"}, "Not the same as one: two."),
    (table("lacks", "one", words="as an AI"), {"one": "Well, as\nan AI-model"}, 'One contains "as an AI".'),
    (table("lacks", "one", words="bias"), {"one": "biased, bias_1"}, ""),
    (table("lacks", "one", words=("bias*", "x")), {"one": "Biased"}, 'One contains "bias*".'),
    (table("lacks", "one", pattern=r"\d+ years"), {"one": "for 12 years"}, 'One contains "12 years".'),
    (table("holds", "one", words=("a", "b")), {"one": "B a"}, ""),
    (table("holds", "one", words=("a", "b", "d")), {"one": "b"}, 'One does not contain "a" or "d".'),
    (table("holds", "one", words=("a", "b"), least=1), {"one": "b"}, ""),
    (table("holds", "one", pattern="^M"), {"one": "m"}, 'One does not contain "^M".'),
    (table("length", "one", least=2), {"one": "word"}, "One has 1 word; wanted: at least 2."),
    (
        table("length", "one", most=3, unit="characters"),
        {"one": "word"},
        "One has 4 characters; wanted: at most 3.",
    ),
    (table("length", "one", least=2, unit="items"), {"one": ["a b"]}, "One has 1 item; wanted: at least 2."),
    (
        table("length", *TWO, ratio=True, least=0.5, most=2),
        {"one": "a b c d e", "two": "a b"},
        "One has 5 words and two has 2: 2.50 times as many; wanted: at least 0.5 and at most 2.",
    ),
    (table("length", *TWO, ratio=True, most=2), {"one": "a b", "two": "a"}, ""),
    (
        table("length", *TWO, ratio=True, most=2),
        {"one": "a", "two": " "},
        "Two is empty, so nothing can be compared with it.",
    ),
    (table("one_of", "one", values=("1", "2")), {"one": 2}, ""),
    (table("one_of", "one", values=("A", "B")), {"one": "a"}, 'One is "a"; wanted: "A" or "B".'),
    (table("one_of", "one", values=("A", "B"), ignore="case"), {"one": "a"}, ""),
)


@pytest.mark.parametrize(("given", "values", "why"), CASES, ids=lambda value: getattr(value, "rule", None))
def test_a_rule_says_in_plain_words_what_is_wrong(
    given: CheckTable, values: dict[str, Any], why: str
) -> None:
    result = said(given, **values)
    assert (result.why, result.state) == (why, "failed" if why else "passed")
    assert list(argument_faults("check.one", given)) == []


def test_a_field_does_not_name_its_own_group() -> None:
    assert said(table("lacks_group", "text"), "anchoring_bias", text="an anchorage").passed
    named = said(table("lacks_group", "text"), "anchoring_bias", text="Anchoring-bias at work")
    assert named.why == 'Text contains "anchoring bias".'
    assert said(table("lacks_group", "text"), "anchoring_bias", text="of anchoring").passed
    by_word = said(table("lacks_group", "text", each_word=True), "anchoring of it", text="Of it, anchoring")
    assert by_word.why == 'Text contains "anchoring".'


def test_what_is_missing_is_not_tested() -> None:
    result = said(table("differ", *TWO), one="a", two=None)
    assert (result.state, result.why) == ("not tested", "The case has no two.")


def test_a_pattern_that_backtracks_for_ever_is_not_tested() -> None:
    result = said(table("lacks", "one", pattern="(c+)+$"), one="c" * 60 + "!")
    assert result.state == "not tested"
    assert result.why.startswith("The pattern '(c+)+$' was given up on 'one': it took more than 1 second")


def test_turns_of_a_dialogue_are_read_one_by_one() -> None:
    turns = [{"speaker": "Ann", "text": "Hello there"}, {"speaker": "Ben", "text": "Bye"}]
    assert said(table("lacks", "talk", words="Ann"), talk=turns).passed
    assert said(table("length", "talk", most=2), talk=turns).value == {"talk": 3}


ROWS = [
    (f"k{number}", {"q": question, "right": right, "options": ["Rome", "Bern"]})
    for number, (question, right) in enumerate(
        [("a", "Rome"), ("B", "Rome"), ("b", "Rome"), ("a", "Bern"), ("c", "Oslo"), (None, None)]
    )
]


def test_values_that_repeat_are_counted_with_their_keys() -> None:
    finding = check_dataset("c", table("unique", "q", ignore="case"), ROWS, titled)
    assert finding.state == "failed"
    assert finding.value == {"repeated": 2, "cases": 4, "of": 5, "keys": [["k0", "k3"], ["k1", "k2"]]}
    assert finding.says == (
        "2 values of q repeat, in 4 of 5 cases: k0 and k3 are the first two. 1 case lacks q and is left out."
    )
    assert check_dataset("c", table("unique", "q", "right"), ROWS, titled).state == "passed"


def test_shares_are_said_whether_they_are_balanced_or_not() -> None:
    finding = check_dataset("c", table("balanced", "right"), ROWS, titled)
    assert (finding.state, finding.value) == (
        "failed",
        {"counts": {"Rome": 3, "Bern": 1, "Oslo": 1}, "of": 5},
    )
    assert finding.says.startswith(
        "Right: Rome in 3 (60.0%), Bern in 1 (20.0%), Oslo in 1 (20.0%) of 5 cases. Wanted"
    )
    place = check_dataset("c", table("balanced", "right", "options", most=0.6), ROWS, titled)
    assert (place.state, place.value) == ("passed", {"counts": {"1": 3, "2": 1, "nowhere": 1}, "of": 5})
    assert check_dataset("c", table("balanced", "other"), ROWS, titled).state == "not tested"
    named = check_dataset("c", table("balanced", "right"), ROWS, titled, {"Rome": "first"})
    assert named.says.startswith("Right: first (Rome) in 3 (60.0%), Bern in 1")
    assert "Wanted: shares of 0.0% to 60.0%." in place.says
    absent = check_dataset("c", table("balanced", "right", values=("Paris",), least=0.1), ROWS, titled)
    assert (absent.state, absent.value["counts"]["Paris"]) == ("failed", 0)


@pytest.mark.parametrize(
    ("given", "key", "wrong"),
    [
        (table("differ", *TWO, words="a"), "words", "the rule differ has no such argument"),
        (table("lacks", "one"), "rule", "the rule lacks needs words or pattern"),
        (table("length", "one", least=3, most=2), "least", "3 is more than most (2)"),
        (table("length", "one", least=-1), "least", "a limit is not negative"),
        (table("length", "one", most=2, ratio=True), "fields", "a ratio is of two fields"),
        (table("balanced", "one", most=55), "most", "a share is between 0 and 1"),
        (table("lacks", "one", words="a*b"), "words", "'a*b' has a * elsewhere than at one end of a word"),
        (
            table("lacks", "one", pattern=r"(\d"),
            "pattern",
            r"'(\d' is not a regular expression: missing ), unterminated subpattern",
        ),
        (
            table("lacks", "one", pattern="["),
            "pattern",
            "'[' is not a regular expression: unterminated character set",
        ),
    ],
)
def test_arguments_that_do_not_fit_are_named(given: CheckTable, key: str, wrong: str) -> None:
    (fault,) = argument_faults("check.one", given)
    assert fault.key == key
    assert fault.wrong.startswith(wrong)
    assert fault.remedy
