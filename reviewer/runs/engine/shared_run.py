"""One process of several that share a run on a server: it leases chunks of units and works on these.

If it renews its lease too late, it sends nothing more under it. It waits for the calls under way, which are
kept with the calls of the store, and then takes part again under a new lease.
"""

import asyncio
import math
import time
from abc import ABC, abstractmethod
from collections import Counter, defaultdict, deque
from collections.abc import AsyncIterator, Callable, Collection, Coroutine, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import Any, Generic, Protocol, TypeVar

from reviewer.core.errors import StoreError
from reviewer.llm.client import ModelClient
from reviewer.llm.model_settings import CallLimits
from reviewer.llm.rate_limit import Portion, SharedLimits
from reviewer.llm.request_errors import LeaseEnded, Stopped
from reviewer.runs.engine.run_loop import RENEWALS, HeldRun
from store import leases
from store.database import Database
from store.endpoint_use import PORTION_SECONDS, draw_portion
from store.records import Lease, Run, RunChunk

ProductT = TypeVar("ProductT")
LEAST_AT_ONCE = 128
"""Units that are under way at a time, at least. The client sends as many requests as its limits allow."""
_SECONDS_TAKEN = 3.0
"""A process takes about as many chunks as it answers in this time."""
_UNITS_A_CHUNK, _MOST_CHUNKS = 16, 20_000
_SECONDS_BETWEEN_LOOKS = 0.5


def _clock() -> float:
    """Seconds that also pass while this process or its machine sleeps."""
    return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))


class LeasedUnit(Protocol):
    """A unit with the model that it asks, the number of its chunk, and the lease under which it was taken."""

    @property
    def model(self) -> str:
        """The model; "" if a unit asks several."""
        ...

    @property
    def chunk(self) -> int:
        """The number of its chunk."""
        ...

    @property
    def lease(self) -> str:
        """The holder of the lease."""
        ...


LeasedT = TypeVar("LeasedT", bound=LeasedUnit)


class SharedUnits(ABC, Generic[LeasedT, ProductT]):
    """The units of a run that processes share."""

    run: str
    models: Sequence[str]
    """The models that each unit asks one of; one that is called "" if a unit asks several."""
    in_rounds = False
    """Whether more chunks may come when all are done."""

    @abstractmethod
    def begin(self, endpoint: str, lease: Lease | None = None) -> None:
        """Write the run, or new models of it, under the lease of the only process, if there is one.

        Raises RequestError if another run has replaced it.
        """

    @abstractmethod
    def read(self, chunks: Sequence[RunChunk] | None = None) -> None:
        """Read what was kept of these chunks, or of the whole run."""

    @abstractmethod
    def chunks(self, least: int, most: int) -> list[RunChunk]:
        """Everything in chunks of at least so many units, and at most so many chunks."""

    @abstractmethod
    def left(self, chunk: RunChunk, lease: str = "") -> list[LeasedT]:
        """The units of a chunk that have no product, according to the last reading."""

    @abstractmethod
    def all_left(self) -> Iterator[LeasedT]:
        """All units that have no product, according to the last reading."""

    @abstractmethod
    def keep_alone(self, lease: Lease, products: Sequence[ProductT]) -> None:
        """Save products in one transaction; raises RequestError if the lease was lost."""

    @abstractmethod
    def keep(self, lease: Lease, products: Sequence[tuple[int, ProductT]], done: Collection[int]) -> None:
        """Save products with the numbers of their chunks, and mark chunks as done."""


class SharedRun(Generic[LeasedT, ProductT]):
    """The part of a run that this process has leased, and the limits that it keeps with the others."""

    seconds = PORTION_SECONDS

    def __init__(
        self,
        database: Database,
        units: SharedUnits[LeasedT, ProductT],
        endpoint: str,
        limits: CallLimits,
        *,
        kind: str,
        take_over: bool = False,
    ) -> None:
        self.database, self.units, self._endpoint, self._kind = database, units, endpoint, kind
        self._call_limits = limits
        self.processes, self.at_once = 1, 2 * limits.concurrency
        self._leases: dict[str, Lease] = {}
        self._left = Counter[tuple[str, int]]()
        self._waiting, self._under_way = deque[LeasedT](), 0
        self._idle, self._taking = asyncio.Event(), asyncio.Lock()
        self._given_up = set[str]()
        self._answered, self._taken_at = 0, _clock()
        self._units_a_chunk = 1.0
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
            self._valid_until = -math.inf  # a later renewal does not bring the dropped units back
            raise LeaseEnded("the lease of this process has ended; its units are taken again.")

    def draw(
        self, requests: int, tokens: int, least: int, corrections: Mapping[int, tuple[int, int]]
    ) -> Portion:
        """What this process may send in the next second."""
        return draw_portion(self.database, self._process, requests, tokens, least, corrections)

    def _join(self, take_over: bool = False) -> None:
        limits, before = self._call_limits, _clock()
        self._process = leases.join_run(
            self.database,
            self.units.run,
            self.units.models,
            self._endpoint,
            (limits.requests_per_minute, limits.tokens_per_minute),
            kind=self._kind,
            take_over=take_over,
        )
        self._leases[self._process.holder] = self._process
        self._valid_until = before + leases.LEASE_MS / 1000

    def leave(self) -> None:
        """End the lease, so that others can take what is not done at once."""
        self._valid_until = -math.inf
        leases.leave_run(self.database, self._process)

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
            await asyncio.sleep(leases.LEASE_MS / 1000 / RENEWALS)
            process, before = self._process, _clock()
            with suppress(StoreError):  # if the store cannot be reached now, the next renewal may do
                processes = await asyncio.to_thread(leases.renew_lease, self.database, process)
                if process is self._process and self._valid_until > -math.inf:
                    self.processes = processes or self.processes
                    self._valid_until = before + leases.LEASE_MS / 1000 if processes else -math.inf

    def begin(self, endpoint: str) -> None:
        """Write a new run or new models, and divide what is left into chunks if nobody has."""
        self.units.begin(endpoint)
        self.begin_round()

    def begin_round(self) -> None:
        """Divide what is left into chunks, for models that have none, or for a new round."""
        self.units.read()
        chunks = self.units.chunks(_UNITS_A_CHUNK, _MOST_CHUNKS)
        left = [len(self.units.left(chunk)) for chunk in chunks]
        self._units_a_chunk = max(1.0, max(left, default=1))
        some = [chunk for chunk, number in zip(chunks, left, strict=True) if number]
        leases.add_chunks(self.database, some, new_round=self.units.in_rounds)

    async def next_unit(
        self, failed: Collection[str], keep: Callable[[], Coroutine[Any, Any, None]]
    ) -> LeasedT | None:
        """The next unit; None if no process has anything left to work on.

        Models that have ``failed`` are not asked here. ``keep`` keeps the products that wait.
        """
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

    def ended(self, unit: LeasedT) -> None:
        """Nothing is under way for a unit any more."""
        self._under_way, self._answered = self._under_way - 1, self._answered + 1
        if not self._under_way:
            self._idle.set()

    async def _take_more(self) -> bool:
        """Take chunks, or wait until there may be some; False if all are done."""
        if self._client is not None and self._client.stopped:
            raise Stopped("the run was stopped; requests in flight were finished and stored.")
        if _clock() >= self._valid_until:
            await self._join_again()
        asked = [model for model in self.units.models if model not in self._given_up]
        taken = await asyncio.to_thread(leases.take_chunks, self.database, self._process, asked, self._most())
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
        seconds = min(_SECONDS_BETWEEN_LOOKS, leases.LEASE_MS / 1000 / RENEWALS)
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
        await asyncio.to_thread(self.begin_round)

    def _most(self) -> int:
        """How many chunks are a few seconds' work."""
        now = _clock()
        rate = self._answered / max(now - self._taken_at, 0.1)
        self._answered, self._taken_at = 0, now
        wanted = max(self._call_limits.concurrency, rate * _SECONDS_TAKEN)
        return math.ceil(wanted / self._units_a_chunk)

    def _begin_chunks(self, taken: leases.TakenChunks) -> None:
        """Read what others have done of these chunks, and line up what is left."""
        lease = self._process.holder
        if begun := [chunk for chunk in taken.chunks if chunk.number in taken.begun]:
            self.units.read(begun)
        nothing_left = []
        for chunk in taken.chunks:
            units = self.units.left(chunk, lease)
            self._left[lease, chunk.number] = len(units)
            self._waiting.extend(units)
            if not units:
                nothing_left.append(chunk.number)
        if nothing_left:
            self.units.keep(self._process, (), nothing_left)

    async def _give_up(self, models: set[str]) -> None:
        """Leave the units of models that fail here to other processes."""
        self._given_up |= models
        theirs = {unit.chunk for unit in self._waiting if unit.model in models}
        self._waiting = deque(unit for unit in self._waiting if unit.chunk not in theirs)
        await asyncio.to_thread(leases.give_back, self.database, self._process, models)

    def keep(self, products: Sequence[tuple[LeasedT, ProductT]]) -> None:
        """Save the products of chunks that nobody else has taken since."""
        by_lease = defaultdict[str, list[tuple[int, ProductT]]](list)
        for unit, product in products:
            by_lease[unit.lease].append((unit.chunk, product))
        for lease, kept in by_lease.items():
            numbers = Counter(chunk for chunk, _ in kept)
            done = [chunk for chunk, answered in numbers.items() if self._left[lease, chunk] <= answered]
            self.units.keep(self._leases[lease], kept, done)
            self._left.subtract({(lease, chunk): answered for chunk, answered in numbers.items()})


class WholeRun(Generic[LeasedT, ProductT]):
    """All that is left of a run, for the one process that holds its lock."""

    limits: SharedLimits | None = None
    processes = 1

    def __init__(self, held_run: HeldRun, units: SharedUnits[LeasedT, ProductT], limits: CallLimits) -> None:
        self.units, self._lease, self.renewed = units, held_run.lease, held_run.renewed
        self.at_once = max(LEAST_AT_ONCE, 2 * limits.concurrency)
        self._left: Iterator[LeasedT] = iter(())

    def begin(self, endpoint: str) -> None:
        """Write a new run or new models, and read what is there."""
        self.units.begin(endpoint, self._lease)
        self.begin_round()

    def begin_round(self) -> None:
        """Line up what is left."""
        self.units.read()
        self._left = self.units.all_left()

    async def next_unit(
        self, failed: Collection[str], keep: Callable[[], Coroutine[Any, Any, None]]
    ) -> LeasedT | None:
        """The next unit; None if nothing is left. Those of models that have ``failed`` come too."""
        return next(self._left, None)

    def ended(self, unit: LeasedT) -> None:
        """Nothing depends on it here."""

    def keep(self, products: Sequence[tuple[LeasedT, ProductT]]) -> None:
        """Save products in one transaction; raises RequestError if another process took the run over."""
        self.units.keep_alone(self._lease, [product for _, product in products])


UnitsShare = WholeRun[LeasedT, ProductT] | SharedRun[LeasedT, ProductT]


@contextmanager
def share_of_run(
    database: Database,
    run: Run,
    units: SharedUnits[LeasedT, ProductT],
    endpoint: str,
    limits: CallLimits,
    *,
    take_over: bool = False,
) -> Iterator[UnitsShare[LeasedT, ProductT]]:
    """Work on a run: alone if the store is a file, together with other processes if it is on a server.

    Raises RequestError if another process has the run for itself.
    """
    if not database.on_server:
        with leases.held(database, run.name, take_over=take_over, kind=run.kind) as lease:
            yield WholeRun(HeldRun(database, lease), units, limits)
        return
    share = SharedRun(database, units, endpoint, limits, kind=run.kind, take_over=take_over)
    try:
        yield share
    finally:
        with suppress(StoreError):  # a lease that is not given back ends by itself
            share.leave()
