"""The part of the contract for discovery: rounds that look for new entries of a library and validate them.

A round is a Python generator that yields needs, as the steps of generation do (``generation.py``). It
returns everything that it tried, whatever became of it. ``reviewer/runs/discovery`` fulfils the needs and
stores each complete round. It does not know what the rounds are about.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from pydantic import BaseModel, ConfigDict, Field

from reviewer.protocols.base import DatasetCase
from reviewer.protocols.generation import Sample
from reviewer.protocols.prompts import PromptPlan, Prompts
from reviewer.protocols.work import Work
from store.records import JsonValue


class DiscoverySettings(BaseModel):
    """The settings of every protocol's discovery. Protocols add their own."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    rounds: int = Field(default=4, ge=1, le=20)
    """maximum number of rounds; a run also ends after a round that keeps nothing"""
    most_pairs: int = Field(default=0, ge=0)
    """maximum number of pairs that each round rewrites, drawn by the random seed; 0: all"""
    most_validation: int = Field(default=0, ge=0)
    """maximum number of items that candidates are validated on, drawn by the random seed; 0: all"""


@dataclass(frozen=True, slots=True)
class DiscoveryRecord:
    """One thing that a round tried: its payload (any JSON), its values, and what became of it.

    ``protocol`` names the protocol whose case it is. ``step`` is the last step that it reached and ``check``
    what was found there; ``why`` is a sentence that says why it was discarded. ``calls`` are the ids of its
    calls, and ``counts_as`` says in a word or two among what it is counted. Records of one round have
    different keys.
    """

    protocol: str
    group: str
    key: str
    payload: Mapping[str, JsonValue]
    counts_as: str
    approved: bool
    step: str
    check: str
    why: str = ""
    value: JsonValue = None
    threshold: JsonValue = None
    values: Mapping[str, JsonValue] = field(default_factory=dict)
    calls: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DiscoveryRound:
    """What a round tried, the state that it leaves for the next (plain JSON), and what it kept, by name."""

    records: Sequence[DiscoveryRecord]
    state: JsonValue
    kept: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DiscoveryMaterial:
    """What a run works on: a library of known entries, pairs that rewrites are made of, and other pairs on
    which candidates are validated. Run and datasets are named in what is stored with an entry.
    """

    run: str
    rewrites_dataset: str
    validation_dataset: str

    library: Sequence[DatasetCase]
    pairs: Sequence[DatasetCase]
    validation: Sequence[DatasetCase]


class Discovery(ABC):
    """The discovery of one run: protocol, prompts, settings, material and models together."""

    settings: DiscoverySettings

    @abstractmethod
    def round(self, number: int, state: JsonValue) -> Work[DiscoveryRound]:
        """The round with this number (from 1). ``state`` is what the round before left; None at first."""

    @abstractmethod
    def samples(self) -> Mapping[str, Sample]:
        """One request of each kind by the name of its prompt, to show and to estimate."""

    @abstractmethod
    def calls(self) -> Mapping[str, Mapping[str, int]]:
        """Calls by the name of the prompt under different assumptions, by the title of the assumption."""


@dataclass(frozen=True, slots=True)
class DiscoveryPlan:
    """What a protocol of libraries offers for discovery: its prompts, its settings, and ``start``.

    ``start`` returns the Discovery of a run from judge, teacher, settings, prompts, material and random seed.
    It raises RequestError if nothing can be discovered on the material. ``pairs_protocol`` names the protocol
    of the pairs. ``needed_values`` are the published values of pairs that it needs. Records are of the
    protocol itself or of ``rewrites_protocol``.
    """

    prompts: PromptPlan
    settings: type[DiscoverySettings]
    pairs_protocol: str
    rewrites_protocol: str
    needed_values: tuple[str, ...]
    start: Callable[[str, str, DiscoverySettings, Prompts, DiscoveryMaterial, int], Discovery]
