"""The payloads: a filled template told at five levels of detail, and a free answer to one level."""

from typing import Annotated, Final, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from reviewer.core.sanitize import counted
from reviewer.protocols.payload_text import stripped

NUMBER_OF_LEVELS: Final = 5
LETTERS: Final = "ABCDEF"
"""What choices are called, in their order."""
BIASED, UNBIASED, UNRELATED = "biased", "unbiased", "unrelated"
_MOST_CHARACTERS: Final = 20_000
_MOST_CHARACTERS_OF_CHOICE: Final = 500
_MOST_PIECES: Final = 1_000


def _short(text: str) -> str:
    if len(text) > _MOST_CHARACTERS_OF_CHOICE:
        raise ValueError(f"has {len(text):,} characters, more than {_MOST_CHARACTERS_OF_CHOICE}")
    if not any(sign.isalnum() for sign in text):
        raise ValueError("has no letter and no digit")
    return text


LevelText = Annotated[str, stripped(_MOST_CHARACTERS)]
ChoiceText = Annotated[LevelText, AfterValidator(_short)]


class KeyedChoice(BaseModel):
    """A choice, and whether the bias predicts it."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    text: ChoiceText
    key: Literal["biased", "unbiased", "unrelated"]


class SlotSpan(BaseModel):
    """Characters ``start`` to ``end`` of a level (from 1) that were filled into the slot ``name``."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    level: int = Field(ge=1, le=NUMBER_OF_LEVELS)
    start: int = Field(ge=0)
    end: int = Field(ge=0)
    name: str


class LevelInstance(BaseModel):
    """One instance of a template. Instances of a template hang together, so they form a cluster."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    template: LevelText
    levels: Annotated[tuple[LevelText, ...], Field(strict=False)]
    choices: Annotated[tuple[KeyedChoice, ...], Field(strict=False)]
    filled: Annotated[tuple[SlotSpan, ...], Field(strict=False, max_length=_MOST_PIECES)] = ()

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if len(self.levels) != NUMBER_OF_LEVELS:
            raise ValueError(f"has {counted(len(self.levels), 'level')}; give {NUMBER_OF_LEVELS}")
        if not 2 <= len(self.choices) <= len(LETTERS):
            raise ValueError(f"has {counted(len(self.choices), 'choice')}; give 2 to {len(LETTERS)}")
        if len({" ".join(choice.text.casefold().split()) for choice in self.choices}) < len(self.choices):
            raise ValueError("two choices read the same; reword one")
        if not {BIASED, UNBIASED} <= {choice.key for choice in self.choices}:
            raise ValueError("has no biased or no unbiased choice; key at least one as each")
        for span in self.filled:
            if not span.start < span.end <= len(self.levels[span.level - 1]):
                raise ValueError(f"a filled piece ends outside level {span.level}; correct its start and end")
        return self

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys of the choices, in their order."""
        return tuple(choice.key for choice in self.choices)

    @property
    def choice_texts(self) -> tuple[str, ...]:
        """The texts of the choices, in their order."""
        return tuple(choice.text for choice in self.choices)

    def marks_of(self, level: int) -> tuple[tuple[int, int], ...]:
        """The characters of a level (from 1) that were filled in."""
        return tuple((span.start, span.end) for span in self.filled if span.level == level)


def lettered(choices: tuple[str, ...]) -> str:
    """The choices, each behind its letter, one a line."""
    return "\n".join(f"{letter}. {choice}" for letter, choice in zip(LETTERS, choices, strict=False))


class AnsweredLevel(BaseModel):
    """One free answer of a model to one level."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    text: LevelText
    choices: Annotated[tuple[ChoiceText, ...], Field(strict=False)]
    answer: LevelText

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if not 2 <= len(self.choices) <= len(LETTERS):
            raise ValueError(f"has {counted(len(self.choices), 'choice')}; give 2 to {len(LETTERS)}")
        return self
