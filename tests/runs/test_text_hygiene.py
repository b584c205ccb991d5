"""Checks of texts that hold for every protocol, each with texts that it names and texts that it must not."""

from collections.abc import Mapping

import pytest

from reviewer.core.table import Table
from reviewer.protocols.base import DatasetCase, DatasetFinding
from reviewer.results.tables.finding_tables import DATASET_DETAILS, dataset_details
from reviewer.runs.check.text_hygiene import TEXT_CHECKS, TEXT_RULES, text_findings
from store.records import Case, JsonValue

FAULTY: Mapping[str, tuple[str, ...]] = {
    "mojibake": ("CafÃ© au lait", "It\u00e2\u20ac\u2122s late", "a \ufffd sign", "5\u00c2\u00a0km"),
    "broken_latex": (r"So $\\frac{1}{2}$ and $x are", r"\\begin{align} x", r"$\\left( \\frac{1}{2} )$"),
    "broken_markdown": ("Look:\n```\ncode", "see [this](https://a.org/b and"),
    "placeholder_left": (
        "Dear [insert name here],",
        "Hi {{ name }}!",
        "TODO: write",
        "As an AI language model, I",
    ),
    "personal_data": (
        "write to ann.lee@uni-mainz.de",
        "call +49 6131 39 22345",
        "DE89 3704 0044 0532 0130 00",
        "4111 1111 1111 1111",
    ),
}
SOUND: Mapping[str, tuple[str, ...]] = {
    "mojibake": ("N\u00c3O", "caf\u00e9 \u4e2d\u6587 \u0645\u0631\u062d\u0628\u0627", "\u20ac5"),
    "broken_latex": ("It costs $5 and $6 or $7.", r"$\\frac{1}{2}$", r"a price of $5 and $\\sqrt{2}$"),
    "broken_markdown": ("```py\nx\n```", "```***2***``` hence", "[a](https://b.org) and 2 * 3"),
    "placeholder_left": ("xxxx oxxxx", "# TODO later\nx = 1", "f'{name}'", "[Your turn](https://a.org)"),
    "personal_data": ("a@example.com", "ring 555-1234", "1234 5678 9012 3456", "version 10.2.3.4"),
}


@pytest.mark.parametrize(("check", "text"), [(c, text) for c, texts in FAULTY.items() for text in texts])
def test_fault_is_named(check: str, text: str) -> None:
    assert TEXT_RULES[check].passage(text)


@pytest.mark.parametrize(("check", "text"), [(c, text) for c, texts in SOUND.items() for text in texts])
def test_sound_text_passes(check: str, text: str) -> None:
    assert TEXT_RULES[check].passage(text) == ""


def findings(
    payloads: Mapping[str, dict[str, JsonValue]], **published: JsonValue
) -> dict[str, DatasetFinding]:
    cases = [DatasetCase(key, Case.of("p", "g", 1, payload), published) for key, payload in payloads.items()]
    return {finding.check: finding for finding in text_findings(cases)}


def test_every_check_has_a_result_and_names_its_cases() -> None:
    found = findings({"a": {"text": "CafÃ©"}, "b": {"parts": [{"text": "sound"}]}})
    assert {*found} == {*TEXT_CHECKS}
    assert {name for name, finding in found.items() if finding.state == "failed"} == {"mojibake"}
    assert found["mojibake"].says == "1 case of 2: a: CafÃ©."
    table: Table = DATASET_DETAILS.for_programs([*dataset_details(found["mojibake"])])
    assert (table.rows[0][0], table.rows[0][1], table.rows[0][-1]) == ("mojibake", "CafÃ©", "a")


SENTENCE = (
    "The team of the service number {} must decide today whether to release it or to wait for more tests."
)


def test_text_that_ends_within_a_sentence() -> None:
    payloads: dict[str, dict[str, JsonValue]] = {str(n): {"text": SENTENCE.format(n)} for n in range(30)}
    payloads["cut"] = {
        "text": "The team must decide today, and its members have talked for hours about the rel"
    }
    payloads["title"] = {"text": "Constraints of the list:\n" * 4 + "0 <= nums[i] < nums.length"}
    assert findings(payloads)["truncated_end"].says.startswith("1 case of 32: cut: ")


def test_near_copies_differ_in_a_few_words() -> None:
    long = " ".join(f"word{n} and{n}" for n in range(60))
    texts = {"a": long, "b": f"{long} more", "c": " ".join(f"other{n}" for n in range(60))}
    found = findings({key: {"text": text} for key, text in texts.items()})["near_copies"]
    assert (found.value["keys"], found.repeating) == ([["a", "b"]], {"a", "b"})


def test_place_of_the_right_option_and_answers_that_are_nearly_always_right() -> None:
    def shares(field: str, *values: str) -> DatasetFinding:
        return findings({str(n): {field: value} for n, value in enumerate(values)})["answer_shares"]

    assert shares("correct_option", *"A" * 22, *"B" * 18).state == "passed"
    places = shares("correct_option", *"A" * 28, *"B" * 12)
    assert (places.severity, places.says) == ("untidy", "correct_option is A in 28 of 40 cases (70%).")
    always = shares("right_answer", *["first"] * 40)
    assert (always.severity, always.says) == ("doubtful", "right_answer is first in 40 of 40 cases (100%).")
    assert shares("answer", *["yes"] * 40).state == "passed"
    assert shares("answer", *["yes"] * 28, *["no"] * 12).state == "passed"
    assert shares("answer", *["yes"] * 36, *["no"] * 4).severity == "doubtful"
    assert shares("colour", *["red"] * 39, "blue").state == "passed"


def test_answer_that_stands_in_its_question() -> None:
    given = {"question": "Who wrote it? Hint: Mary Shelley wrote it.", "answer": "mary shelley"}
    kept = {
        "question": "Who wrote Frankenstein?",
        "answer": "Mary Shelley",
        "context": "Mary Shelley wrote it.",
    }
    found = findings({"given": {**given}, "kept": {**kept}})["answer_given_away"]
    assert found.value["found"] == {"given": "mary shelley"}
