"""Which keys give which answer, from the labels of a question."""

from collections.abc import Container, Iterable, Mapping

from textual.binding import Binding

from reviewer.core.answer_keys import MOST_DIGITS, answer_keys
from reviewer.core.question import Question
from reviewer.core.sanitize import one_line

ANSWER_KEYS: tuple[tuple[str, ...], ...] = (
    ("t", "1"),
    ("f", "0", "2"),
    *((str(digit),) for digit in range(3, MOST_DIGITS + 1)),
)
"""The keys that answers may have out of the box, label by label; no other action is given one of them."""


def taken_keys(bindings: Iterable[Binding], changed: Mapping[str, str]) -> set[str]:
    """The keys of these bindings, after the changes of the settings."""
    return {key for each in bindings for key in changed.get(each.id or "", each.key).split(",")}


def answer_id(index: int) -> str:
    """The id of the action that gives a question's label, by the label's index."""
    return f"review.answer-{index + 1}"


def answer_bindings(question: Question, taken: Container[str]) -> list[Binding]:
    """One binding a label; ``taken`` are keys that do something else."""
    labelled = zip(question.labels, answer_keys(question.labels, taken), strict=True)
    return [
        Binding(
            ",".join(keys),
            f"answer({index})",
            one_line(label, 30).replace("[", "("),
            id=answer_id(index),
            tooltip="Save this answer and go on",
        )
        for index, (label, keys) in enumerate(labelled)
        if keys
    ]
