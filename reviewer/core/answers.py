"""What an answer is, as the ledger keeps it: one label, several labels, or a text.

Several labels are kept as a JSON list of labels in the question's own order, so that equal sets are equal
texts. An empty list says that none of the labels holds, which a rater says with a key of its own.
"""

import json
from collections.abc import Collection

from reviewer.core.question import Question
from reviewer.core.sanitize import is_blank, one_line, text_fault, too_long

NONE_OF_THEM = "none of them"
"""The words for an empty set of labels."""
_MOST_LISTED = 12


def chosen_labels(question: Question, answer: str) -> tuple[str, ...]:
    """The labels that a stored answer names, in the question's order: one, several or none.

    Raises ValueError for a text that does not answer this question, and for an answer in free text.
    """
    if question.kind == "label":
        labels = [answer]
    elif question.kind == "labels":
        labels = _listed(answer)
    else:
        raise ValueError("an answer in free text names no labels")
    if strangers := [label for label in labels if label not in question.labels]:
        raise ValueError(f"{one_line(strangers[0])!r} is not a label of {question.key!r}")
    if question.kind == "labels" and answer != answer_with(question, labels):
        raise ValueError("the labels do not stand in the order of the question, or one stands there twice")
    return tuple(labels)


def labels_of(question: Question, answer: str | None) -> tuple[str, ...]:
    """The labels that an answer names; none where there is no answer, or one that does not fit."""
    try:
        return () if answer is None else chosen_labels(question, answer)
    except ValueError:
        return ()


def answer_with(question: Question, labels: Collection[str]) -> str:
    """The answer of several labels, as the ledger keeps it."""
    ordered = [label for label in question.labels if label in labels]
    return json.dumps(ordered, ensure_ascii=False, separators=(",", ":"))


def answer_fault(question: Question, answer: str) -> str | None:
    """Why a text does not answer the question, as a sentence without its full stop; None if it does."""
    if question.kind == "text":
        return _text_fault(answer)
    try:
        chosen_labels(question, answer)
    except ValueError:
        what = "a JSON list of labels" if question.kind == "labels" else "a label"
        return f"{one_line(answer)!r} is not {what} of this question; {labels_in_words(question)}"
    return f"the answer has {long}; choose fewer labels" if (long := too_long(answer)) else None


def labels_in_words(question: Question) -> str:
    """A sentence on what answers the question, without its full stop."""
    if question.kind == "text":
        return "it is answered in free text"
    listed, more = question.labels[:_MOST_LISTED], len(question.labels) - _MOST_LISTED
    return f"its labels are {', '.join(listed)}" + (f" and {more:,} more" if more > 0 else "")


def answer_in_words(question: Question, answer: str) -> str:
    """An answer as people read it; one that does not fit the question as it stands."""
    if question.kind != "labels":
        return answer
    try:
        return ", ".join(chosen_labels(question, answer)) or NONE_OF_THEM
    except ValueError:
        return answer


def answer_from_other_side(question: Question, answer: str) -> str:
    """The same answer about the exchanged sides of a pair."""
    if question.sides is None or question.kind == "text":
        return answer
    if question.kind == "label":
        return question.sides.across(answer)
    return answer_with(question, [*map(question.sides.across, chosen_labels(question, answer))])


def _listed(answer: str) -> list[str]:
    try:
        labels = json.loads(answer)
    except RecursionError as error:
        raise ValueError("the list is too deep") from error
    if not isinstance(labels, list) or not all(isinstance(label, str) for label in labels):
        raise ValueError("it is not a list of labels")
    return labels


def _text_fault(text: str) -> str | None:
    if is_blank(text):
        return "the answer is empty; write it in a few words"
    fault = text_fault(text)
    return f"the answer {'; '.join(fault)}" if fault else None
