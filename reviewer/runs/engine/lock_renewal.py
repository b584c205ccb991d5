"""Renewing the lock of a run while models are asked; a process that loses it stops asking."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from reviewer.core.errors import StoreError
from reviewer.llm.client import ModelClient
from reviewer.llm.errors import Stopped
from store.database import Database
from store.records import RunLock
from store.run_lock import LEASE_MS, check_hold, renew_hold

_RENEWALS = 4
"""Renewals of the run lock within its lease."""


@asynccontextmanager
async def renewed(database: Database, hold: RunLock, client: ModelClient) -> AsyncIterator[None]:
    """Renew the lock regularly during the block; raises RequestError if another process took it over."""
    renewing = asyncio.create_task(_keep_renewing(database, hold, client))
    try:
        yield
    except Stopped:
        with database.read() as session:
            check_hold(session, hold)
        raise
    finally:
        renewing.cancel()


async def _keep_renewing(database: Database, hold: RunLock, client: ModelClient) -> None:
    kept = True
    while kept:
        await asyncio.sleep(LEASE_MS / 1000 / _RENEWALS)
        with suppress(StoreError):  # if the store cannot be reached now, the next renewal will do
            kept = await asyncio.to_thread(renew_hold, database, hold)
    client.stop()
