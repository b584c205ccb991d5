"""How the answers of judges are read where any number of labels may hold."""

import pytest

from reviewer.protocols.judging.verdict_reading import OWN_LABEL, named_labels

LABELS = ("framing", "give and take", "halo")


@pytest.mark.parametrize(
    ("said", "labels"),
    [
        ("3, 1", ["halo", "framing"]),
        ("give and take, framing", ["give and take", "framing"]),
        ("1, 2, and 3", ["framing", "give and take", "halo"]),
        ("halo and framing", ["halo", "framing"]),
        ("0", []),
    ],
)
def test_labels_are_read_in_the_order_of_the_reply(said: str, labels: list[str]) -> None:
    assert named_labels(f"It seems so.\nAnswer: {said}", LABELS)[0] == labels


@pytest.mark.parametrize("said", ["4", "1, horns", "1,, 2"])
def test_a_part_that_is_no_label_makes_the_answer_unreadable(said: str) -> None:
    assert named_labels(f"Answer: {said}", LABELS) == (None, OWN_LABEL)
