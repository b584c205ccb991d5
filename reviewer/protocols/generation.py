"""The part of the contract for generation: how a protocol generates new cases from seeds.

Expansions and steps are works (``work.py``). An expansion returns candidates; a step returns the results of
its checks on one candidate. ``reviewer/runs`` stores every candidate with its results. It does not know what
the steps are about.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal

from pydantic import Field

from reviewer.core.check_result import CheckResult
from reviewer.core.source_text import SettingsSource
from reviewer.protocols.procedure import (
    GivenSettings,
    Procedure,
    ProcedureSettings,
    Prompts,
    Sample,
    Sampling,
    TriedCase,
)
from reviewer.protocols.work import Work
from store.records import Case, JsonValue


class GenerationSettings(ProcedureSettings):
    """The settings of every protocol's generation. Protocols add their own."""

    changeable: ClassVar[frozenset[str]] = frozenset({"target", "patience"})

    target: int = Field(default=100, ge=1, le=100_000)
    """number of valid cases to generate for each group"""
    batch_size: int = Field(default=5, ge=1, le=50)
    """cases to ask for in one expansion"""
    expansions_at_once: int = Field(default=1, ge=1, le=100)
    """expansions of each group in one round; the candidates of a round are checked concurrently"""
    patience: int = Field(default=10, ge=0)
    """give up a group that has fewer than two valid cases after this many expansions, or that had no new
    valid case in three times as many expansions; 0: never give up"""
    order: Literal["cost", "paper"] = "cost"
    """order of the filters: cost (cheapest first) or paper (as in the paper). A discarded candidate is
    counted under the first filter that it fails"""


@dataclass(frozen=True, slots=True)
class RepeatedRequests:
    """Where a protocol that repeats requests keeps why: ``value`` is the value of candidates that counts the
    replies that broke a rule, by rule, and ``step`` the step that discards a candidate for these rules.
    """

    step: str
    value: str


@dataclass(frozen=True, slots=True)
class Draft:
    """A candidate, possibly incomplete: its payload (any JSON) and the values measured on it."""

    group: str
    payload: Mapping[str, JsonValue]
    values: Mapping[str, JsonValue] = field(default_factory=dict)

    def adding(self, payload: Mapping[str, JsonValue] | None = None, **values: JsonValue) -> "Draft":
        """A copy with more payload and values."""
        return replace(self, payload={**self.payload, **(payload or {})}, values={**self.values, **values})


@dataclass(frozen=True, slots=True)
class NoDraft:
    """A reply without a usable candidate: a sentence that says why, and the reply itself."""

    why: str
    reply: str = ""


@dataclass(frozen=True, slots=True)
class StepResult:
    """The result of a step: the draft with the additions of the step, and the result of each check."""

    draft: Draft
    judged: tuple[CheckResult, ...]


@dataclass(frozen=True, slots=True)
class Step:
    """One filter. ``counts_as`` is its name in the published funnel ("" if it has none), and ``calls`` the
    number of model calls of each kind without retries.
    """

    name: str
    check: Callable[[Draft], Work[StepResult]]
    counts_as: str = ""
    calls: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PublishedRun:
    """A published run: candidates discarded by each filter, and the number of valid cases (None: unknown)."""

    name: str
    valid: int | None
    discarded: Mapping[str, int]


class Generation(ABC):
    """The generation of one run: protocol, prompts, settings and seeds together."""

    settings: GenerationSettings
    sampling: Mapping[str, Sampling] = {}
    """What is sent beside the messages, by role; requests may have parameters of their own."""
    steps: tuple[Step, ...]
    """In the order of the settings."""
    at_approval: Step | None = None
    """Repeated for candidates that passed all steps, one after another, so that each sees those before it."""

    @abstractmethod
    def expansion(self, group: str, attempt: int, state: JsonValue) -> Work[Sequence[Draft | NoDraft]]:
        """New candidates for a group, from one request or several; attempts count from 0 within the group.

        ``state`` is the value that ``next_state`` returned after the previous round; None in the first round.
        """

    def next_state(self, state: JsonValue, tried: Sequence[TriedCase]) -> JsonValue:
        """The state for the next round's expansions: plain JSON, from the state so far and this round.

        The run stores it. Candidates come in the order of groups, expansions and places.
        """
        return state

    def compared_text(self, payload: Mapping[str, JsonValue]) -> str:
        """The text of an approved case that later ones must differ from; "" if no text is compared."""
        return ""

    def values_of_seed(self, case: Case) -> Work[Mapping[str, JsonValue]]:
        """Values measured on a seed in addition to its published ones; by default none."""
        yield from ()
        return {}

    def key(self, group: str, attempt: int, number: int) -> str:
        """The key of a candidate's place, from its expansion (from 0) and its number in it (from 1)."""
        return f"{group}/{attempt}-{number}"

    def seed_key(self, group: str, number: int) -> str:
        """The key of a seed's place, from its number in the group (from 1)."""
        return f"{group}/seed-{number}"

    @abstractmethod
    def samples(self, group: str) -> Mapping[str, Sample]:
        """One request of each kind by the name of its prompt, filled from a seed, to show and to estimate.

        Requests of an expansion have the name ``expansion`` or names that no step lists in its ``calls``.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class GenerationPlan(Procedure):
    """What a protocol offers for generation.

    ``start`` returns the Generation of a run from settings, prompts, seeds by group, and random seed.

    ``filters`` are those of the published funnel, in its order, and ``published`` its runs; both are empty if
    nothing was published. ``runs_programs`` and ``compares_texts`` say that candidates need SWI-Prolog and a
    sentence model; both are prepared before the first request to a model.
    """

    lacking = "cannot generate cases"
    name: str = "generate"
    settings: type[GenerationSettings]
    roles: tuple[str, ...] = ("author",)
    start: Callable[[Any, Prompts, Mapping[str, Sequence[Case]], int], Generation]
    filters: tuple[str, ...] = ()
    published: tuple[PublishedRun, ...] = ()
    runs_programs: bool = False
    compares_texts: bool = False
    groups: Callable[[Any, SettingsSource], Sequence[str]] | None = None
    """The groups that the settings name, for generation without seeds; raises ReviewerError."""
    repeated: RepeatedRequests | None = None
    """Where candidates say why requests were repeated; None if no reply is."""
    usual_file: str = ""
    """A file of the protocol's example with settings, for runs that are given too few; "" if none is."""
    usual: Callable[[GivenSettings, GivenSettings], GivenSettings] = lambda given, file: {**file, **given}
    """The settings that were given, completed from those of that file."""
