"""The lock on a run: one process holds it at a time and renews it while it works."""

import os
import platform
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

from sqlalchemy import ColumnElement, delete, insert, update
from sqlmodel import Session, col

from reviewer.core.errors import RequestError, StoreError
from reviewer.core.names import checked_name
from store.clock import instant, now_ms
from store.database import Database
from store.records import ProcedureName, RunLock
from store.run_tables import RunLockRow

LEASE_MS = 60_000
"""How long a lock lasts without renewal."""


@contextmanager
def held(
    database: Database, run: str, *, take_over: bool = False, kind: ProcedureName = "generate"
) -> Iterator[RunLock]:
    """Lock a run during the block; raises RequestError if another living process has the lock.

    ``kind`` is what the run does.

    A lock ends when its process ends, if that was on this machine; otherwise when it was not renewed for
    ``LEASE_MS``. ``take_over`` ends it now, and the other process can then save nothing more of the run.
    """
    hold = _take(database, checked_name("run", run), f"reviewer {kind} {run}", take_over)
    try:
        yield hold
    finally:
        with suppress(StoreError):  # a lock that stays ends with this process
            _let_go(database, hold)


def renew_hold(database: Database, hold: RunLock) -> bool:
    """Renew a lock; False if it was lost."""
    with database.write() as session:
        until = instant(now_ms() + LEASE_MS)
        renewed = session.connection().execute(update(RunLockRow).where(_own(hold)).values(until=until))
        return bool(renewed.rowcount)


def check_hold(session: Session, hold: RunLock) -> None:
    """Raise RequestError if another process has taken the run over."""
    now = _hold_on(session, hold.run)
    if now is None or now.holder != hold.holder:
        other = f"process {now.process} on {now.host}" if now else "another process"
        raise RequestError(
            f"run {hold.run!r} was taken over by {other}; this process saves nothing more of it."
        )


def _take(database: Database, run: str, command: str, take_over: bool) -> RunLock:
    now = now_ms()
    hold = RunLock(
        run=run,
        command=command,
        holder=secrets.token_hex(16),
        machine=this_machine(),
        host=platform.node(),
        process=os.getpid(),
        since=instant(now),
        until=instant(now + LEASE_MS),
    )
    with database.write() as session:
        clear_lock(session, run, take_over)
        session.connection().execute(insert(RunLockRow), hold.model_dump())
    return hold


def clear_lock(session: Session, run: str, take_over: bool) -> None:
    """Remove the lock of a run whose process has ended; raises RequestError if it lives."""
    other = _hold_on(session, run)
    lasts = other and not take_over and other.until > instant(now_ms())
    if other and lasts and not process_is_dead(other.machine, other.process):
        raise RequestError(_refusal(other))
    session.connection().execute(delete(RunLockRow).where(col(RunLockRow.run) == run))


def _let_go(database: Database, hold: RunLock) -> None:
    with database.write() as session:
        session.connection().execute(delete(RunLockRow).where(_own(hold)))


def _own(hold: RunLock) -> ColumnElement[bool]:
    return (col(RunLockRow.run) == hold.run) & (col(RunLockRow.holder) == hold.holder)


def _hold_on(session: Session, run: str) -> RunLock | None:
    row = session.get(RunLockRow, run)
    return row and RunLock.model_validate(row.model_dump())


def _refusal(other: RunLock) -> str:
    return (
        f"run {other.run!r} is under way in process {other.process} on {other.host} since "
        f"{other.since}; stop that first. If you know that it is dead, wait until {other.until} or run "
        f"`{other.command} --take-over`."
    )


def process_is_dead(machine: str, process: int) -> bool:
    """Whether a process is known to have ended. This is unknown for other machines."""
    if machine != this_machine():
        return False
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return False


@cache
def this_machine() -> str:
    """Identifies the scope of process numbers: this boot of this machine, and this container."""
    try:
        start = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        return f"{start} {Path('/proc/self/ns/pid').readlink()}"
    except OSError:
        return platform.node()
