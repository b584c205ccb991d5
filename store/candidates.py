"""Runs that make cases, and their candidates. Each round is saved in one transaction."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import case, delete, func, update
from sqlmodel import Session, col, select

from store.calls import calls_by_id
from store.case_import import Entry, place_entries, setting_values
from store.clock import instant, now_ms
from store.database import Database
from store.leases import check_lease, keep_leased
from store.records import Candidate, Dataset, Finding, JsonValue, Lease, Measurement, Run
from store.run_tables import CandidateRow, RunRow
from store.runs import find_run, save_run
from store.tables import FindingRow


@dataclass(frozen=True, slots=True)
class CandidateBatch:
    """A dataset and the entries that a round adds to it."""

    dataset: Dataset
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class Fate:
    """How many candidates of a group were approved, or were discarded at a step by a check."""

    group: str
    approved: bool
    step: str
    check: str
    counts_as: str
    candidates: int


@dataclass(frozen=True, slots=True)
class Expansions:
    """Expansions by group: all of them, and those up to the last one that gave an approved case."""

    all: Counter[str]
    fruitful: Counter[str]

    def count(self, group: str, expansion: int, approved: bool) -> None:
        """Count an expansion with this number (from 0), of which a candidate was tried."""
        self.all[group] = max(self.all[group], expansion + 1)
        if approved:
            self.fruitful[group] = max(self.fruitful[group], expansion + 1)


def keep_run(database: Database, lease: Lease, run: Run, batches: Sequence[CandidateBatch] = ()) -> None:
    """Save a new or changed run, with the cases that its datasets start with.

    Raises RequestError and saves nothing if another process has taken the run over.
    """
    with database.write() as session:
        check_lease(session, lease)
        _put(session, run, batches)


def keep_round(
    database: Database,
    lease: Lease,
    run: Run,
    candidates: Sequence[Candidate] = (),
    batches: Sequence[CandidateBatch] = (),
    findings: Sequence[Finding] = (),
) -> None:
    """Save a round in one transaction: the run, candidates, cases with places, and findings.

    Raises RequestError and saves nothing if another process has taken the run over.
    """
    with database.write() as session:
        check_lease(session, lease)
        _put(session, run, batches)
        connection = session.connection()
        if candidates:
            rows = [candidate.model_dump() for candidate in candidates]
            connection.execute(CandidateRow.__table__.insert(), rows)  # type: ignore[attr-defined]
        for finding in findings:
            known = (col(FindingRow.case) == finding.case) & (col(FindingRow.check) == finding.check)
            connection.execute(delete(FindingRow).where(known))
            connection.execute(FindingRow.__table__.insert(), finding.model_dump())  # type: ignore[attr-defined]


@dataclass(frozen=True, slots=True)
class GivenValues:
    """The values of a case by name, or why it has none, and the ids of the calls that were made for it.

    ``made`` is a case that came of it, with its dataset.
    """

    case: str
    values: Mapping[str, JsonValue]
    why: str
    calls: tuple[str, ...]
    made: CandidateBatch | None = None


def keep_values(database: Database, lease: Lease, run: Run, given: Sequence[GivenValues]) -> None:
    """Save values as measurements that name the run, and count their calls.

    Raises RequestError and saves nothing if another process has taken the run over.
    """
    with database.write() as session:
        check_lease(session, lease)
        _put_values(session, run, given)


def keep_leased_values(
    database: Database,
    lease: Lease,
    run: Run,
    given: Sequence[tuple[int, GivenValues]],
    done: Collection[int],
) -> None:
    """The same with the numbers of chunks. The write is not tried twice, so that no call counts twice."""
    keep_leased(database, lease, given, done, lambda session, some: _put_values(session, run, some))


def _put_values(session: Session, run: Run, given: Sequence[GivenValues]) -> None:
    connection, row = session.connection(), RunRow
    if made := [some.made for some in given if some.made]:  # all in the dataset of the run
        place_entries(connection, made[0].dataset, [entry for batch in made for entry in batch.entries])
    measured = [
        Measurement(case=some.case, name=name, source="measured", engine=run.engine, value=value).model_dump()
        for some in given
        for name, value in some.values.items()
    ]
    if measured:
        connection.execute(setting_values(connection), measured)
    kept = calls_by_id(session, {call for some in given for call in some.calls})
    added = {
        "calls": col(row.calls) + kept.calls,
        "cost": col(row.cost) + kept.cost,
        "unpriced": col(row.unpriced) + kept.unpriced,
    }
    connection.execute(update(row).where(col(row.name) == run.name).values(state="open", **added))


def end_run(database: Database, run: str, why: str) -> Run:
    """The run, which is finished; ``why`` names missing parts."""
    with database.write() as session:
        stored = find_run(session, run)
        assert stored is not None
        if (stored.state, stored.why) != ("finished", why):
            stored = stored.model_copy(
                update={"state": "finished", "why": why, "ended_at": instant(now_ms())}
            )
            save_run(session, stored)
        return stored


def fates(session: Session, run: str) -> list[Fate]:
    """A run's candidates, counted by their fate."""
    row = CandidateRow
    by = [col(field) for field in (row.group, row.approved, row.step, row.check, row.counts_as)]
    rows = session.exec(
        select(*by, func.count()).where(row.run == run).group_by(*by).order_by(*by)  # type: ignore[call-overload]
    )
    return [Fate(*values) for values in rows]


def candidate_values(session: Session, run: str, name: str) -> Iterator[tuple[str, JsonValue]]:
    """The group of each candidate of a run that has this value, with the value."""
    rows = session.exec(select(CandidateRow.group, CandidateRow.values).where(CandidateRow.run == run))
    return ((group, values[name]) for group, values in rows if name in values)


@dataclass(frozen=True, slots=True)
class RoundFate:
    """The number of candidates of a round with this fate, by ``counts_as``."""

    round: int
    counts_as: str
    approved: bool
    step: str
    check: str
    candidates: int


def round_fates(session: Session, run: str) -> list[RoundFate]:
    """A run's candidates, counted by round and fate, in the order in which each was first met."""
    row = CandidateRow
    by = [col(field) for field in (row.expansion, row.counts_as, row.approved, row.step, row.check)]
    rows = session.exec(
        select(*by, func.count())  # type: ignore[call-overload]
        .where(row.run == run)
        .group_by(*by)
        .order_by(row.expansion, func.min(row.number))
    )
    return [RoundFate(*values) for values in rows]


def candidates_of(
    session: Session,
    run: str,
    *,
    approved: bool | None = None,
    group: str | None = None,
    step: str | None = None,
    check: str | None = None,
    limit: int | None = None,
) -> list[Candidate]:
    """A run's candidates in the order in which they were tried. None means no restriction."""
    wanted = {"approved": approved, "group": group, "step": step, "check": check}
    conditions = [getattr(CandidateRow, name) == value for name, value in wanted.items() if value is not None]
    rows = session.exec(
        select(CandidateRow)
        .where(CandidateRow.run == run, *conditions)
        .order_by(col(CandidateRow.number))
        .limit(limit)
    )
    return [Candidate.model_validate(row.model_dump()) for row in rows]


def expansions_of(session: Session, run: str) -> Expansions:
    """The number of expansions of each group of a run, and the number up to the last fruitful one."""
    last = func.max(col(CandidateRow.expansion))
    fruitful = func.max(case((col(CandidateRow.approved), col(CandidateRow.expansion)), else_=-1))
    rows = session.exec(
        select(CandidateRow.group, last, fruitful)
        .where(CandidateRow.run == run)
        .group_by(col(CandidateRow.group))
    ).all()
    return Expansions(
        Counter({group: number + 1 for group, number, _ in rows}),
        Counter({group: number + 1 for group, _, number in rows}),
    )


def candidate_count(session: Session, run: str) -> int:
    """The number of candidates that a run has tried."""
    return session.exec(select(func.count()).where(CandidateRow.run == run)).one()


def find_candidate(session: Session, reference: str) -> Candidate | None:
    """The candidate with the reference "RUN:NUMBER", if there is one."""
    run, _, number = reference.rpartition(":")
    if not (run and number.isascii() and number.isdigit() and len(number) < 10):
        return None
    row = session.get(CandidateRow, (run, int(number)))
    return row and Candidate.model_validate(row.model_dump())


def _put(session: Session, run: Run, batches: Sequence[CandidateBatch]) -> None:
    save_run(session, run)
    for batch in batches:
        place_entries(session.connection(), batch.dataset, batch.entries)
