"""What one process does of an evaluation run: all that is missing in a file, chunks of it on a server."""

from collections import Counter
from collections.abc import Callable, Collection, Coroutine, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, contextmanager, suppress
from itertools import product
from typing import Any, NamedTuple, Protocol

from reviewer.core.errors import StoreError
from reviewer.llm.client import ModelClient
from reviewer.llm.rate_limit import SharedLimits
from reviewer.llm.settings import CallLimits
from reviewer.protocols.evaluation import Condition
from reviewer.runs.engine.lock_renewal import renewed
from reviewer.runs.evaluation.evaluation_setup import PreparedEvaluation
from store.database import Database
from store.evaluations import Evaluations
from store.records import Outcome, OutcomeState, RunLock, SampledCase
from store.run_lock import held

LEAST_AT_ONCE = 128
"""Requests that are prepared at a time, at least. The client sends as many of them as its limits allow."""

States = dict[tuple[str, int, str, int], OutcomeState]
"""State by model, place of the case, key of the condition, and repeat."""
OutcomeCounts = Counter[tuple[str, OutcomeState]]


class ModelQuestion(NamedTuple):
    """One question to one model; on a server with its chunk, and the lease under which it was taken."""

    model: str
    sampled: SampledCase
    condition: Condition
    repeat: int
    chunk: int = 0
    lease: str = ""

    @property
    def place(self) -> tuple[str, int, str, int]:
        """What identifies its outcome in the run."""
        return self.model, self.sampled.place, self.condition.key, self.repeat


class RunShare(Protocol):
    """What one process does of a run. ``states`` has the outcomes that it knows of."""

    states: States
    processes: int
    """How many processes take part now."""
    at_once: int
    """Requests that are prepared at a time."""

    @property
    def limits(self) -> SharedLimits | None:
        """The limits that are kept with other processes."""
        ...

    def renewed(self, client: ModelClient) -> AbstractAsyncContextManager[None]:
        """Renew the lock or the lease during the block."""
        ...

    def begin(self, endpoint: str) -> None:
        """Write a new run or new models, and read what is there; called in a thread."""
        ...

    async def next_question(
        self, failed: Collection[str], keep: Callable[[], Coroutine[Any, Any, None]]
    ) -> ModelQuestion | None:
        """The next question; None if nothing is left. It may wait for other processes.

        Models that have ``failed`` are not asked, but their questions come here too, for an outcome without
        an answer. ``keep`` keeps the outcomes that wait.
        """
        ...

    def ended(self, question: ModelQuestion) -> None:
        """Nothing is under way for a question any more."""
        ...

    def keep(self, outcomes: Sequence[tuple[ModelQuestion, Outcome]]) -> None:
        """Save outcomes in one transaction; called in a thread."""
        ...

    def counts(self, now: bool) -> OutcomeCounts | None:
        """The outcomes of all processes by model and state; None if they are not counted ``now``."""
        ...


@contextmanager
def share_of_run(
    database: Database,
    prepared: PreparedEvaluation,
    endpoint: str,
    limits: CallLimits,
    *,
    take_over: bool = False,
) -> Iterator[RunShare]:
    """Work on a run: alone if the store is a file, together with other processes if it is on a server.

    Raises RequestError if another process has the run for itself.
    """
    if not database.on_server:
        with held(database, prepared.run.name, take_over=take_over, kind="evaluate") as hold:
            yield WholeRun(database, hold, prepared, limits)
        return
    from reviewer.runs.evaluation.shared_run import SharedRun  # that module imports this one

    share = SharedRun(database, prepared, endpoint, limits, take_over=take_over)
    try:
        yield share
    finally:
        with suppress(StoreError):  # a lease that is not given back ends by itself
            share.leave()


class WholeRun:
    """All that is missing of a run, for the one process that holds its lock."""

    limits: SharedLimits | None = None

    def __init__(
        self, database: Database, hold: RunLock, prepared: PreparedEvaluation, limits: CallLimits
    ) -> None:
        self._database, self._hold, self._prepared = database, hold, prepared
        self._evaluations = Evaluations(database)
        self.states: States = {}
        self.processes, self.at_once = 1, max(LEAST_AT_ONCE, 2 * limits.concurrency)
        everything = range(len(prepared.sample))
        repeats = range(prepared.settings.repeats)
        self._questions = questions_left(prepared, self.states, repeats, everything, prepared.models)

    def renewed(self, client: ModelClient) -> AbstractAsyncContextManager[None]:
        """Renew the lock during the block; raises RequestError if another process took it over."""
        return renewed(self._database, self._hold, client)

    def begin(self, endpoint: str) -> None:
        """Write a new run or new models, and read what is there."""
        run, models = self._prepared.run, [(model, endpoint) for model in self._prepared.models]
        if self._prepared.is_new:
            self._evaluations.begin(run, self._prepared.sample, models, self._hold)
            return
        self._evaluations.add_models(run.name, models, self._hold)
        self.states.update((row[:4], row[4]) for row in self._evaluations.coded(run.name))

    async def next_question(
        self, failed: Collection[str], keep: Callable[[], Coroutine[Any, Any, None]]
    ) -> ModelQuestion | None:
        """The next question; None if nothing is left."""
        return next(self._questions, None)

    def ended(self, question: ModelQuestion) -> None:
        """Nothing depends on it here."""

    def keep(self, outcomes: Sequence[tuple[ModelQuestion, Outcome]]) -> None:
        """Save outcomes in one transaction; raises RequestError if another process took the run over."""
        self._evaluations.keep([outcome for _, outcome in outcomes], self._hold)

    def counts(self, now: bool) -> OutcomeCounts | None:
        """There are no other processes."""
        return None


def questions_left(
    prepared: PreparedEvaluation,
    states: Mapping[tuple[str, int, str, int], OutcomeState],
    repeats: Iterable[int],
    places: Iterable[int],
    models: Iterable[str],
) -> Iterator[ModelQuestion]:
    """The questions without an answer: all cases and conditions of a repeat before the next repeat."""
    for repeat, place, condition, model in product(repeats, places, prepared.conditions, models):
        question = ModelQuestion(model, prepared.sample[place], condition, repeat)
        if states.get(question.place, "missing") == "missing":
            yield question
