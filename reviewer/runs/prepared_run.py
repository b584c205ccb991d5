"""A run of any procedure once it is set up: it is estimated, begun and carried on in one way everywhere."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any

from reviewer.llm.model_settings import CallLimits, Price
from reviewer.runs.cost_estimate import CostEstimate
from reviewer.runs.engine.run_loop import CarriedRun, HeldRun, RunShare
from reviewer.runs.engine.run_progress import RunProgress
from reviewer.runs.engine.work_runner import RunTools
from store.database import Database
from store.leases import held
from store.records import Run


@dataclass(frozen=True)
class PreparedRun(ABC):
    """A run that can be carried on: a new one that is not written yet, or a stored one."""

    database: Database
    run: Run

    @property
    def models(self) -> tuple[str, ...]:
        """The models that are asked."""
        return tuple(dict.fromkeys(self.run.roles.values()))

    @property
    def priced(self) -> tuple[str, ...]:
        """Every model that may cost something."""
        return self.models

    @property
    def runs_programs(self) -> bool:
        """Whether it needs SWI-Prolog."""
        return False

    @property
    def compares_texts(self) -> bool:
        """Whether it needs a sentence model."""
        return False

    @property
    def notes(self) -> Sequence[str]:
        """Sentences that somebody should read before it goes on."""
        return ()

    @property
    def is_at_end(self) -> bool:
        """Whether there is nothing left to do."""
        return False

    @abstractmethod
    def estimate(self, prices: Mapping[str, Price], limits: CallLimits) -> CostEstimate:
        """What it takes, at these prices by model and within these limits; nothing is sent."""

    @abstractmethod
    def progress(self) -> RunProgress:
        """How far it is, according to the store."""

    def share(
        self, endpoint: str, limits: CallLimits, *, take_over: bool = False
    ) -> AbstractContextManager[RunShare]:
        """What this process does of it: here all of it; raises RequestError if another one works on it."""
        return self._alone(take_over)

    @abstractmethod
    def carried(self, share: Any, tools: RunTools) -> CarriedRun[Any, Any]:
        """The run as the engine carries it on."""

    @contextmanager
    def _alone(self, take_over: bool) -> Iterator[HeldRun]:
        with held(self.database, self.run.name, take_over=take_over, kind=self.run.kind) as lease:
            yield HeldRun(self.database, lease)
