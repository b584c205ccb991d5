"""The questions of a new study: which of its protocol's questions, under which guidelines and definitions.

Definitions of groups came with datasets; a new study takes them over and freezes them.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from reviewer.core.errors import InputError, RequestError
from reviewer.core.question import Guideline, Question, families
from reviewer.core.sanitize import counted, is_blank, shown
from reviewer.protocols.base import Protocol
from store.records import Case

MOST_THEMES: Final = 60


@dataclass(frozen=True, slots=True)
class Theme:
    """A theme: its name, what it means, and the words by which it is counted in texts."""

    name: str
    meaning: str
    words: tuple[str, ...] = ()


def themed_question(
    protocol: Protocol, asked: Mapping[str, Question], themes: Sequence[Theme]
) -> dict[str, Question]:
    """The question on themes by its key, with these as labels before the one for other reasons.

    Its examples are left out, since they name labels. Raises RequestError if the study does not ask it.
    """
    key, other = protocol.themed
    if key not in asked:
        raise RequestError(
            f"{protocol.title} has no question on themes in this study"
            + (f"; ask {key!r} too, or leave --themes out." if key else "; leave --themes out.")
        )
    question = asked[key]
    return {
        key: Question.model_validate(
            question.model_dump()
            | {
                "labels": (*(theme.name for theme in themes), other),
                "definitions": {
                    **{theme.name: theme.meaning for theme in themes if theme.meaning},
                    other: question.definition(other),
                },
                "criteria": {},
                "examples": (),
            }
        )
    }


@dataclass(frozen=True, slots=True)
class OwnGuideline:
    """A lead's guideline for one question, named by key or title. ``where`` names its place in the file."""

    where: str
    question: str
    guideline: Guideline


def study_questions(
    protocol: Protocol,
    chosen: Sequence[str],
    guidelines: Iterable[OwnGuideline],
    themes: Sequence[Theme] = (),
) -> tuple[Question, ...]:
    """The chosen questions (none chosen: all) in the protocol's order, each with the lead's guideline if any.

    ``themes`` replace those of the protocol's question on themes. Raises RequestError for a question that the
    protocol does not have, and InputError for a guideline that does not fit.
    """
    named = {key for name in chosen for key in _named(protocol, name)}
    asked = {q.key: q for q in protocol.questions if q.key in named or not named}
    if themes:
        asked |= themed_question(protocol, asked, themes)
    for own in guidelines:
        family = _guided(protocol, asked, own).family
        asked |= {
            key: question.model_copy(update=dict(own.guideline))
            for key, question in asked.items()
            if question.family == family
        }
    return tuple(asked.values())


def cases_by_question(
    protocol: Protocol, questions: Iterable[Question], cases: Iterable[Case]
) -> Mapping[str, int]:
    """For each question, the number of cases that it is asked about."""
    known = list(cases)
    return {question.key: sum(protocol.asks(question, case) for case in known) for question in questions}


def _named(protocol: Protocol, name: str) -> list[str]:
    """The keys of a question, or of all for the entries of a list."""
    if question := protocol.question_named(name):
        family = next(family for family in families(protocol.questions) if question in family)
        return [question.key] if name == question.key else [asked.key for asked in family]
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
    for place, label in _labels_named(own.guideline, question):
        if label not in question.labels:
            raise InputError(
                f"{own.where}, {place}",
                f"{shown(label)!r} is not a label of {question.key!r}",
                f"use one of {', '.join(question.labels)}" if question.labels else "leave it out",
            )
    return question


def _labels_named(guideline: Guideline, question: Question) -> Iterator[tuple[str, str]]:
    """Each label that a guideline names, with its place; only one label decides an example."""
    yield from (("criteria", label) for label, _ in guideline.criteria)
    if question.answer_kind.is_label:
        for number, example in enumerate(guideline.examples, 1):
            yield f"example {number}", example.label


def _keys(questions: Iterable[Question]) -> str:
    return ", ".join(family[0].family for family in families(questions))


_SHOWN = "definition"
"""The placeholder and the pane that show the definition of a group."""


def check_groups(protocol: Protocol, questions: Sequence[Question], cases: Sequence[Case]) -> None:
    """Raise RequestError if a question shows the definition of a group that has none."""
    gap = "{" + _SHOWN + "}"
    needs = next((q for q in questions if gap in q.prompt or _SHOWN in (*q.shows, *q.beside)), None)
    if needs is None:
        return
    for group in dict.fromkeys(case.group for case in cases):
        if is_blank(protocol.group(group).definition):
            raise RequestError(
                f"question {needs.key!r} shows the definition of the {protocol.group_noun}, and "
                f"{shown(group)!r} has none; import the data again with --groups and a file of definitions."
            )


def check_listed(protocol: Protocol, dataset: str, cases: Iterable[Case]) -> None:
    """Raise RequestError for cases of groups that the protocol does not list: none is left out silently."""
    known = {group.name for group in protocol.groups}
    if not known:
        return
    strange = [case.group for case in cases if case.group not in known]
    if strange:
        raise RequestError(
            f"dataset {dataset!r} has {counted(len(strange), 'case')} of groups that {protocol.title} does "
            f"not list, such as {shown(strange[0])!r}; list the group, or withdraw these cases with "
            "`reviewer datasets withdraw`."
        )
