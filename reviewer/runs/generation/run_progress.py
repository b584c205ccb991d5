"""How far a run of generation is: plain values for displays."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from reviewer.protocols.base import Protocol
from reviewer.protocols.generation import GenerationSettings
from reviewer.protocols.registry import protocols_of
from reviewer.runs.generation.run_state import settings_of
from store.candidates import Expansions, Fate, expansions_of, fates
from store.database import Database
from store.records import Run

FEW = 2
"""A group that has not so many valid cases after ``patience`` expansions does not converge."""
LONG = 3
"""Nor does one that had no valid case in so many times ``patience`` expansions: its model has no more."""


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
        """Whether it does not converge, or has stopped to."""
        slow = self.valid < min(FEW, self.target) and self.patience <= self.expansions
        return self.patience > 0 and (slow or self.expansions_since_valid >= LONG * self.patience)

    @property
    def is_open(self) -> bool:
        """Whether more is to be asked for."""
        return self.valid < self.target and not self.given_up


@dataclass(frozen=True, slots=True)
class RunProgress:
    """How far a run is, candidates of the round under way included; ``discarded`` counts them by step."""

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
    found: Iterable[Fate],
    expansions: Expansions,
    rounds: int,
) -> RunProgress:
    """The standing of a run from the fates of its candidates and the expansions of its groups."""
    valid, tried, discarded = Counter[str](), Counter[str](), Counter[str]()
    for fate in found:
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
    """How far a run is, as the store has it."""
    protocol = protocols_of(database).named(run.protocol)
    settings = settings_of(run, protocol.generation_plan())
    with database.read() as session:
        found, expansions = fates(session, run.name), expansions_of(session, run.name)
    return run_progress(groups_of(protocol, run), settings, found, expansions, run.rounds)


def groups_of(protocol: Protocol, run: Run) -> list[str]:
    """The groups of a run, in the order of its protocol, or of its seeds where groups come from them."""
    return protocol.groups_among(run.seeds)
