"""Replies of models, in all the ways in which models write them."""

import subprocess
import sys
from pathlib import Path

import pytest

from reviewer.protocols.probe_swe.generation_replies import (
    UnusableReply,
    explanation_in,
    pairs_in,
    programs_in,
    text_in,
    yes_in,
)

ROOT = Path(__file__).parents[3]
ONE, TWO = "I wait.\n\n- Option A: x\n\nWhich?", "I wait, as all do. Which?"
PAIRS = {
    "as asked": "# Pair 1\n\n## Unbiased\n```\n{0}\n```\n\n## Biased\n```\n{1}\n```",
    "prose around": "Sure!\n# Pair 1\n\n## Unbiased\n```\n{0}\n```\n## Biased\n```\n{1}\n```\nShall I?",
    "no fences": "# Pair 1\n\n## Unbiased\n{0}\n\n## Biased\n{1}",
    "tildes and a language": "# Pair 1\n## Unbiased\n~~~text\n{0}\n~~~\n## Biased\n~~~\n{1}\n~~~",
    "typographic fences": "# Pair 1\n## Unbiased\n‘‘‘\n{0}\n‘‘‘\n## Biased\n‘‘‘\n{1}\n‘‘‘",
    "bold headings": "**Pair 1**\n\n**Unbiased:**\n{0}\n\n**Biased**:\n{1}",
    "longer headings": "### Dilemma pair 1: waiting\n#### Unbiased dilemma\n{0}\n#### Biased version\n{1}",
    "fenced as a whole": "```markdown\n# Pair 1\n\n## Unbiased\n{0}\n\n## Biased\n{1}\n```",
    "no pair heading": "Unbiased:\n{0}\n\nBiased:\n{1}",
    "other order": "# Pair 1\n## Biased\n```\n{1}\n```\n## Unbiased\n```\n{0}\n```",
    "windows": "# Pair 1\r\n## Unbiased\r\n```\r\n{0}\r\n```\r\n## Biased\r\n```\r\n{1}\r\n```\r\n",
}


@pytest.mark.parametrize("form", PAIRS)
def test_a_pair_is_read_however_it_is_laid_out(form: str) -> None:
    assert pairs_in(PAIRS[form].format(ONE, TWO)) == [(ONE, TWO)]


def test_headings_inside_a_fence_are_text() -> None:
    tricky = "I write\n## Biased\n# Pair 9\nand ask. Which?"
    assert pairs_in(PAIRS["as asked"].format(tricky, TWO)) == [(tricky, TWO)]


def test_each_pair_stands_for_itself() -> None:
    half = "# Pair 2\n## Unbiased\n```\nalone\n```"
    whole = PAIRS["as asked"].format(ONE, TWO)
    found = pairs_in(f"{whole}\n\n{half}\n\n{whole.replace('Pair 1', 'Pair 3')}")
    assert found[0] == found[2] == (ONE, TWO)
    assert found[1] == "Pair 2 of the reply lacks its biased text, or has two."


def test_a_reply_that_breaks_off_in_a_pair_keeps_those_before() -> None:
    whole = PAIRS["as asked"].format(ONE, TWO)
    found = pairs_in(f"{whole}\n\n# Pair 2\n\n## Unbiased\n```\nI was cut o")
    assert found[0] == (ONE, TWO)
    assert "Pair 2" in str(found[1])


PROGRAMS = {
    "Axioms": "best(X) :- tested(X).",
    "Unbiased": ":- consult('axioms').\ntested(option_A).\ndecide_option(user, X) :- best(X).",
    "Biased": ":- consult('axioms').\ntested(option_A).\nall.\ndecide_option(user, X) :- best(X).",
    "Axioms in words": "The best practice is: test.",
}


def translation(**changed: str) -> str:
    texts = PROGRAMS | {name.replace("_", " "): text for name, text in changed.items()}
    return "\n\n".join(f"## {name}\n```prolog\n{text}\n```" for name, text in texts.items() if text)


def test_a_translation_is_read() -> None:
    assert list(programs_in(translation()).values()) == list(PROGRAMS.values())
    published = translation().replace("## Axioms in words", "## NL Representation of Axioms")
    assert programs_in(published)["axioms_description"] == PROGRAMS["Axioms in words"]


@pytest.mark.parametrize(
    ("reply", "complaint"),
    [
        ("", "is empty"),
        ("No.", 'section "Axioms" is missing'),
        (translation(Biased=""), 'section "Biased" is missing'),
        (translation(Unbiased="tested(option_A)."), 'program "Unbiased" does not define decide_option'),
        (translation(Unbiased=PROGRAMS["Biased"], Biased=PROGRAMS["Unbiased"]), "look exchanged"),
        (translation() + "\n\n## Axioms\nagain.", 'two sections "Axioms"'),
        (translation() + "\0", "a NUL character"),
        (translation() + "x" * 60_000, "more than 60,000"),
    ],
)
def test_what_is_wrong_with_a_translation_is_said(reply: str, complaint: str) -> None:
    with pytest.raises(UnusableReply, match=complaint):
        programs_in(reply)


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        ("Explanation: it has.\nDecision: Yes", True),
        ("Decision: 'No, it has none.'", False),
        ("- Decision: **yes**", True),
        ("Decision: Nothing of the kind", None),
        ("Yes", None),
    ],
)
def test_yes_and_no(reply: str, said: bool | None) -> None:
    assert yes_in(reply) is said


def test_explanations_and_texts_are_plain() -> None:
    assert explanation_in("Explanation: all\nof it.\nDecision: Yes") == "all\nof it."
    assert explanation_in("Decision: Yes") == ""
    assert text_in("```\nI wait.\n```") == "I wait."
    assert text_in('"I wait."') == "I wait."
    assert text_in('"A" or "B"?') == '"A" or "B"?'


def test_a_reply_of_empty_lines_is_soon_read() -> None:
    reads = "yes_in(text), explanation_in(text), explanation_in('Explanation: ' + text)"
    program = f"from {yes_in.__module__} import *\ntext = 'x' + chr(10) * 59_000\nfor _ in range(3): {reads}"
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60, cwd=ROOT)
