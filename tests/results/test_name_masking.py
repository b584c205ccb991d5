"""Names of models are taken out of texts that raters read."""

import pytest

from reviewer.protocols.name_masking import NameMask

MASK = NameMask(["meta-llama/Llama-3-8b-instruct", "vendor/zephyrine-7b"])


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("As Llama, I prefer A.", "As [model], I prefer A."),
        ("As Llama 3, I prefer A.", "As [model], I prefer A."),
        ("As GEMİNİ or KıMI, I prefer A.", "As [model] or [model], I prefer A."),
        ("I am ChatGPT-4o mini, made by OpenAI.", "I am [model], made by [model]."),
        ("meta-llama/Llama-3-8b-instruct says B", "[model] says B"),
        ("Zephyrine thinks that B wins.", "[model] thinks that B wins."),
        ("I'm Claude 3.5, and I choose A.", "I'm [model], and I choose A."),
        ("As Phi-3, I choose A.", "As [model], I choose A."),
        ("Use Copilot for the falcon project, such as Copilot.", None),
        ("An instruct-able model is a chat away.", None),
        ("The llamas graze.", None),
    ],
)
def test_a_name_is_masked_and_other_words_stay(text: str, masked: str | None) -> None:
    assert MASK.masked(text).text == (masked or text)


def test_a_name_of_the_case_itself_stays() -> None:
    kept = MASK.masked("Claude is quicker here.", "Shall we use Claude or a rule?")
    assert (kept.text, kept.names) == ("Claude is quicker here.", ())
    assert MASK.masked("As Llama, I …").names == ("Llama",)


_FILLED = "I weighed what each of the options would cost us in the long run, and for all of the teams. " * 3
"""Longer than what is looked at first."""


@pytest.mark.parametrize(
    ("texts", "may_be"),
    [
        ((f"{_FILLED}A", f"{_FILLED}B"), False),
        (("A is better. " + _FILLED, "B is better. " + _FILLED), False),
        ((f"{_FILLED} As Llama, I choose A.", f"{_FILLED} As Gemma, I choose A."), True),
        ((f"As Llama, I choose A. {_FILLED}", f"As Claude 3.5, I choose A. {_FILLED}"), True),
        ((f"{_FILLED[:95]} Zephyrine", f"{_FILLED[:95]} Llama"), True),
        (("I am Phi3, and choose A.", "I am Yi2, and choose A."), True),
        (("A, I say as an apple.", "B, I say."), False),
    ],
)
def test_texts_that_differ_at_their_beginning_need_no_masking(texts: list[str], may_be: bool) -> None:
    equal = len({MASK.masked(text).text for text in texts}) < len(texts)
    assert (MASK.may_be_equal(texts), equal) == (may_be, may_be)
