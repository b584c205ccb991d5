"""What can be set in PROBE-SWE's generation; defaults are the paper's or the published package's."""

from typing import Annotated, Literal

from pydantic import Field

from reviewer.protocols.generation import GenerationSettings

Share = Annotated[float, Field(ge=0, le=1)]


class ProbeSweSettings(GenerationSettings):
    """Sampling parameters, bounds, numbers of runs."""

    expansion_temperature: float = Field(default=1.0, ge=0, le=2)
    """temperature of expansions"""
    expansion_top_p: float = Field(default=1.0, ge=0, le=1)
    """top-p of expansions"""
    conversion_temperature: float = Field(default=0.0, ge=0, le=2)
    """temperature of translations into Prolog and back, and of bias identification"""
    conversion_reasks: int = Field(default=2, ge=0, le=10)
    """how often a malformed translation is asked for again"""
    least_cosine: float = Field(default=0.90, ge=-1, le=1)
    """least cosine similarity of the two texts"""
    most_cosine: float = Field(default=0.99, ge=-1, le=1)
    """cosine similarity of the two texts stays below this"""
    least_levenshtein: float = Field(default=0.70, ge=0, le=1)
    """least Levenshtein similarity of the two texts"""
    most_levenshtein: float = Field(default=0.99, ge=0, le=1)
    """Levenshtein similarity of the two texts stays below this"""
    framing_least_cosine: float = Field(default=0.85, ge=-1, le=1)
    """least cosine similarity in the framing effect, whose edits are larger"""
    framing_least_levenshtein: float = Field(default=0.55, ge=0, le=1)
    """least Levenshtein similarity in the framing effect"""
    strict: bool = False
    """discard also what has serious findings of the audit"""
    verification_runs: int = Field(default=3, ge=1, le=100)
    """how often the model is asked whether only the biased text is biased"""
    verification_share: Literal["majority"] | Share = "majority"
    """share of these that must say yes: more than half (as the published data), or at least so much"""
    verification_temperature: float = Field(default=1.0, ge=0, le=2)
    """temperature of these, above 0 so that they can differ"""
    least_reconstruction: float = Field(default=0.65, ge=-1, le=1)
    """least cosine similarity of the unbiased text and the one rebuilt from its program"""
    decision_runs: int = Field(default=5, ge=1, le=100)
    """how often the model decides the unbiased text"""
    decision_agreement: float = Field(default=0.80, ge=0, le=1)
    """least share of these that agree"""
    decision_temperature: float = Field(default=0.0, ge=0, le=2)
    """temperature of these"""
    decision_top_p: float = Field(default=0.0, ge=0, le=1)
    """top-p of these"""
    collision: float = Field(default=0.90, ge=-1, le=1)
    """cosine similarity of two unbiased texts from which on they collide"""
