"""The values published with a PROBE-SWE pair, and the names of files and generators that its authors use."""

import re
from pathlib import PurePath
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, FiniteFloat

from store.records import JsonValue

PUBLISHED_GENERATORS = (
    "gpt-4.1-nano",
    "gpt-4.1-mini",
    "gpt-4o-mini",
    "llama-3.1-8b-instant",
    "llama-3.3-70b-versatile",
    "deepseek-r1-distill-llama-70b",
)
"""The only generators that the authors' script for validation sheets accepts."""

_DATASET = re.compile(r"\d+_augmented_dilemmas_dataset_(?P<generator>.+)", re.IGNORECASE)


def generator_of_file(name: str) -> str | None:
    """The generator in the name of a dataset file; None if the name contains none."""
    stem = PurePath(name).stem
    if match := _DATASET.fullmatch(stem):
        return match["generator"]
    return stem if stem in PUBLISHED_GENERATORS else None


_OPTIONS = {"option_a": "option_A", "option_b": "option_B"}
MEASURED_AS = {
    "correct_option": "choice",
    "inference_steps": "inference_steps",
    "choice_steps": "choice_steps",
    "pair_similarity": "pair_similarity",
    # A similarity, in spite of its name: 1 - distance / length.
    "pair_levenshtein_distance": "pair_levenshtein_similarity",
    "unbiased_prompt_reconstruction_similarity": "reconstruction_similarity",
    "agreement_rate": "agreement_rate",
    "decisions_towards_validity": "bias_verifications",
    "bias_is_towards_incorrect_only_in_biased_version": "bias_explanation",
}


def _option(text: str) -> str:
    option = _OPTIONS.get(text.casefold())
    if option is None:
        raise ValueError("is neither option_A nor option_B")
    return option


Option = Annotated[str, AfterValidator(_option)]
PublishedCount = Annotated[int, Field(ge=0, le=2**53)]


class PublishedValues(BaseModel):
    """The values, all optional, since hand-written pairs have fewer than generated ones."""

    model_config = ConfigDict(frozen=True, strict=True)

    correct_option: Option | None = None
    inference_steps: PublishedCount | None = None
    choice_steps: PublishedCount | None = None
    pair_similarity: FiniteFloat | None = None
    pair_levenshtein_distance: FiniteFloat | None = None
    unbiased_prompt_reconstruction_similarity: FiniteFloat | None = None
    agreement_rate: FiniteFloat | None = None
    decisions_towards_validity: PublishedCount | None = None
    bias_is_towards_incorrect_only_in_biased_version: str | None = None

    @property
    def measured(self) -> dict[str, JsonValue]:
        """The values that are present, by the names under which they are stored."""
        values = ((name, getattr(self, field)) for field, name in MEASURED_AS.items())
        return {name: value for name, value in values if value is not None}

    def notice_of(self, raw: JsonValue) -> str | None:
        """A notice about the spelling of the correct option if it is unusual, else None."""
        if raw is None or raw == self.correct_option:
            return None
        return f"correct_option {raw!r} is read as {self.correct_option!r}"


class PublishedRecord(PublishedValues):
    """A record's own fields besides its texts and values."""

    pair: PublishedCount
    run_id: PublishedCount | None = None
    AI_generated: bool = True

    @property
    def number(self) -> str:
        """The number of the record in its group, with its run, since pair numbers repeat in every run."""
        if not self.AI_generated:
            return f"seed-{self.pair}"
        return f"{self.pair}" if self.run_id is None else f"{self.run_id}-{self.pair}"
