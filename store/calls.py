"""Stored calls to language models. A stored answer is used again for the same request."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cache

from sqlalchemy import ColumnElement, Insert, and_, bindparam, case, func, insert, or_
from sqlmodel import Session, SQLModel, col, select

from store.database import Database
from store.lock_timeout import patience, tried_twice
from store.records import Call, Run
from store.row_records import portions
from store.run_tables import CallRow

_NEWEST = 2_000
# Built once: they are executed many times a second, and to build one takes as long as to execute it.
_KEEP = insert(CallRow)
_CALLS = SQLModel.metadata.tables["calls"]
_ANSWERS = (
    select(*(_CALLS.c[name] for name in Call.model_fields))
    .where(
        _CALLS.c.ask.in_(bindparam("digests", expanding=True)),
        _CALLS.c.endpoint == bindparam("endpoint"),
        _CALLS.c.error.is_(None),
    )
    .order_by(_CALLS.c.id)
)


class StoredCalls:
    """The calls of a store, in the form that the model client needs."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def keep(self, calls: Sequence[Call]) -> None:
        """Add rows in one transaction. They are durable when this returns."""
        if calls:
            _keep(self._database, calls)

    def answers_to(self, digests: Sequence[str], endpoint: str) -> dict[str, Call]:
        """Request (by digest) → the newest row with its answer from an endpoint, for answered requests."""
        sought = {"digests": list(digests), "endpoint": endpoint}
        with self._database.read() as session:
            found = session.connection().execute(_ANSWERS, sought).mappings()
            rows = {row["ask"]: dict(row) for row in found}
        return {ask: Call.model_validate(row) for ask, row in rows.items()}


@tried_twice
def _keep(database: Database, calls: Sequence[Call]) -> None:
    statement = _keep_again() if database.on_server else _KEEP
    with patience(database):
        database.insert(statement, [call.model_dump() for call in calls])


@cache
def _keep_again() -> Insert:
    """A server may have kept them at the first try already."""
    from sqlalchemy.dialects import postgresql  # takes a tenth of a second to load

    return postgresql.insert(CallRow).on_conflict_do_nothing()


@dataclass(frozen=True, slots=True)
class CallTotal:
    """The totals of the calls for one purpose to one model at one endpoint.

    Tokens are those that the server counted. ``unpriced`` calls have no cost. The cost of ``estimated`` calls
    is estimated from their text, because the server counted no tokens.
    """

    endpoint: str
    model: str
    purpose: str
    calls: int
    failed: int
    prompt_tokens: int
    completion_tokens: int
    cost: float
    unpriced: int
    estimated: int


_ESTIMATED = and_(
    col(CallRow.cost) > 0,
    or_(
        col(CallRow.prompt_tokens).is_(None),
        col(CallRow.prompt_tokens) == 0,
        col(CallRow.completion_tokens).is_(None),
        # An empty answer has no tokens, and is an error.
        and_(col(CallRow.completion_tokens) == 0, col(CallRow.error).is_(None)),
    ),
)


def call_totals(session: Session) -> list[CallTotal]:
    """Totals over all stored calls, ordered by endpoint, model and purpose."""
    columns = (col(CallRow.endpoint), col(CallRow.model), col(CallRow.purpose))
    rows = session.exec(
        select(  # type: ignore[call-overload]  # the overloads end at four columns
            *columns,
            func.count(),
            func.count(col(CallRow.error)),
            func.coalesce(func.sum(col(CallRow.prompt_tokens)), 0),
            func.coalesce(func.sum(col(CallRow.completion_tokens)), 0),
            func.coalesce(func.sum(col(CallRow.cost)), 0.0),
            func.count() - func.count(col(CallRow.cost)),
            func.count(case((_ESTIMATED, 1))),
        )
        .group_by(*columns)
        .order_by(*columns)
    )
    return [
        CallTotal(endpoint, model, purpose, calls, failed, int(asked), int(said), float(cost), *of_them)
        for endpoint, model, purpose, calls, failed, asked, said, cost, *of_them in rows
    ]


@dataclass(frozen=True, slots=True)
class KeptCalls:
    """The stored calls of a run: attempts, their cost, and how many have no price."""

    calls: int
    cost: float
    unpriced: int


def kept_calls(session: Session, condition: ColumnElement[bool]) -> KeptCalls:
    """The stored calls that meet a condition."""
    cost = col(CallRow.cost)
    counted = select(func.count(), func.sum(cost), func.count() - func.count(cost)).where(condition)
    calls, total, unpriced = session.exec(counted).one()
    return KeptCalls(calls, total or 0.0, unpriced)


def with_calls(database: Database, run: Run, calls: Collection[str]) -> Run:
    """The run with further stored calls (by id) and their cost counted."""
    with database.read() as session:
        kept = calls_by_id(session, calls)
    return run.model_copy(
        update={
            "calls": run.calls + kept.calls,
            "cost": run.cost + kept.cost,
            "unpriced": run.unpriced + kept.unpriced,
        }
    )


def calls_by_id(session: Session, calls: Collection[str]) -> KeptCalls:
    """These calls, all of which count, with the cost of those that are stored."""
    parts = [kept_calls(session, col(CallRow.id).in_(some)) for some in portions(sorted(set(calls)))]
    cost, unpriced = sum(part.cost for part in parts), sum(part.unpriced for part in parts)
    return KeptCalls(len(set(calls)), cost, unpriced)


def recent_seconds(session: Session, models: Sequence[str]) -> list[float]:
    """How long the newest answered calls to these models took, of the newest calls of the store."""
    newest = select(col(CallRow.model), col(CallRow.seconds), col(CallRow.error)).order_by(
        col(CallRow.id).desc()
    )
    rows = session.exec(newest.limit(_NEWEST)).all()
    return [seconds for model, seconds, error in rows if model in models and error is None]


@dataclass(frozen=True, slots=True)
class CallUse:
    """The tokens of an answered call, and its cost; None without a price."""

    tokens: int
    cost: float | None


def use_of_requests(session: Session, digests: Sequence[str]) -> dict[str, CallUse]:
    """What the newest answer to each request took, by the digest of the request."""
    uses: dict[str, CallUse] = {}
    for some in portions(digests):
        rows = session.exec(
            select(CallRow.ask, CallRow.prompt_tokens, CallRow.completion_tokens, CallRow.cost)
            .where(col(CallRow.ask).in_(some), col(CallRow.error).is_(None))
            .order_by(col(CallRow.id))
        )
        uses |= {ask: CallUse((asked or 0) + (said or 0), cost) for ask, asked, said, cost in rows}
    return uses
