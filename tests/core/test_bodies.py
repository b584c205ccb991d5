"""Variants and dialogues as plain values."""

from dataclasses import replace

import pytest

from reviewer.core.dialogue import Dialogue, Turn
from reviewer.core.pane import Pair, Pane, Text, Variants


def some_texts(count: int) -> tuple[tuple[str, Text], ...]:
    return tuple((f"level {number}", Text(f"text {number}")) for number in range(1, count + 1))


def test_variants_are_two_to_nine_texts() -> None:
    for count in (2, 9):
        assert len(Variants(some_texts(count)).texts) == count
    for count in (0, 1, 10):
        with pytest.raises(ValueError, match=f"{count} texts as variants; give 2 to 9"):
            Variants(some_texts(count))


def test_neighbours_are_compared_as_the_variants_are() -> None:
    variants = Variants(some_texts(3), compared=False)
    pair = variants.neighbours(1)
    assert pair == Pair("level 2", "level 3", Text("text 2"), Text("text 3"), compared=False)
    assert Pane("levels", "levels", variants).texts == ("text 1", "text 2", "text 3")
    assert variants.text == "level 1\ntext 1\n\nlevel 2\ntext 2\n\nlevel 3\ntext 3"


def test_an_exchanged_pair_stays_uncompared() -> None:
    pair = Pair("a", "b", Text("one"), Text("two"), compared=False)
    assert pair.exchanged() == Pair("b", "a", Text("two"), Text("one"), compared=False)


def test_a_dialogue_says_who_speaks_to_whom() -> None:
    turns = (
        Turn("", "You invest.", ("Alex",), "system"),
        Turn("Taylor", "The market moved.", way="all"),
        Turn("Alex", "What now?", ("Taylor",), "one"),
        Turn("Taylor", "Wait.", ("Alex", "Sam"), "some"),
    )
    dialogue = Dialogue(turns)
    assert dialogue.heads == (
        "1  system → Alex (from the system)",
        "2  Taylor (to all)",
        "3  Alex → Taylor (to one)",
        "4  Taylor → Alex, Sam (to some)",
    )
    assert dialogue.speakers == ("system", "Taylor", "Alex")
    assert replace(dialogue, subject="Alex").speakers == ("Alex", "system", "Taylor")
    assert Pane("script", "script", dialogue).texts == (dialogue.text,)
    assert dialogue.text.startswith("1  system → Alex (from the system)\nYou invest.\n\n2  Taylor")


def test_where_every_turn_is_to_all_only_the_speakers_are_named() -> None:
    assert Dialogue((Turn("user", "Hm?"), Turn("assistant", "Yes."))).heads == ("1  user", "2  assistant")


def test_a_turn_has_a_known_way_and_as_many_addressees_as_fit_it() -> None:
    with pytest.raises(ValueError, match="'both' is not a way of a turn; give one or some or all or system"):
        Turn("Sam", "Hm.", way="both")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="a turn to one has 2 addressees"):
        Turn("Sam", "Hm.", ("Alex", "Jo"), "one")
