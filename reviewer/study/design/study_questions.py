"""The questions of a new study: which of its protocol's questions, and under which guidelines."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from reviewer.core.errors import InputError, RequestError
from reviewer.core.question import DecidedExample, Question, with_examples
from reviewer.core.sanitize import shown
from reviewer.protocols.base import Protocol
from store.records import Case


@dataclass(frozen=True, slots=True)
class OwnGuideline:
    """A lead's guideline for one question, named by key or title. ``where`` names its place in the file."""

    where: str
    question: str
    text: str
    examples: tuple[DecidedExample, ...] = ()


def study_questions(
    protocol: Protocol, chosen: Sequence[str], guidelines: Iterable[OwnGuideline]
) -> tuple[Question, ...]:
    """The chosen questions (none chosen: all) in the protocol's order, each with the lead's guideline if any.

    Raises RequestError for a question that the protocol does not have, and InputError for a guideline that
    does not fit.
    """
    named = [_named(protocol, name) for name in chosen]
    asked = {q.key: q for q in protocol.questions if q in named or not named}
    for own in guidelines:
        question = _guided(protocol, asked, own)
        text = with_examples(own.text, own.examples)
        asked[question.key] = question.model_copy(update={"guideline": text})
    return tuple(asked.values())


def cases_by_question(
    protocol: Protocol, questions: Iterable[Question], cases: Iterable[Case]
) -> Mapping[str, int]:
    """For each question, the number of cases that it is asked about."""
    known = list(cases)
    return {question.key: sum(protocol.asks(question, case) for case in known) for question in questions}


def _named(protocol: Protocol, name: str) -> Question:
    if question := protocol.question_named(name):
        return question
    raise RequestError(
        f"{protocol.title} has no question {shown(name)!r}; choose from {_keys(protocol.questions)}."
    )


def _guided(protocol: Protocol, asked: Mapping[str, Question], own: OwnGuideline) -> Question:
    """The question that the guideline is for; raises InputError if the study does not ask it so."""
    question = protocol.question_named(own.question)
    if question is None:
        keys = _keys(protocol.questions)
        raise InputError(own.where, "is not about a question of the study", f"use one of {keys}")
    if question.key not in asked:
        wrong, remedy = (
            f"is about {question.key!r}, which is not asked",
            "choose that question too, or leave it out",
        )
        raise InputError(own.where, wrong, remedy)
    for number, example in enumerate(own.examples, 1):
        if question.kind == "label" and example.label not in question.labels:
            raise InputError(
                f"{own.where}, example {number}",
                f"{shown(example.label)!r} is not a label of {question.key!r}",
                f"use one of {', '.join(question.labels)}",
            )
    return question


def _keys(questions: Iterable[Question]) -> str:
    return ", ".join(question.key for question in questions)


def check_asked(protocol: Protocol, questions: Sequence[Question], cases: Sequence[Case]) -> None:
    """Raise RequestError if no question applies to any of the cases."""
    if cases and not any(protocol.asks(question, case) for question in questions for case in cases):
        named = ", ".join(question.key for question in questions)
        raise RequestError(
            f"none of the questions ({named}) applies to any of these cases, so there is nothing to answer; "
            "choose other cases or questions."
        )
