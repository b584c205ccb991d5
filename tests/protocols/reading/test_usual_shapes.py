"""Replies that name one choice in a usual shape are all read, for choices of many kinds."""

import json
from pathlib import Path

import pytest

from reviewer.protocols.reading.answer_reader import chosen_in
from reviewer.protocols.reading.choices import LETTERS, Choices
from tests.rounds import mostly_slow, rounds

CORPUS = Path(__file__).parent / "corpus"
SIGNED = ("-20%", "-10%", "No change", "+10%", "+20%")
AMOUNTS = tuple(f"€{number}" for number in range(5, 60, 5))
MORE = (SIGNED, AMOUNTS, ("Yes", "No"), ("No training", "One day of training", "Two days of training"))
NUMBERED = (
    "Option {n}",
    "option {n}.",
    "**Option {n}**",
    "Option {n}: {t}",
    "Option {n} – {t}",
    "Option {n} ({t}), as I said above.",
    "I chose Option {n}: {t}.",
    "My selection: Option {n}",
    "Option no. {n}",
    'That was Option {n}: "{t}"',
    "The answer is Option {n}, i.e. {t}.",
    "Option {n}\n\nReason: it fits the budget best.",
    'I chose "{t}".',
)
LETTERED = (
    "{n}",
    "**{n}**",
    "{n}) {t}",
    "{n}: {t}",
    "**{n}. {t}**",
    "Answer: {n}. {t}",
    "The answer is {n}.",
    "{t}",
    'My answer is "{t}".',
    "The best choice is {n}. {t}",
    "I would choose option {n} ({t}).",
)


def lists_of(protocol: str) -> list[tuple[str, ...]]:
    """The different lists of choices in the corpus."""
    texts = [file.read_text(encoding="utf-8") for file in sorted(CORPUS.glob(f"*.{protocol}.*"))]
    return sorted({tuple(json.loads(line)["choices"]) for text in texts for line in text.splitlines()})


@pytest.mark.parametrize("step", rounds(21, [1]))
@mostly_slow(3)
@pytest.mark.parametrize("shape", NUMBERED)
def test_an_option_that_is_named_is_read(shape: str, step: int) -> None:
    for texts in (*lists_of("treatment-tests")[::step], *MORE):
        choices = Choices.numbered(texts)
        for number, text in enumerate(texts, 1):
            reply = shape.format(n=number, t=text)
            assert chosen_in(reply, choices).label == str(number), (reply, texts)


@pytest.mark.parametrize("step", rounds(21, [1]))
@mostly_slow(3)
@pytest.mark.parametrize("shape", LETTERED)
def test_a_choice_that_is_named_is_read(shape: str, step: int) -> None:
    """All but a text that begins with "No," behind a full stop, which reads as taking the letter back."""
    for texts in lists_of("detail-levels")[::step]:
        choices = Choices.lettered(texts)
        for letter, text in zip(LETTERS, texts, strict=False):
            reply = shape.format(n=letter, t=text)
            doubted = shape.endswith("{n}. {t}") and text.startswith("No, ")
            assert chosen_in(reply, choices).label == (None if doubted else letter), (reply, texts)


@pytest.mark.parametrize(
    ("reply", "texts"),
    [
        ("10", AMOUNTS),  # €10 is option 2
        ("10%", SIGNED),
        ("a cut, or a rise, of 10%", SIGNED),
    ],
)
def test_a_number_that_may_mean_two_choices_is_left(reply: str, texts: tuple[str, ...]) -> None:
    assert chosen_in(reply, Choices.numbered(texts)).label is None


def test_a_choice_of_capitals_is_told_from_a_word_without_meaning() -> None:
    departments = Choices.numbered(("Sales", "IT"))
    assert chosen_in('I chose "IT".', departments).label == "2"
    assert chosen_in("I chose it.", departments).label is None


@pytest.mark.parametrize("reply", ["-10%", "I chose −10%.", "I decided on -10%, not on +10%."])
def test_a_sign_tells_numbers_apart(reply: str) -> None:
    assert chosen_in(reply, Choices.numbered(SIGNED)).label == "2"
