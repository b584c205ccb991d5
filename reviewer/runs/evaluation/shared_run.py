"""One process of several that share an evaluation run on a server: it leases chunks and asks what is in them.

If it renews its lease too late, it sends nothing more under it. It waits for the calls under way, which are
kept with the calls of the store, and then takes part again under a new lease.
"""

import asyncio
import math
import time
from collections import Counter, defaultdict, deque
from collections.abc import AsyncIterator, Callable, Collection, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any

from reviewer.core.errors import RequestError, StoreError
from reviewer.llm.client import ModelClient
from reviewer.llm.errors import LeaseEnded, Stopped
from reviewer.llm.rate_limit import Portion, SharedLimits
from reviewer.llm.settings import CallLimits
from reviewer.runs.evaluation.evaluation_setup import PreparedEvaluation
from reviewer.runs.evaluation.run_share import ModelQuestion, OutcomeCounts, States, questions_left
from store import evaluation_leases as leases
from store.database import Database
from store.endpoint_use import PORTION_SECONDS, draw_portion
from store.evaluations import Evaluations, keep_leased
from store.records import EvaluationChunk, EvaluationProcess, Outcome

_RENEWALS = 4
"""Renewals of a lease before it ends."""
_SECONDS_TAKEN = 3.0
"""A process takes about as many chunks as it answers in this time."""
_QUESTIONS_A_CHUNK, _MOST_CHUNKS = 16, 20_000
_SECONDS_BETWEEN_LOOKS = 0.5
_COUNTING_SHARE = 0.05
"""The share of the time for which outcomes of all processes are counted."""


def _clock() -> float:
    """Seconds that also pass while this process or its machine sleeps."""
    return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))


class SharedRun:
    """The part of a run that this process has leased, and the limits that it keeps with the others."""

    seconds = PORTION_SECONDS

    def __init__(
        self,
        database: Database,
        prepared: PreparedEvaluation,
        endpoint: str,
        limits: CallLimits,
        *,
        take_over: bool = False,
    ) -> None:
        self._database, self._prepared, self._endpoint = database, prepared, endpoint
        self._evaluations = Evaluations(database)
        self._call_limits = limits
        self.states: States = {}
        self.processes, self.at_once = 1, 2 * limits.concurrency
        self._leases: dict[str, EvaluationProcess] = {}
        self._left = Counter[tuple[str, int]]()
        self._waiting, self._under_way = deque[ModelQuestion](), 0
        self._idle, self._taking = asyncio.Event(), asyncio.Lock()
        self._given_up = set[str]()
        self._answered, self._taken_at = 0, _clock()
        self._next_count, self._questions_a_chunk = 0.0, _QUESTIONS_A_CHUNK
        self._client: ModelClient | None = None
        self._valid_until: float = math.inf
        self._idle.set()
        self._join(take_over)

    @property
    def limits(self) -> SharedLimits:
        """The limits that are kept with other processes."""
        return self

    def check(self) -> None:
        """Raise LeaseEnded if this process may send nothing now."""
        if _clock() >= self._valid_until:
            self._valid_until = -math.inf  # a later renewal does not bring the dropped questions back
            raise LeaseEnded("the lease of this process has ended; its questions are taken again.")

    def draw(
        self, requests: int, tokens: int, least: int, corrections: Mapping[int, tuple[int, int]]
    ) -> Portion:
        """What this process may send in the next second."""
        return draw_portion(self._database, self._process, requests, tokens, least, corrections)

    def _join(self, take_over: bool = False) -> None:
        limits, before = self._call_limits, _clock()
        self._process = leases.join_run(
            self._database,
            self._prepared.run.name,
            self._prepared.models,
            self._endpoint,
            (limits.requests_per_minute, limits.tokens_per_minute),
            take_over=take_over,
        )
        self._leases[self._process.holder] = self._process
        self._valid_until = before + leases.LEASE_MS / 1000

    def leave(self) -> None:
        """End the lease, so that others can take what is not done at once."""
        self._valid_until = -math.inf
        leases.leave_run(self._database, self._process)

    @asynccontextmanager
    async def renewed(self, client: ModelClient) -> AsyncIterator[None]:
        """Renew the lease during the block."""
        self._client = client
        renewing = asyncio.create_task(self._keep_renewing())
        try:
            yield
        finally:
            renewing.cancel()

    async def _keep_renewing(self) -> None:
        while True:
            await asyncio.sleep(leases.LEASE_MS / 1000 / _RENEWALS)
            process, before = self._process, _clock()
            with suppress(StoreError):  # if the store cannot be reached now, the next renewal may do
                processes = await asyncio.to_thread(leases.renew_lease, self._database, process)
                if process is self._process and self._valid_until > -math.inf:
                    self.processes = processes or self.processes
                    self._valid_until = before + leases.LEASE_MS / 1000 if processes else -math.inf

    def begin(self, endpoint: str) -> None:
        """Write a new run or new models, and divide what is missing into chunks if nobody has."""
        run, models = self._prepared.run, [(model, endpoint) for model in self._prepared.models]
        if self._prepared.is_new:
            try:
                self._evaluations.begin(run, self._prepared.sample, models)
            except RequestError:
                self._check_same_run(endpoint)
        self._evaluations.add_models(run.name, models)
        self._add_chunks()

    def _check_same_run(self, endpoint: str) -> None:
        """Raise RequestError if another process has just begun another run of this name."""
        prepared, evaluations = self._prepared, self._evaluations
        begun = evaluations.run(prepared.run.name)
        servers = {model.model: model.endpoint for model in evaluations.models(begun.name)}
        same = (
            (begun.protocol, begun.settings) == (prepared.run.protocol, prepared.run.settings)
            and evaluations.sample(begun.name) == list(prepared.sample)
            and all(servers.get(model, endpoint) == endpoint for model in prepared.models)
        )
        if not same:
            raise RequestError(
                f"another process has just begun run {begun.name!r} with other settings or cases; take part "
                f"in it with `reviewer evaluate {begun.name}`, or choose another name."
            )

    def _add_chunks(self) -> None:
        """Divide what is missing into chunks, for models that have none."""
        prepared, run = self._prepared, self._prepared.run.name
        self.states.clear()
        self.states.update((row[:4], row[4]) for row in self._evaluations.coded(run))
        conditions, cases = len(prepared.conditions), len(prepared.sample)
        questions = conditions * cases * prepared.settings.repeats * len(prepared.models)
        places = max(1, max(_QUESTIONS_A_CHUNK, questions // _MOST_CHUNKS) // max(1, conditions))
        self._questions_a_chunk = max(1, places * conditions)
        chunks = [
            EvaluationChunk(
                run=run, number=0, model=model, repeat=repeat, first=first, places=min(places, cases - first)
            )
            for repeat in range(prepared.settings.repeats)
            for first in range(0, cases, places)
            for model in prepared.models
        ]
        leases.add_chunks(self._database, [chunk for chunk in chunks if self._questions_of(chunk)])

    def _questions_of(self, chunk: EvaluationChunk, lease: str = "") -> list[ModelQuestion]:
        places = range(chunk.first, chunk.first + chunk.places)
        left = questions_left(self._prepared, self.states, (chunk.repeat,), places, (chunk.model,))
        return [question._replace(chunk=chunk.number, lease=lease) for question in left]

    async def next_question(
        self, failed: Collection[str], keep: Callable[[], Coroutine[Any, Any, None]]
    ) -> ModelQuestion | None:
        """The next question; None if no process has anything left to ask."""
        async with self._taking:
            if not self._given_up.issuperset(failed):
                await self._give_up(set(failed) - self._given_up)
            while not self._waiting or _clock() >= self._valid_until:
                if not self._under_way:
                    await keep()
                if not await self._take_more():
                    return None
            self._under_way += 1
            self._idle.clear()
            return self._waiting.popleft()

    def ended(self, question: ModelQuestion) -> None:
        """Nothing is under way for a question any more."""
        self._under_way, self._answered = self._under_way - 1, self._answered + 1
        if not self._under_way:
            self._idle.set()

    async def _take_more(self) -> bool:
        """Take chunks, or wait until there may be some; False if all are done."""
        if self._client is not None and self._client.stopped:
            raise Stopped("the run was stopped; requests in flight were finished and stored.")
        if _clock() >= self._valid_until:
            await self._join_again()
        asked = [model for model in self._prepared.models if model not in self._given_up]
        taken = await asyncio.to_thread(
            leases.take_chunks, self._database, self._process, asked, self._most()
        )
        if taken is None:
            self._valid_until = -math.inf
            return True
        self.processes = taken.processes
        if taken.chunks:
            await asyncio.to_thread(self._begin_chunks, taken)
        elif taken.left:
            await self._wait()
        return bool(taken.left)

    async def _wait(self) -> None:
        """Wait for other processes, or for the last calls of this one."""
        seconds = min(_SECONDS_BETWEEN_LOOKS, leases.LEASE_MS / 1000 / _RENEWALS)
        if self._under_way:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._idle.wait(), seconds)
        else:
            await asyncio.sleep(seconds)

    async def _join_again(self) -> None:
        """Take part under a new lease, when nothing is under way that was taken under the old one."""
        self._valid_until = -math.inf
        self._waiting.clear()
        await self._idle.wait()
        await asyncio.to_thread(self._join)
        await asyncio.to_thread(self._add_chunks)

    def _most(self) -> int:
        """How many chunks are a few seconds' work."""
        now = _clock()
        rate = self._answered / max(now - self._taken_at, 0.1)
        self._answered, self._taken_at = 0, now
        wanted = max(self._call_limits.concurrency, rate * _SECONDS_TAKEN)
        return math.ceil(wanted / self._questions_a_chunk)

    def _begin_chunks(self, taken: leases.TakenChunks) -> None:
        """Read what others have done of these chunks, and line up what is left."""
        lease = self._process.holder
        begun = [chunk for chunk in taken.chunks if chunk.number in taken.begun]
        self.states.update((row[:4], row[4]) for row in self._evaluations.coded_in(begun))
        nothing_left = []
        for chunk in taken.chunks:
            questions = self._questions_of(chunk, lease)
            self._left[lease, chunk.number] = len(questions)
            self._waiting.extend(questions)
            if not questions:
                nothing_left.append(chunk.number)
        if nothing_left:
            keep_leased(self._database, self._process, (), nothing_left)

    async def _give_up(self, models: set[str]) -> None:
        """Leave the questions of models that fail here to other processes."""
        self._given_up |= models
        theirs = {question.chunk for question in self._waiting if question.model in models}
        self._waiting = deque(question for question in self._waiting if question.chunk not in theirs)
        await asyncio.to_thread(leases.give_back, self._database, self._process, models)

    def keep(self, outcomes: Sequence[tuple[ModelQuestion, Outcome]]) -> None:
        """Save the outcomes of chunks that nobody else has taken since."""
        by_lease = defaultdict[str, list[tuple[int, Outcome]]](list)
        for question, outcome in outcomes:
            by_lease[question.lease].append((question.chunk, outcome))
        for lease, kept in by_lease.items():
            numbers = Counter(chunk for chunk, _ in kept)
            done = [chunk for chunk, answered in numbers.items() if self._left[lease, chunk] <= answered]
            keep_leased(self._database, self._leases[lease], kept, done)
            self._left.subtract({(lease, chunk): answered for chunk, answered in numbers.items()})

    def counts(self, now: bool) -> OutcomeCounts | None:
        """The outcomes of all processes, counted from time to time, or now."""
        began = _clock()
        if began < self._next_count and not now:
            return None
        counts = OutcomeCounts()
        for count in self._evaluations.counts(self._prepared.run.name):
            counts[count.model, count.state] = count.outcomes
        self._next_count = _clock() + (_clock() - began) / _COUNTING_SHARE
        return counts
