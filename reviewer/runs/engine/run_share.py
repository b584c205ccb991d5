"""What one process does of a run, and how long: its lock is renewed while models are asked."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from dataclasses import dataclass
from typing import ClassVar, Protocol

from reviewer.core.errors import StoreError
from reviewer.llm.client import ModelClient
from reviewer.llm.rate_limit import SharedLimits
from reviewer.llm.request_errors import Stopped
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
