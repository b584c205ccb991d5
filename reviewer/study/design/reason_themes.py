"""Themes of reasons that a lead gives a study in the place of those of its protocol."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from reviewer.core.errors import RequestError
from reviewer.core.question import Question
from reviewer.protocols.base import Protocol

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
