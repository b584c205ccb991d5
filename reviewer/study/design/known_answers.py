"""Answers that a study's lead knows beforehand, for a training round and for gold cases."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from reviewer.core.errors import InputError
from reviewer.protocols.base import Protocol
from store.records import Case, KnownAnswer, Membership

PlacedCase = tuple[Membership, Case]
KnownRole = Literal["training", "gold"]


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """One answer as the lead gives it, about the case at a place; ``where`` names file and line."""

    role: KnownRole
    where: str
    dataset: str
    key: str
    question: str
    label: str
    why: str = ""


@dataclass(frozen=True, slots=True)
class KnownCase:
    """A case of which some answers are known, with its role."""

    role: KnownRole
    place: PlacedCase
    answers: Mapping[str, GivenAnswer]
    """By question key."""

    def records(self, study: str) -> list[KnownAnswer]:
        """What the store keeps."""
        digest = self.place[1].digest
        return [
            KnownAnswer(study=study, case=digest, question=key, label=each.label, why=each.why)
            for key, each in self.answers.items()
        ]


def known_cases(
    protocol: Protocol, given: Iterable[GivenAnswer], places: Mapping[tuple[str, str], PlacedCase]
) -> list[KnownCase]:
    """The cases that the answers are about, in order of first mention.

    Raises InputError for the first answer that does not fit.
    """
    found: dict[str, KnownCase] = {}
    for each in given:
        place = _place(each, places)
        known = found.setdefault(place[1].digest, KnownCase(each.role, place, {}))
        if known.role != each.role:
            raise InputError(
                each.where, f"the case is a {known.role} case already", "give it one role, not both"
            )
        question = _checked_question(protocol, each, place[1])
        if question in known.answers:
            raise InputError(each.where, f"{each.question!r} of this case is answered twice", "keep one line")
        found[place[1].digest] = KnownCase(each.role, place, {**known.answers, question: each})
    return list(found.values())


def _place(each: GivenAnswer, places: Mapping[tuple[str, str], PlacedCase]) -> PlacedCase:
    if (each.dataset, each.key) not in places:
        raise InputError(
            each.where,
            f"dataset {each.dataset!r} has no case at {each.key!r}",
            "take dataset and key from `reviewer cases --format csv`",
        )
    return places[each.dataset, each.key]


def _checked_question(protocol: Protocol, each: GivenAnswer, case: Case) -> str:
    """The question's key, which may be given by its title too."""
    named = [q for q in protocol.questions if each.question in (q.key, q.title)]
    if not named:
        keys = ", ".join(question.key for question in protocol.questions)
        raise InputError(each.where, f"there is no question {each.question!r}", f"use one of {keys}")
    question = named[0]
    if not protocol.asks(question, case):
        raise InputError(
            each.where, f"{question.key!r} cannot be asked about this case", "leave the line out"
        )
    if each.label not in question.labels:
        labels = ", ".join(question.labels)
        raise InputError(
            each.where, f"{each.label!r} is no label of {question.key!r}", f"use one of {labels}"
        )
    return question.key
