"""The contract's half for generation: how a protocol grows new cases from seeds, without opening a door.

An expansion and a step are generators. They yield what they need (replies of a model, vectors, programs run,
the nearest approved text), are sent what came of that, and return candidates, or a verdict on one.
``reviewer/runs`` sees to the needs, keeps every candidate with its verdict, and knows nothing of what the
steps are about.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field

from reviewer.core.check_result import CheckResult, first_failed
from reviewer.llm.request import ModelReply, ModelRequest
from reviewer.oracle.evidence import Evidence
from reviewer.oracle.examination import Examination
from reviewer.oracle.program import Program
from reviewer.oracle.result import Result
from reviewer.protocols.prompts import PromptPlan, Prompts
from store.records import Case, JsonValue

Vectors = NDArray[np.float32]
T = TypeVar("T")
Work = Generator["Need", Any, T]
"""What may ask for any number of needs before it returns a T."""


@dataclass(frozen=True, slots=True)
class Replies:
    """Needs a model's replies to all of these, in their order: a sequence of Reply."""

    asks: tuple[ModelRequest, ...]


@dataclass(frozen=True, slots=True)
class Embedded:
    """Needs the vectors of these texts: an array of one row of length 1 a text."""

    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Decided:
    """Needs these programs of one case run: a sequence of Result."""

    programs: tuple[Program, ...]


@dataclass(frozen=True, slots=True)
class Examined:
    """Needs everything that an audit runs: an Evidence."""

    examination: Examination


@dataclass(frozen=True, slots=True)
class Nearest:
    """Needs the approved text that is most like this one: a Neighbour, or None while nothing is approved."""

    text: str


@dataclass(frozen=True, slots=True)
class Neighbour:
    """An approved text by the key of its place, and how similar it is (cosine)."""

    key: str
    similarity: float


Need = Replies | Embedded | Decided | Examined | Nearest


def replies_to(*asks: ModelRequest) -> Work[tuple[ModelReply, ...]]:
    """The replies to all asks, which may be under way at once."""
    found: Sequence[ModelReply] = yield Replies(asks)
    return tuple(found)


def vectors_of(*texts: str) -> Work[Vectors]:
    """The texts' vectors, one row each."""
    found: Vectors = yield Embedded(texts)
    return found


def results_of(*programs: Program) -> Work[tuple[Result, ...]]:
    """What the programs of one case decide."""
    found: Sequence[Result] = yield Decided(programs)
    return tuple(found)


def evidence_of(examination: Examination) -> Work[Evidence]:
    """What all checks of the audit look at."""
    found: Evidence = yield Examined(examination)
    return found


def nearest_to(text: str) -> Work[Neighbour | None]:
    """The approved text that is most like this one."""
    found: Neighbour | None = yield Nearest(text)
    return found


class GenerationSettings(BaseModel):
    """What every protocol's generation can be told. Protocols add their own."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    target: int = Field(default=100, ge=1, le=100_000)
    """valid cases wanted of each group"""
    batch_size: int = Field(default=5, ge=1, le=50)
    """cases asked for in one expansion"""
    expansions_at_once: int = Field(default=1, ge=1, le=100)
    """expansions of each group in one round; candidates of a round are checked side by side"""
    patience: int = Field(default=10, ge=0)
    """expansions after which a group without a second valid case is given up, as after three times so many
    without any; 0: never"""
    order: Literal["cost", "paper"] = "cost"
    """which steps come first: what costs least, or as the paper has them (decides which filter counts)"""


@dataclass(frozen=True, slots=True)
class Draft:
    """A candidate as far as it got: its payload, any JSON, and the values published with such a case."""

    group: str
    payload: Mapping[str, JsonValue]
    values: Mapping[str, JsonValue] = field(default_factory=dict)

    def adding(self, payload: Mapping[str, JsonValue] | None = None, **values: JsonValue) -> "Draft":
        """This with more payload and values."""
        return replace(self, payload={**self.payload, **(payload or {})}, values={**self.values, **values})


@dataclass(frozen=True, slots=True)
class NoDraft:
    """What was asked for as a candidate and is none: a sentence that says why, and the reply itself."""

    why: str
    reply: str = ""


@dataclass(frozen=True, slots=True)
class Tried:
    """A candidate of a round, the number of its expansion in the group, and what became of it.

    ``check`` is the one that decided, and ``why`` its sentence, "" for an approved candidate.
    """

    expansion: int
    draft: Draft
    approved: bool
    check: str
    why: str


@dataclass(frozen=True, slots=True)
class StepResult:
    """What a step makes of a draft: the draft with what was learnt, and what each check says."""

    draft: Draft
    judged: tuple[CheckResult, ...]

    @property
    def decisive(self) -> CheckResult:
        """The first check that was not passed, else the last one."""
        return first_failed(self.judged)


@dataclass(frozen=True, slots=True)
class Step:
    """One filter. ``counts_as`` is its name in the published funnel ("" where that has none), ``question``
    what it bears on, ``calls`` how many model calls of each kind it makes when all goes well.
    """

    name: str
    check: Callable[[Draft], Work[StepResult]]
    counts_as: str = ""
    question: str | None = None
    calls: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Sample:
    """A request as it will be made, and about how many characters its answer will have."""

    ask: ModelRequest
    answer_characters: int


@dataclass(frozen=True, slots=True)
class PublishedRun:
    """What a published run discarded, by filter, and how many cases were valid (None: not known)."""

    name: str
    valid: int | None
    discarded: Mapping[str, int]


class Generation(ABC):
    """One run's way of making cases: protocol, prompts, settings, seeds and model put together."""

    settings: GenerationSettings
    steps: tuple[Step, ...]
    """In the order asked for."""
    at_approval: Step | None = None
    """Asked once more of what passed all steps, one candidate after another: each sees those before."""

    @abstractmethod
    def expansion(self, group: str, attempt: int, state: JsonValue) -> Work[Sequence[Draft | NoDraft]]:
        """New candidates for a group, in one request or several; attempts count from 0 within the group.

        ``state`` is what ``next_state`` gave after the round before, None in the first round.
        """

    def next_state(self, state: JsonValue, tried: Sequence[Tried]) -> JsonValue:
        """What the next round's expansions are told: plain JSON, made of the state so far and this round.

        The run keeps it. Candidates come in the order of groups, expansions and places.
        """
        return state

    def compared_text(self, payload: Mapping[str, JsonValue]) -> str:
        """The text of an approved case that no later one may be too like; "" where none is compared."""
        return ""

    def values_of_seed(self, case: Case) -> Work[Mapping[str, JsonValue]]:
        """What is published with a seed beside what came with it; nothing unless a protocol has more."""
        yield from ()
        return {}

    def key(self, group: str, attempt: int, number: int) -> str:
        """The key of a candidate's place, by its expansion (from 0) and its number in it (from 1)."""
        return f"{group}/{attempt}-{number}"

    def seed_key(self, group: str, number: int) -> str:
        """The key of a seed's place, from its number in the group (from 1)."""
        return f"{group}/seed-{number}"

    @abstractmethod
    def samples(self, group: str) -> Mapping[str, Sample]:
        """One request of each kind by the name of its prompt, filled from a seed: to show and to estimate.

        The requests of an expansion are among them under ``expansion``, and under names that no step calls.
        """


@dataclass(frozen=True, slots=True)
class GenerationPlan:
    """What a protocol offers for generation: its prompts, its settings, and ``start``, which makes a run's
    Generation of model, settings, prompts, seeds by group, and the run's seed.

    ``filters`` are those of the published funnel, in its order, and ``published`` the runs that it tells of;
    neither where nothing was published. ``runs_programs`` and ``compares_texts`` say that candidates need
    SWI-Prolog and a sentence model: both are made ready before a model is asked.
    """

    prompts: PromptPlan
    settings: type[GenerationSettings]
    start: Callable[[str, GenerationSettings, Prompts, Mapping[str, Sequence[Case]], int], Generation]
    filters: tuple[str, ...] = ()
    published: tuple[PublishedRun, ...] = ()
    runs_programs: bool = False
    compares_texts: bool = False
