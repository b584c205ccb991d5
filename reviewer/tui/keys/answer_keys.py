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
"""The default keys of answers, label by label. No other action has one of these keys by default."""


def taken_keys(bindings: Iterable[Binding], changed: Mapping[str, str]) -> set[str]:
    """The keys of these bindings, with the changes from the settings."""
    return {key for binding in bindings for key in changed.get(binding.id or "", binding.key).split(",")}


def answer_id(index: int) -> str:
    """The id of the action that gives a question's label, by the label's index."""
    return f"review.answer-{index + 1}"


def answer_bindings(question: Question, taken: Container[str]) -> list[Binding]:
    """One binding for each label; ``taken`` are keys that already do something else."""
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
