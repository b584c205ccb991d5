"""Leases of processes that share an evaluation run on a server. Its clock decides when a lease ends.

A process renews one lease, and it holds the chunks that it took under it. When the lease ends, others take
the chunks that are not done. On a server one write follows another, so no two processes take the same chunk.
"""

import os
import platform
import secrets
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from sqlalchemy import BigInteger, ColumnElement, cast, delete, func, insert, select, update
from sqlmodel import Session, col

from reviewer.core.errors import RequestError
from store.database import Database
from store.patient_write import patient_write, tried_twice
from store.reading import records, select_as
from store.records import EvaluationChunk, EvaluationProcess
from store.run_lock import clear_lock, process_is_dead, this_machine
from store.run_tables import EvaluationChunkRow as _Chunk
from store.run_tables import EvaluationProcessRow as _Process

LEASE_MS = 30_000
"""How long a lease lasts without renewal."""
NOW_MS: ColumnElement[int] = cast(func.extract("epoch", func.clock_timestamp()) * 1000, BigInteger)
"""Milliseconds since 1970 by the server's clock."""
_CHUNKS_A_STATEMENT = 5_000


@dataclass(frozen=True, slots=True)
class TakenChunks:
    """Chunks that a process has now, and how many chunks of its models are not done, with those of others.

    ``begun`` are the numbers of those that another lease held before. ``given_up`` are those of models that
    this process asks no more, and no other process either.
    """

    chunks: Sequence[EvaluationChunk]
    begun: frozenset[int]
    given_up: frozenset[int]
    left: int
    processes: int


@tried_twice
def join_run(
    database: Database,
    run: str,
    models: Sequence[str],
    endpoint: str,
    limits: tuple[int | None, int | None],
    *,
    take_over: bool = False,
) -> EvaluationProcess:
    """Take part in a run, with limits of requests and tokens a minute.

    ``take_over`` ends the leases of all other processes of the run now. Raises RequestError while somebody
    has the run for themselves, as to read its replies again.
    """
    with patient_write(database) as session:
        clear_lock(session, run, take_over)
        _end_leases(session, run, take_over)
        process = EvaluationProcess(
            holder=secrets.token_hex(16),
            run=run,
            models=list(models),
            machine=this_machine(),
            host=platform.node(),
            process=os.getpid(),
            endpoint=endpoint,
            requests_per_minute=limits[0],
            tokens_per_minute=limits[1],
            until=session.execute(select(NOW_MS)).scalar_one() + LEASE_MS,
        )
        session.connection().execute(insert(_Process), process.model_dump())
    return process


def have_alone(database: Database, run: str, take_over: bool) -> None:
    """Raise RequestError if processes take part in a run, or with ``take_over`` end their leases."""
    if not database.on_server:
        return
    with patient_write(database) as session:
        _end_leases(session, run, take_over)
        other = next(iter(_living(session, run)), None)
        if other is not None:
            raise RequestError(
                f"run {run!r} is under way in process {other.process} on {other.host}; stop that first. "
                "If you know that it is dead, wait half a minute or add --take-over."
            )


@tried_twice
def renew_lease(database: Database, process: EvaluationProcess) -> int:
    """Renew a lease; returns the number of processes of the run, 0 if the lease had ended."""
    with patient_write(database) as session:
        living = col(_Process.holder) == process.holder, col(_Process.until) > NOW_MS
        renewal = update(_Process).where(*living).values(until=NOW_MS + LEASE_MS)
        renewed = session.connection().execute(renewal).rowcount
        return len(_living(session, process.run)) if renewed else 0


@tried_twice
def add_chunks(database: Database, chunks: Sequence[EvaluationChunk]) -> None:
    """Add chunks of one run, numbered after those that it has, for models without any."""
    if not chunks:
        return
    with patient_write(database) as session:
        of_run = col(_Chunk.run) == chunks[0].run
        known = set(session.execute(select(col(_Chunk.model)).where(of_run).distinct()).scalars())
        number = 1 + (session.scalar(select(func.max(_Chunk.number)).where(of_run)) or 0)
        fresh = [chunk for chunk in chunks if chunk.model not in known]
        rows = [chunk.model_dump() | {"number": number + at} for at, chunk in enumerate(fresh)]
        for start in range(0, len(rows), _CHUNKS_A_STATEMENT):
            session.connection().execute(insert(_Chunk), rows[start : start + _CHUNKS_A_STATEMENT])


@tried_twice
def take_chunks(
    database: Database, process: EvaluationProcess, models: Collection[str], most: int
) -> TakenChunks | None:
    """Take up to ``most`` chunks in order, fewer towards the end; None if the lease has ended.

    ``models`` are those that the process still asks. Of its other models it gets the chunks that nobody
    else will ask.
    """
    with patient_write(database) as session:
        living = _living(session, process.run)
        if process.holder not in {other.holder for other in living}:
            return None
        session.connection().execute(
            update(_Process).where(col(_Process.holder) == process.holder).values(models=list(models))
        )
        others = {model for other in living if other.holder != process.holder for model in other.models}
        given_up = set(process.models) - set(models) - others
        holders = [other.holder for other in living]
        not_done = col(_Chunk.run) == process.run, col(_Chunk.done).is_(False)
        ours = col(_Chunk.model).in_(process.models)
        left = session.scalar(select(func.count()).where(*not_done, ours)) or 0
        free = col(_Chunk.holder).not_in(holders), col(_Chunk.model).in_({*models, *given_up})
        share = max(1, left // (2 * len(living)))
        statement = select_as(EvaluationChunk, _Chunk).where(*not_done, *free)
        ordered = statement.order_by(col(_Chunk.number)).limit(min(most, share))
        chunks = list(records(session, EvaluationChunk, ordered))
        numbers = [chunk.number for chunk in chunks]
        session.connection().execute(
            update(_Chunk)
            .where(col(_Chunk.run) == process.run, col(_Chunk.number).in_(numbers))
            .values(holder=process.holder)
        )
    begun = frozenset(chunk.number for chunk in chunks if chunk.holder)
    dropped = frozenset(chunk.number for chunk in chunks if chunk.model in given_up)
    return TakenChunks(chunks, begun, dropped, left, len(living))


def still_held(session: Session, process: EvaluationProcess, numbers: Collection[int]) -> set[int]:
    """Those of these chunks that nobody else has taken since."""
    held = col(_Chunk.run) == process.run, col(_Chunk.holder) == process.holder
    statement = select(col(_Chunk.number)).where(*held, col(_Chunk.number).in_(numbers))
    return set(session.execute(statement).scalars())


def mark_done(session: Session, process: EvaluationProcess, numbers: Collection[int]) -> None:
    """Mark those of these chunks as done that the process still holds."""
    held = col(_Chunk.run) == process.run, col(_Chunk.holder) == process.holder
    statement = update(_Chunk).where(*held, col(_Chunk.number).in_(numbers)).values(done=True)
    session.connection().execute(statement)


@tried_twice
def give_back(database: Database, process: EvaluationProcess, models: Collection[str]) -> None:
    """Let others take the chunks of these models at once."""
    with patient_write(database) as session:
        held = col(_Chunk.run) == process.run, col(_Chunk.holder) == process.holder
        mine = update(_Chunk).where(*held, col(_Chunk.model).in_(models), col(_Chunk.done).is_(False))
        # Not "", which would say that nobody has begun them.
        session.connection().execute(mine.values(holder="given back"))


@tried_twice
def leave_run(database: Database, process: EvaluationProcess) -> None:
    """End the lease, so that others can take its chunks at once."""
    with patient_write(database) as session:
        session.connection().execute(delete(_Process).where(col(_Process.holder) == process.holder))
        _forget_chunks(session)


def _end_leases(session: Session, run: str, every_one: bool) -> None:
    """Remove processes whose lease has ended, and those of the run that have ended or, if wanted, all."""
    session.connection().execute(delete(_Process).where(col(_Process.until) <= NOW_MS))
    ended = [
        process.holder
        for process in _living(session, run)
        if every_one or process_is_dead(process.machine, process.process)
    ]
    session.connection().execute(delete(_Process).where(col(_Process.holder).in_(ended)))
    _forget_chunks(session)


def _forget_chunks(session: Session) -> None:
    """Remove the chunks of runs in which no process takes part."""
    under_way = select(col(_Process.run)).where(col(_Process.until) > NOW_MS)
    session.connection().execute(delete(_Chunk).where(col(_Chunk.run).not_in(under_way)))


def _living(session: Session, run: str) -> list[EvaluationProcess]:
    statement = select_as(EvaluationProcess, _Process)
    living = statement.where(col(_Process.run) == run, col(_Process.until) > NOW_MS)
    return list(records(session, EvaluationProcess, living))
