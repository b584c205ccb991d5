"""The progress of a generation run as plain values for displays."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from reviewer.protocols.base import Protocol
from reviewer.protocols.generation import GenerationPlan, GenerationSettings
from reviewer.protocols.registry import protocols_of
from store.candidates import Expansions, Fate, expansions_of, fates
from store.database import Database
from store.records import Run

FEW = 2
"""A group with fewer valid cases than this after ``patience`` expansions does not converge."""
LONG = 3
"""Nor does a group without a valid case in this many times ``patience`` expansions."""


@dataclass(frozen=True, slots=True)
class GroupProgress:
    """How far one group is."""

    group: str
    valid: int
    tried: int
    expansions: int
    expansions_since_valid: int
    """Expansions since the last valid case."""
    target: int
    patience: int

    @property
    def given_up(self) -> bool:
        """Whether the group does not converge, or no longer does."""
        slow = self.valid < min(FEW, self.target) and self.patience <= self.expansions
        return self.patience > 0 and (slow or self.expansions_since_valid >= LONG * self.patience)

    @property
    def is_open(self) -> bool:
        """Whether more candidates will be asked for."""
        return self.valid < self.target and not self.given_up


@dataclass(frozen=True, slots=True)
class RunProgress:
    """How far a run is, including the candidates of the current round; ``discarded`` counts by step."""

    groups: tuple[GroupProgress, ...]
    discarded: dict[str, int]
    rounds: int

    @property
    def valid(self) -> int:
        """Valid cases of all groups."""
        return sum(group.valid for group in self.groups)

    @property
    def tried(self) -> int:
        """Candidates of all groups."""
        return sum(group.tried for group in self.groups)

    @property
    def missing(self) -> int:
        """Valid cases still to be found, in groups that are not given up."""
        return sum(group.target - group.valid for group in self.groups if group.is_open)


RunProgressCallback = Callable[[RunProgress], None]


def run_progress(
    groups: Sequence[str],
    settings: GenerationSettings,
    candidate_fates: Iterable[Fate],
    expansions: Expansions,
    rounds: int,
) -> RunProgress:
    """The progress of a run from the fates of its candidates and the expansions of its groups."""
    valid, tried, discarded = Counter[str](), Counter[str](), Counter[str]()
    for fate in candidate_fates:
        tried[fate.group] += fate.candidates
        if fate.approved:
            valid[fate.group] += fate.candidates
        else:
            discarded[fate.step] += fate.candidates
    return RunProgress(
        tuple(
            GroupProgress(
                group,
                valid[group],
                tried[group],
                expansions.all[group],
                expansions.all[group] - expansions.fruitful[group],
                settings.target,
                settings.patience,
            )
            for group in groups
        ),
        dict(discarded),
        rounds,
    )


def read_progress(database: Database, run: Run) -> RunProgress:
    """How far a run is, according to the store."""
    protocol = protocols_of(database).named(run.protocol)
    settings = settings_of(run, protocol.generation_plan())
    with database.read() as session:
        candidate_fates, expansions = fates(session, run.name), expansions_of(session, run.name)
    return run_progress(groups_of(protocol, run), settings, candidate_fates, expansions, run.rounds)


def settings_of(run: Run, plan: GenerationPlan | None) -> GenerationSettings:
    """The settings as the protocol reads them."""
    model = plan.settings if plan else GenerationSettings
    return model.model_validate(run.settings)


def groups_of(protocol: Protocol, run: Run) -> list[str]:
    """The groups of a run, in the order of its protocol, or of its seeds if groups come from the data."""
    return protocol.groups_among(run.seeds)
