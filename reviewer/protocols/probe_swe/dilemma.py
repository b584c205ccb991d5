"""The payload: a pair of dilemmas with shared axioms and two programs."""

from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict

from reviewer.core.sanitize import strange_character

MOST_CHARACTERS = 200_000
"""The maximum for one field. The longest published field has fewer than 3,000 characters."""


def _normalised(text: str) -> str:
    """The text with LF line ends and no blanks around it, so that texts from files equal those in JSON."""
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
    """A pair that may have only its texts: a candidate that was discarded before it was complete."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    unbiased: Needed
    biased: Needed
    axioms: ProseOrCode | None = None
    axioms_description: ProseOrCode | None = None
    unbiased_prolog: ProseOrCode | None = None
    biased_prolog: ProseOrCode | None = None
    reconstructed_unbiased_prompt: ProseOrCode | None = None
    """The unbiased text, rebuilt from its program alone; hand-written seeds have none."""


class Dilemma(DraftDilemma):
    """A complete pair. It does not contain what logic decides, which is measured or published with it."""

    axioms: Needed
    axioms_description: Needed
    unbiased_prolog: Needed
    biased_prolog: Needed
