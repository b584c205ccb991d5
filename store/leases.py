"""Leases of processes on runs. The clock of the store's machine decides when a lease ends.

A process takes a lease on a run and renews it while it works. Most runs are for one process alone. Processes
that share an evaluation on a server hold the chunks that they took under their leases. When a lease ends,
others take the chunks that are not done. On a server one write follows another, so no two processes take the
same chunk.
"""

import os
import platform
import secrets
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TypeVar

from sqlalchemy import BigInteger, ColumnElement, cast, delete, func, insert, or_, select, true, update
from sqlmodel import Session, col

from reviewer.core.errors import RequestError, StoreError
from reviewer.core.names import checked_name
from store.clock import instant, now_ms
from store.database import Database
from store.lock_timeout import patient_write, tried_twice
from store.records import Lease, RunChunk
from store.row_records import records, select_as
from store.run_tables import LeaseRow as _Lease
from store.run_tables import RunChunkRow as _Chunk

LEASE_MS = 30_000
"""How long a lease lasts without renewal."""
_SERVER_MS: ColumnElement[int] = cast(func.extract("epoch", func.clock_timestamp()) * 1000, BigInteger)
_CHUNKS_A_STATEMENT = 5_000
ProductT = TypeVar("ProductT")


@dataclass(frozen=True, slots=True)
class TakenChunks:
    """Chunks that a process has now, and how many chunks of its models are not done, with those of others.

    ``begun`` are the numbers of those that another lease held before. ``given_up`` are those of models that
    this process asks no more, and no other process either.
    """

    chunks: Sequence[RunChunk]
    begun: frozenset[int]
    given_up: frozenset[int]
    left: int
    processes: int


@contextmanager
def held(database: Database, run: str, *, take_over: bool = False, kind: str = "generate") -> Iterator[Lease]:
    """Have a run for this process alone during the block; raises RequestError if another one works on it.

    ``kind`` is the work of the run. ``take_over`` ends the leases of other processes now; they can then save
    nothing more of the run.
    """
    lease = join_run(database, run, kind=kind, alone=True, take_over=take_over)
    try:
        yield lease
    finally:
        with suppress(StoreError):  # a lease that stays ends with this process
            leave_run(database, lease)


@tried_twice
def join_run(
    database: Database,
    run: str,
    models: Sequence[str] = (),
    endpoint: str = "",
    limits: tuple[int | None, int | None] = (None, None),
    *,
    kind: str = "evaluate",
    alone: bool = False,
    take_over: bool = False,
) -> Lease:
    """Take part in a run, with limits of requests and tokens a minute, or have it ``alone``.

    Leases of processes that have ended on this machine end now, with ``take_over`` all others of the run.
    Raises RequestError while somebody has the run for themselves, or if it is wanted alone and is not free.
    """
    checked_name("run", run)
    with patient_write(database) as session:
        _end_leases(session, run, take_over)
        _check_free(session, run, alone)
        now = store_ms(session)
        lease = Lease(
            holder=secrets.token_hex(16),
            run=run,
            command=f"reviewer {kind} {run}",
            alone=alone,
            models=list(models),
            machine=this_machine(),
            host=platform.node(),
            process=os.getpid(),
            endpoint=endpoint,
            requests_per_minute=limits[0],
            tokens_per_minute=limits[1],
            since=instant(now),
            until=now + LEASE_MS,
        )
        session.connection().execute(insert(_Lease), lease.model_dump())
    return lease


def store_ms(session: Session) -> int:
    """Milliseconds since 1970 by the clock of the store's machine."""
    if session.connection().dialect.name != "postgresql":
        return now_ms()
    return int(session.execute(select(_SERVER_MS)).scalar_one())


@tried_twice
def renew_lease(database: Database, lease: Lease) -> int:
    """Renew a lease; returns the number of processes of the run, 0 if the lease was lost.

    One that lasted too long is lost if the run is shared, else only if another process took the run over.
    """
    with patient_write(database) as session:
        now = store_ms(session)
        lasts = true() if lease.alone else col(_Lease.until) > now
        renewal = update(_Lease).where(col(_Lease.holder) == lease.holder, lasts)
        renewed = session.connection().execute(renewal.values(until=now + LEASE_MS)).rowcount
        return len(_living(session, lease.run)) if renewed else 0


def check_lease(session: Session, lease: Lease) -> None:
    """Raise RequestError if another process has taken the run over."""
    if session.get(_Lease, lease.holder) is None:
        other = next(iter(_living(session, lease.run)), None)
        by = f"process {other.process} on {other.host}" if other else "another process"
        raise RequestError(
            f"run {lease.run!r} was taken over by {by}; this process saves nothing more of it."
        )


@tried_twice
def add_chunks(database: Database, chunks: Sequence[RunChunk], *, new_round: bool = False) -> None:
    """Add chunks of one run, numbered after those that it has, for models without any.

    A ``new_round`` of chunks is added if all that the run has are done.
    """
    if not chunks:
        return
    with patient_write(database) as session:
        of_run = col(_Chunk.run) == chunks[0].run
        number = 1 + (session.scalar(select(func.max(_Chunk.number)).where(of_run)) or 0)
        if new_round:
            if session.scalar(select(func.count()).where(of_run, col(_Chunk.done).is_(False))):
                return
            session.connection().execute(delete(_Chunk).where(of_run))
        known = set(session.execute(select(col(_Chunk.model)).where(of_run).distinct()).scalars())
        fresh = [chunk for chunk in chunks if chunk.model not in known]
        rows = [chunk.model_dump() | {"number": number + at} for at, chunk in enumerate(fresh)]
        for start in range(0, len(rows), _CHUNKS_A_STATEMENT):
            session.connection().execute(insert(_Chunk), rows[start : start + _CHUNKS_A_STATEMENT])


@tried_twice
def take_chunks(database: Database, lease: Lease, models: Collection[str], most: int) -> TakenChunks | None:
    """Take up to ``most`` chunks in order, fewer towards the end; None if the lease has ended.

    ``models`` are those that the process still asks. Of its other models it gets the chunks that nobody
    else will ask.
    """
    with patient_write(database) as session:
        living = _living(session, lease.run)
        if lease.holder not in {other.holder for other in living}:
            return None
        session.connection().execute(
            update(_Lease).where(col(_Lease.holder) == lease.holder).values(models=list(models))
        )
        others = {model for other in living if other.holder != lease.holder for model in other.models}
        given_up = set(lease.models) - set(models) - others
        holders = [other.holder for other in living]
        not_done = col(_Chunk.run) == lease.run, col(_Chunk.done).is_(False)
        ours = col(_Chunk.model).in_(lease.models)
        left = session.scalar(select(func.count()).where(*not_done, ours)) or 0
        free = col(_Chunk.holder).not_in(holders), col(_Chunk.model).in_({*models, *given_up})
        share = max(1, left // (2 * len(living)))
        statement = select_as(RunChunk, _Chunk).where(*not_done, *free)
        ordered = statement.order_by(col(_Chunk.number)).limit(min(most, share))
        chunks = list(records(session, RunChunk, ordered))
        numbers = [chunk.number for chunk in chunks]
        session.connection().execute(
            update(_Chunk)
            .where(col(_Chunk.run) == lease.run, col(_Chunk.number).in_(numbers))
            .values(holder=lease.holder)
        )
    begun = frozenset(chunk.number for chunk in chunks if chunk.holder)
    dropped = frozenset(chunk.number for chunk in chunks if chunk.model in given_up)
    return TakenChunks(chunks, begun, dropped, left, len(living))


def keep_leased(
    database: Database,
    lease: Lease,
    products: Sequence[tuple[int, ProductT]],
    done: Collection[int],
    save: Callable[[Session, Sequence[ProductT]], None],
) -> None:
    """Save products with the numbers of their chunks, and mark chunks as done, in one transaction.

    Products of chunks that another process has taken are left to that one.
    """
    with patient_write(database) as session:
        held = col(_Chunk.run) == lease.run, col(_Chunk.holder) == lease.holder
        numbers = {chunk for chunk, _ in products}
        found = session.execute(select(col(_Chunk.number)).where(*held, col(_Chunk.number).in_(numbers)))
        still_held = set(found.scalars())
        if ours := [product for chunk, product in products if chunk in still_held]:
            save(session, ours)
        mark_done = update(_Chunk).where(*held, col(_Chunk.number).in_(done)).values(done=True)
        session.connection().execute(mark_done)


@tried_twice
def give_back(database: Database, lease: Lease, models: Collection[str]) -> None:
    """Let others take the chunks of these models at once."""
    with patient_write(database) as session:
        held = col(_Chunk.run) == lease.run, col(_Chunk.holder) == lease.holder
        mine = update(_Chunk).where(*held, col(_Chunk.model).in_(models), col(_Chunk.done).is_(False))
        # Not "", which would say that nobody has begun them.
        session.connection().execute(mine.values(holder="given back"))


@tried_twice
def leave_run(database: Database, lease: Lease) -> None:
    """End the lease, so that others can take the run or its chunks at once."""
    with patient_write(database) as session:
        session.connection().execute(delete(_Lease).where(col(_Lease.holder) == lease.holder))
        _forget_chunks(session)


def _end_leases(session: Session, run: str, every_one: bool) -> None:
    """Remove leases that lasted too long, and those of the run whose process has ended or, if wanted, all."""
    late = col(_Lease.until) <= store_ms(session), or_(col(_Lease.run) == run, col(_Lease.alone).is_(False))
    session.connection().execute(delete(_Lease).where(*late))
    ended = [
        lease.holder
        for lease in _living(session, run)
        if every_one or process_is_dead(lease.machine, lease.process)
    ]
    session.connection().execute(delete(_Lease).where(col(_Lease.holder).in_(ended)))
    _forget_chunks(session)


def _check_free(session: Session, run: str, alone: bool) -> None:
    for other in _living(session, run):
        if alone or other.alone:
            raise RequestError(
                f"run {run!r} is under way in process {other.process} on {other.host} since {other.since}; "
                f"stop that first. If you know that it is dead, wait until {instant(other.until)} or run "
                f"`{other.command} --take-over`."
            )


def _forget_chunks(session: Session) -> None:
    """Remove the chunks of runs in which no process takes part."""
    under_way = select(col(_Lease.run)).where(col(_Lease.until) > store_ms(session))
    session.connection().execute(delete(_Chunk).where(col(_Chunk.run).not_in(under_way)))


def _living(session: Session, run: str) -> list[Lease]:
    living = col(_Lease.run) == run, col(_Lease.until) > store_ms(session)
    return list(records(session, Lease, select_as(Lease, _Lease).where(*living)))


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
