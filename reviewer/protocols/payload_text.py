"""Limits of payloads: no field and no type but their own, and texts of the kind that each field takes."""

from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict

from reviewer.core.sanitize import strange_character
from reviewer.core.strict_json import fault_in


class StrictPayload(BaseModel):
    """A payload or a part of one: other fields and other types are refused, not converted."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


def _without_fault(text: str) -> str:
    """The text as it is: lengths and final results are judged on it, so nothing is normalised."""
    if fault := fault_in(text):
        raise ValueError(fault)
    return text


def not_empty(text: str) -> str:
    """The text; raises ValueError if it has nothing but blanks."""
    if not text.strip():
        raise ValueError("is empty")
    return text


def whole_number(number: float) -> float:
    """A whole number without a fraction, so that 3 and 3.0 are one value."""
    return int(number) if isinstance(number, float) and number.is_integer() else number


def stripped(most: int) -> AfterValidator:
    """Refuses empty texts and those of more characters, and takes blanks from the ends of others."""

    def validate(text: str) -> str:
        if len(text) > most:
            raise ValueError(f"has {len(text):,} characters, more than {most:,}")
        if strange := strange_character(text):
            raise ValueError(f"holds {strange}")
        return not_empty(text).strip()

    return AfterValidator(validate)


KeptText = Annotated[str, AfterValidator(_without_fault)]
FilledText = Annotated[KeptText, AfterValidator(not_empty)]
