"""The settings of PROBE-SWE's generation. Defaults are those of the paper or of the published package."""

from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from reviewer.protocols.generation import GenerationSettings
from reviewer.protocols.reading import READER_VERSION
from store.records import JsonValue

Share = Annotated[float, Field(ge=0, le=1)]


class ProbeSweSettings(GenerationSettings):
    """Sampling parameters, thresholds and numbers of runs."""

    of_this_release: ClassVar[Mapping[str, JsonValue]] = {"decision_reader": READER_VERSION}

    expansion_temperature: float = Field(default=1.0, ge=0, le=2)
    """temperature of expansions"""
    expansion_top_p: float = Field(default=1.0, ge=0, le=1)
    """top-p of expansions"""
    conversion_temperature: float = Field(default=0.0, ge=0, le=2)
    """temperature of translations into Prolog and back, and of bias identification"""
    conversion_reasks: int = Field(default=2, ge=0, le=10)
    """maximum number of repeated requests after a malformed translation"""
    least_cosine: float = Field(default=0.90, ge=-1, le=1)
    """minimum cosine similarity of the two texts"""
    most_cosine: float = Field(default=0.99, ge=-1, le=1)
    """the cosine similarity of the two texts must be below this"""
    least_levenshtein: float = Field(default=0.70, ge=0, le=1)
    """minimum Levenshtein similarity of the two texts"""
    most_levenshtein: float = Field(default=0.99, ge=0, le=1)
    """the Levenshtein similarity of the two texts must be below this"""
    framing_least_cosine: float = Field(default=0.85, ge=-1, le=1)
    """minimum cosine similarity in the framing effect, whose edits are larger"""
    framing_least_levenshtein: float = Field(default=0.55, ge=0, le=1)
    """minimum Levenshtein similarity in the framing effect"""
    strict: bool = False
    """also discard candidates with serious findings of the audit"""
    verification_runs: int = Field(default=3, ge=1, le=100)
    """how often the model is asked to confirm that the biased text shows the bias and the other does not"""
    verification_share: Literal["majority"] | Share = "majority"
    """share of verifications that must say yes: majority (as in the published data), or a number
    such as 0.8"""
    verification_temperature: float = Field(default=1.0, ge=0, le=2)
    """temperature of verifications, above 0 so that answers can differ"""
    least_reconstruction: float = Field(default=0.65, ge=-1, le=1)
    """minimum cosine similarity of the unbiased text and the text rebuilt from its program"""
    decision_runs: int = Field(default=5, ge=1, le=100)
    """how often the model decides the unbiased text"""
    decision_agreement: float = Field(default=0.80, ge=0, le=1)
    """minimum share of these decisions that agree"""
    decision_temperature: float = Field(default=0.0, ge=0, le=2)
    """temperature of decisions"""
    decision_top_p: float = Field(default=0.0, ge=0, le=1)
    """top-p of decisions"""
    decision_reader: int = Field(default=READER_VERSION, ge=1, le=READER_VERSION)
    """version of the reader that reads the option in a reply; a resumed run takes that of the release"""
    collision: float = Field(default=0.90, ge=-1, le=1)
    """two unbiased texts collide if their cosine similarity is at least this"""
