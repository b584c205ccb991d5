"""Answers that a study's lead knows in advance, for a training round and for gold cases."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from reviewer.core.errors import InputError
from reviewer.core.question import answer_fault
from reviewer.protocols.base import Protocol
from store.cases import PlacedCase
from store.records import Case, KnownAnswer

KnownRole = Literal["training", "gold"]


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """One known answer about the case at a place. ``where`` names the file and line that gave it."""

    role: KnownRole
    where: str
    dataset: str
    key: str
    question: str
    label: str
    why: str = ""


@dataclass(frozen=True, slots=True)
class KnownCase:
    """A case with some known answers, and its role."""

    role: KnownRole
    place: PlacedCase
    answers: Mapping[str, GivenAnswer]
    """By question key."""

    def records(self, study: str) -> list[KnownAnswer]:
        """The records that the store keeps."""
        digest = self.place[1].digest
        return [
            KnownAnswer(study=study, case=digest, question=key, label=given.label, why=given.why)
            for key, given in self.answers.items()
        ]


def known_cases(
    protocol: Protocol, given: Iterable[GivenAnswer], places: Mapping[tuple[str, str], PlacedCase]
) -> list[KnownCase]:
    """The cases that the answers are about, in order of first mention.

    Raises InputError for the first answer that does not fit.
    """
    cases: dict[str, KnownCase] = {}
    for answer in given:
        place = _place(answer, places)
        known = cases.setdefault(place[1].digest, KnownCase(answer.role, place, {}))
        if known.role != answer.role:
            raise InputError(
                answer.where, f"the case is a {known.role} case already", "give it one role, not both"
            )
        question = _checked_question(protocol, answer, place[1])
        if question in known.answers:
            raise InputError(
                answer.where, f"{answer.question!r} of this case is answered twice", "keep one line"
            )
        cases[place[1].digest] = KnownCase(answer.role, place, {**known.answers, question: answer})
    return list(cases.values())


def _place(answer: GivenAnswer, places: Mapping[tuple[str, str], PlacedCase]) -> PlacedCase:
    if (answer.dataset, answer.key) not in places:
        raise InputError(
            answer.where,
            f"dataset {answer.dataset!r} has no case at {answer.key!r}",
            "take dataset and key from `reviewer cases --format csv`",
        )
    return places[answer.dataset, answer.key]


def _checked_question(protocol: Protocol, answer: GivenAnswer, case: Case) -> str:
    """The question's key. The answer may name the question by key or by title."""
    question = protocol.question_named(answer.question)
    if question is None:
        keys = ", ".join(known.key for known in protocol.questions)
        raise InputError(answer.where, f"there is no question {answer.question!r}", f"use one of {keys}")
    if question.entry and answer.question != question.key:
        wrong = f"{question.family!r} is asked for each entry of a list"
        raise InputError(answer.where, wrong, f"name the entry by its number, such as {question.key}")
    if not protocol.asks(question, case):
        raise InputError(
            answer.where, f"{question.key!r} cannot be asked about this case", "leave the line out"
        )
    if not question.answer_kind.is_compared:
        wrong = f"{question.key!r} is answered in free text, which has no known answer"
        raise InputError(answer.where, wrong, "leave the line out")
    if answer_fault(question, answer.label):
        labels, some = ", ".join(question.labels), "one" if question.answer_kind.is_label else "a JSON list"
        raise InputError(
            answer.where, f"{answer.label!r} is not a label of {question.key!r}", f"use {some} of {labels}"
        )
    return question.key
