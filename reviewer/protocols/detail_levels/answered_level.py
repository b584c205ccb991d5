"""The payload of an answer under review: what was asked, the choices, and the free answer."""

from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from reviewer.core.sanitize import counted
from reviewer.protocols.detail_levels.level_instance import LETTERS, ChoiceText, LevelText


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
