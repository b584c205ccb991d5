"""The payload of an answer: what was put to a model, its reply, and what was read of it."""

from collections.abc import Sequence
from typing import Annotated, Final, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from reviewer.protocols.payload_text import FilledText

Letter = Literal["A", "B", ""]
"""An option by its letter in the text that was put; "" if there is none."""
MOST_CHARACTERS: Final = 20_000


class AnsweredDilemma(BaseModel):
    """An answer to one version of a dilemma. It names no model, no run, no repeat and no version.

    ``cue`` holds the characters (start, end) in which the text differs from the version without a cue.
    ``decision`` is the option that was read, and ``accepted`` the one that logic accepts.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    text: FilledText
    cue: Annotated[tuple[tuple[int, int], ...], Field(strict=False, max_length=1_000)] = ()
    reply: FilledText
    decision: Letter
    accepted: Letter = ""

    @model_validator(mode="before")
    @classmethod
    def _spans_from_json(cls, value: object) -> object:
        """JSON has lists for spans."""
        if isinstance(value, dict) and isinstance(value.get("cue"), list):
            return {**value, "cue": tuple(tuple(s) if isinstance(s, list) else s for s in value["cue"])}
        return value

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if any(not 0 <= start < end <= len(self.text) for start, end in self.cue):
            raise ValueError("a part of the cue ends outside the text; correct its start and end")
        return self


def shortened(reply: str) -> str:
    """The reply with its middle left out, and how much that was, if it is too long to be read."""
    left_out = len(reply) - MOST_CHARACTERS
    if left_out <= 0:
        return reply
    half = MOST_CHARACTERS // 2
    return f"{reply[:half]}\n\n[{left_out:,} characters left out]\n\n{reply[-half:]}"


def option_words(letter: str) -> str:
    """ "option A", or "neither option"."""
    return f"option {letter}" if letter else "neither option"


def merged_spans(spans: Sequence[tuple[int, int]], text: str) -> tuple[tuple[int, int], ...]:
    """The spans without blanks at their ends; those with nothing but blanks between them are one."""
    merged: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        start += len(text[start:end]) - len(text[start:end].lstrip())
        end -= len(text[start:end]) - len(text[start:end].rstrip())
        if start >= end:
            continue
        if merged and not text[merged[-1][1] : start].strip():
            merged[-1] = (merged[-1][0], end)
        else:
            merged.append((start, end))
    return tuple(merged)
