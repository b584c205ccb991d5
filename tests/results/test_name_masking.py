"""Names of models are taken out of texts that raters read."""

import pytest

from reviewer.protocols.name_masking import NameMask

MASK = NameMask(["meta-llama/Llama-3-8b-instruct", "vendor/zephyrine-7b"])


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("As Llama, I prefer A.", "As [model], I prefer A."),
        ("As Llama 3, I prefer A.", "As [model], I prefer A."),
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
