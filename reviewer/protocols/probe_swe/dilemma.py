"""The payload: a pair of dilemmas with their shared axioms and two programs."""

from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict

from reviewer.core.sanitize import strange_character

MOST_CHARACTERS = 200_000
"""In one field. The longest published one has under 3,000."""


def _normalised(text: str) -> str:
    """LF line ends and no blank ends, so that a text read from a file equals the same text in JSON."""
    if len(text) > MOST_CHARACTERS:
        raise ValueError(
            f"has {len(text):,} characters, more than the {MOST_CHARACTERS:,} that a field may have"
        )
    if strange := strange_character(text):
        raise ValueError(f"holds {strange}")
    return text.replace("\r\n", "\n").replace("\r", "\n").strip()


ProseOrCode = Annotated[str, AfterValidator(_normalised)]


def _not_empty(text: str) -> str:
    if not text:
        raise ValueError("is empty")
    return text


Needed = Annotated[ProseOrCode, AfterValidator(_not_empty)]


class DraftDilemma(BaseModel):
    """A pair of which there may be nothing but the texts: a candidate that did not get further."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    unbiased: Needed
    biased: Needed
    axioms: ProseOrCode | None = None
    axioms_description: ProseOrCode | None = None
    unbiased_prolog: ProseOrCode | None = None
    biased_prolog: ProseOrCode | None = None
    reconstructed_unbiased_prompt: ProseOrCode | None = None
    """The unbiased text, told again from its program alone; hand-written seeds have none."""


class Dilemma(DraftDilemma):
    """One whole pair. What logic decides is not in it: that is measured, or published with it."""

    axioms: Needed
    axioms_description: Needed
    unbiased_prolog: Needed
    biased_prolog: Needed
