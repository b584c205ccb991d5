"""The list of biases: complete, with a definition of its own for each, and without a name for two of them."""

from collections import Counter

from reviewer.protocols.staged_dialogues.biases import BIASES, DEFINITIONS, OUTSIDE


def test_list_has_72_biases_with_different_definitions() -> None:
    assert len(BIASES) == 72
    assert len({bias.definition for bias in (*BIASES, *OUTSIDE)}) == len(DEFINITIONS) == 73


def test_no_spelling_means_two_biases() -> None:
    spellings = Counter(
        " ".join(spelling.replace("-", " ").casefold().split())
        for bias in (*BIASES, *OUTSIDE)
        for spelling in (bias.name, *bias.also)
    )
    assert [spelling for spelling, number in spellings.items() if number > 1] == []


def test_biases_with_one_published_definition_and_the_one_outside_say_so() -> None:
    noted = {bias.name: bias.note for bias in (*BIASES, *OUTSIDE) if bias.note}
    assert "same words" in noted["Contrast effect"]
    assert noted["Contrast effect"] == noted["Distinction bias"]
    assert "none of the 72" in noted["Order bias"]
