"""The part of the contract for discovery: rounds that look for new entries of a library and validate them.

A round is a Python generator that yields needs, as the steps of generation do (``generation.py``). It
returns everything that it tried, whatever became of it. ``reviewer/runs/discovery`` fulfils the needs and
stores each complete round. It does not know what the rounds are about.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from pydantic import Field

from reviewer.protocols.base import DatasetCase
from reviewer.protocols.procedure import Procedure, ProcedureSettings, Prompts, Sample, Sampling, TriedCase
from reviewer.protocols.work import Work
from store.records import JsonValue


class DiscoverySettings(ProcedureSettings):
    """The settings of every protocol's discovery. Protocols add their own."""

    changeable: ClassVar[frozenset[str]] = frozenset({"rounds"})

    rounds: int = Field(default=4, ge=1, le=20)
    """maximum number of rounds; a run also ends after a round that keeps nothing"""
    most_pairs: int = Field(default=0, ge=0)
    """maximum number of pairs that each round rewrites, drawn by the random seed; 0: all"""
    most_validation: int = Field(default=0, ge=0)
    """maximum number of items that candidates are validated on, drawn by the random seed; 0: all"""


@dataclass(frozen=True, slots=True)
class DiscoveryRound:
    """The cases that a round tried, the state for the next round (plain JSON), and names of kept entries.

    The keys of these cases differ.
    """

    records: Sequence[TriedCase]
    state: JsonValue
    kept: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DiscoveryMaterial:
    """The material of a run: a library of known entries, pairs that rewrites are made of, and other pairs on
    which candidates are validated. Values stored with an entry name the run, the datasets and the models (by
    role).
    """

    run: str
    rewrites_dataset: str
    validation_dataset: str
    models: Mapping[str, str]

    library: Sequence[DatasetCase]
    pairs: Sequence[DatasetCase]
    validation: Sequence[DatasetCase]


class Discovery(ABC):
    """The discovery of one run: protocol, prompts, settings and material together."""

    settings: DiscoverySettings
    sampling: Mapping[str, Sampling]
    """The parameters that are sent with the messages, by role."""

    @abstractmethod
    def round(self, number: int, state: JsonValue) -> Work[DiscoveryRound]:
        """The round with this number (from 1). ``state`` is that of the previous round; None at first."""

    @abstractmethod
    def samples(self) -> Mapping[str, Sample]:
        """One request of each kind by the name of its prompt, to show and to estimate."""

    @abstractmethod
    def calls(self) -> Mapping[str, Mapping[str, int]]:
        """Calls by the name of the prompt under different assumptions, by the title of the assumption."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscoveryPlan(Procedure):
    """What a protocol of libraries offers for discovery.

    ``start`` returns the Discovery of a run from settings, prompts, material and random seed. It raises
    RequestError if nothing can be discovered on the material. ``pairs_protocol`` names the protocol of the
    pairs, and ``needed_values`` their published values that it needs. Records are of the protocol itself or
    of ``rewrites_protocol``.
    """

    lacking = "has nothing to discover; give a library with --library"
    name: str = "discover"
    settings: type[DiscoverySettings]
    pairs_protocol: str
    rewrites_protocol: str
    needed_values: tuple[str, ...]
    start: Callable[[Any, Prompts, DiscoveryMaterial, int], Discovery]
