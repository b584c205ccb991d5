"""The settings of the generation of tests."""

from typing import Any

from pydantic import Field

from reviewer.protocols.generation import GenerationSettings


class TreatmentSettings(GenerationSettings):
    """Templates and scenarios, as a file of templates holds them, and how models are asked."""

    batch_size: int = Field(default=1, ge=1, le=1)
    """cases to ask for in one expansion; always 1"""
    templates: tuple[dict[str, Any], ...] = ()
    """templates, one for each bias, as `reviewer templates convert` prints them"""
    scenarios: tuple[str, ...] = ()
    """scenarios, which cases take in turn"""
    industries: tuple[str, ...] = ()
    """industries of scenarios that the model completes, if no scenarios are given"""
    positions: tuple[str, ...] = ()
    """positions of scenarios that the model completes, each in every industry"""
    temperature: float = Field(default=1.0, ge=0, le=2)
    """temperature of all requests"""
    reasks: int = Field(default=5, ge=0, le=5)
    """maximum number of repeated requests after a fill that breaks a rule"""
