"""Answers as the ledger keeps them, each read by the kind of its question (``answer_kinds.py``)."""

from collections.abc import Collection

from reviewer.core.question import Question


def chosen_labels(question: Question, answer: str) -> tuple[str, ...]:
    """The labels that a stored answer names, in the question's order: one, several or none.

    Raises ValueError for a text that does not answer this question, and for an answer in free text.
    """
    return question.answer_kind.labels_in(question, answer)


def labels_of(question: Question, answer: str | None) -> tuple[str, ...]:
    """The labels that an answer names; none where there is no answer, or one that does not fit."""
    try:
        return () if answer is None else chosen_labels(question, answer)
    except ValueError:
        return ()


def answer_with(question: Question, labels: Collection[str]) -> str:
    """The answer of these labels, as the ledger keeps it; of a question of one label, this one."""
    return question.answer_kind.answer_of(question, labels)


def answer_fault(question: Question, answer: str) -> str | None:
    """Why a text does not answer the question, as a sentence without its full stop; None if it does."""
    return question.answer_kind.fault(question, answer)


def labels_in_words(question: Question) -> str:
    """A sentence on the possible answers to the question, without its full stop."""
    return question.answer_kind.wanted(question)


def answer_in_words(question: Question, answer: str) -> str:
    """An answer as people read it; one that does not fit the question as it stands."""
    return question.answer_kind.in_words(question, answer)


def answer_from_other_side(question: Question, answer: str) -> str:
    """The same answer about the exchanged sides of a pair."""
    return question.answer_kind.from_other_side(question, answer)
