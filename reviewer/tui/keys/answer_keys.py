"""Which keys give which answer, from the labels of a question."""

from collections.abc import Container, Iterable, Mapping
from typing import TYPE_CHECKING

from textual.binding import Binding

from reviewer.core.answer_keys import MOST_DIGITS, answer_keys
from reviewer.core.sanitize import one_line

if TYPE_CHECKING:
    from reviewer.core.question import Question

ANSWER_KEYS: tuple[tuple[str, ...], ...] = (
    ("t", "1"),
    ("f", "0", "2"),
    *((str(digit),) for digit in range(3, MOST_DIGITS + 1)),
)
"""The default keys of answers, label by label. No other action has one of these keys by default."""
NO_KEY = "no-key-{}"
"""In place of a key, for answers that have one only if the letters of all labels are distinct."""
_MOST_ANSWERS = 26


def taken_keys(bindings: Iterable[Binding], changed: Mapping[str, str]) -> set[str]:
    """The keys of these bindings, with the changes from the settings."""
    return {key for binding in bindings for key in changed.get(binding.id or "", binding.key).split(",")}


def answer_id(index: int) -> str:
    """The id of the action that gives a question's label, by the label's index."""
    return f"review.answer-{index + 1}"


ANSWER_BINDINGS = tuple(
    Binding(
        ",".join(ANSWER_KEYS[index]) if index < MOST_DIGITS else NO_KEY.format(index),
        f"answer({index})",
        f"answer {index + 1}",
        id=answer_id(index),
        tooltip="Save this answer and go on; the letter comes from the label",
    )
    for index in range(_MOST_ANSWERS)
)
"""The bindings of a screen with answers; ``keys_of_answers`` has the keys that they have at a question."""


def is_answer(binding: Binding) -> bool:
    """Whether a key answers a question."""
    return (binding.id or "").startswith(answer_id(0).rstrip("1"))


def keys_of_answers(question: "Question", taken: Container[str]) -> dict[str, str]:
    """The keys of each label by the id of its action; ``taken`` are keys that already do something else."""
    keys = answer_keys(question.labels, taken)
    return {answer_id(index): ",".join(each) for index, each in enumerate(keys) if each}


def answer_labels(question: "Question") -> dict[str, str]:
    """Each label in a few letters, by the id of its action."""
    labels = (one_line(label, 30).replace("[", "(") for label in question.labels)
    return {answer_id(index): label for index, label in enumerate(labels)}
