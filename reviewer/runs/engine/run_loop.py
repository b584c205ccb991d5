"""The loop of every run: it begins, works on units at the same time, keeps their products, and ends.

A run lists its units and decides how their products are kept: those of a round together and in order, or as
they come. An answer is durable in the store's calls before a work gets it, so a process that is killed at any
moment loses none, and its successor asks for no answer twice.
"""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from reviewer.core.errors import StoreError
from reviewer.llm.client import ModelClient
from reviewer.llm.rate_limit import SharedLimits
from reviewer.llm.request_errors import LeaseEnded, Stopped
from reviewer.protocols.work import Work
from reviewer.runs.engine.run_progress import RunProgress
from reviewer.runs.engine.work_runner import WORKS_AT_ONCE, Requester, WorkRunner, all_of
from store.database import Database
from store.leases import LEASE_MS, check_lease, renew_lease
from store.records import Lease

RENEWALS = 4
"""Renewals of a lease before it ends."""


class RunShare(Protocol):
    """What one process does of a run."""

    @property
    def limits(self) -> SharedLimits | None:
        """The limits that are kept with other processes."""
        ...

    def renewed(self, client: ModelClient) -> AbstractAsyncContextManager[None]:
        """Renew the lease during the block."""
        ...


@dataclass(frozen=True, slots=True)
class HeldRun:
    """A run that one process has for itself."""

    database: Database
    lease: Lease
    limits: ClassVar[SharedLimits | None] = None

    @asynccontextmanager
    async def renewed(self, client: ModelClient) -> AsyncIterator[None]:
        """Renew the lock during the block; raises RequestError if another process took it over.

        A process that loses the lock stops asking.
        """
        renewing = asyncio.create_task(self._keep_renewing(client))
        try:
            yield
        except Stopped:
            with self.database.read() as session:
                check_lease(session, self.lease)
            raise
        finally:
            renewing.cancel()

    async def _keep_renewing(self, client: ModelClient) -> None:
        kept = True
        while kept:
            await asyncio.sleep(LEASE_MS / 1000 / RENEWALS)
            with suppress(StoreError):  # if the store cannot be reached now, the next renewal will do
                kept = await asyncio.to_thread(renew_lease, self.database, self.lease) > 0
        client.stop()


UnitT = TypeVar("UnitT")
ProductT = TypeVar("ProductT")
Keep = Callable[[], Coroutine[Any, Any, None]]

_PRODUCTS_A_BATCH = 500
_SECONDS_A_BATCH = 1.0


class CarriedRun(ABC, Generic[UnitT, ProductT]):
    """A run as the loop carries it on, in rounds of units."""

    runner: WorkRunner
    at_once: int
    """Units that are under way at a time."""
    keeps_as_they_come = False
    """Whether products are kept many at a time, in any order, or else once a round is complete."""

    @property
    @abstractmethod
    def progress(self) -> RunProgress:
        """How far it is, with units under way."""

    @abstractmethod
    def renewed(self) -> AbstractAsyncContextManager[None]:
        """Renew the lock or the lease during the block."""

    @abstractmethod
    async def begin(self) -> None:
        """Write a new run, and read what a stored one has."""

    @abstractmethod
    async def begins_round(self) -> bool:
        """Whether there is a round to work on; the next one may depend on products of earlier ones."""

    @abstractmethod
    async def next_unit(self, keep: Keep) -> UnitT | None:
        """The next unit of the round; None if there is none. ``keep`` keeps the products that wait."""

    @abstractmethod
    def work(self, unit: UnitT) -> Work[ProductT]:
        """The work of a unit, which returns its product."""

    @abstractmethod
    def requester(self, unit: UnitT) -> Requester:
        """Who answers the work of a unit."""

    @abstractmethod
    async def keep(self, products: Sequence[ProductT], last: bool) -> None:
        """Save products in one transaction; ``last`` are the last ones of a round."""

    @abstractmethod
    async def end(self) -> None:
        """Write how the run ended."""

    def ended(self, unit: UnitT) -> None:
        """Nothing is under way for a unit any more."""


class RunInRounds(CarriedRun[UnitT, ProductT]):
    """A run whose rounds are known as a whole."""

    _units: Iterator[UnitT] = iter(())

    @abstractmethod
    def units(self) -> Sequence[UnitT]:
        """The units of the next round, from the products kept so far; none at the end."""

    async def begins_round(self) -> bool:
        """Whether there are units to work on."""
        units = self.units()
        self.at_once, self._units = min(len(units), WORKS_AT_ONCE), iter(units)
        return bool(units)

    async def next_unit(self, keep: Keep) -> UnitT | None:
        """The next unit of the round."""
        return next(self._units, None)


async def carry_to_end(run: CarriedRun[UnitT, ProductT]) -> RunProgress:
    """Carry a run on to its end; returns how far it came.

    Raises what the client raises if no more requests can be made, and RequestError if another process has
    taken over the run. All answers until then are in the store.
    """
    async with run.renewed():
        await run.begin()
        while await run.begins_round():
            await _Round(run).to_its_end()
        await run.end()
    return run.progress


class _Round(Generic[UnitT, ProductT]):
    """One round: its units under way, and the products that wait to be kept, by the order of their units."""

    def __init__(self, run: CarriedRun[UnitT, ProductT]) -> None:
        self._run = run
        self._begun = 0
        self._waiting: dict[int, ProductT] = {}
        self._one_at_a_time = asyncio.Lock()

    async def to_its_end(self) -> None:
        early = self._run.keeps_as_they_come
        keeping = asyncio.create_task(self._keep_regularly()) if early else None
        try:
            await all_of([self._work() for _ in range(self._run.at_once)])
        except BaseException:
            if early:
                with suppress(StoreError):  # the first error names the cause, such as a full disk
                    await self._keep()
            raise
        else:
            await self._keep(last=True)
        finally:
            if keeping:
                keeping.cancel()

    async def _work(self) -> None:
        run = self._run
        while (unit := await run.next_unit(self._keep)) is not None:
            number, self._begun = self._begun, self._begun + 1
            try:
                self._waiting[number] = await run.runner.run(run.work(unit), run.requester(unit))
            except LeaseEnded:
                continue
            finally:
                run.ended(unit)
            if run.keeps_as_they_come and len(self._waiting) >= _PRODUCTS_A_BATCH:
                await self._keep()

    async def _keep_regularly(self) -> None:
        while True:
            await asyncio.sleep(_SECONDS_A_BATCH)
            await asyncio.shield(self._keep())

    async def _keep(self, *, last: bool = False) -> None:
        """Keep the products that wait, in the order of their units."""
        async with self._one_at_a_time:
            kept, self._waiting = self._waiting, {}
            await self._run.keep([kept[number] for number in sorted(kept)], last)
