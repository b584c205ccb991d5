"""Evaluation runs with their models, samples and outcomes. No other module reads or writes them."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from sqlalchemy import Select, Text, and_, cast, false, func, insert, or_, select, update
from sqlmodel import Session, SQLModel, col

from reviewer.core.errors import RequestError
from reviewer.core.sanitize import one_line
from store.candidates import name_taken
from store.clock import instant, now_ms
from store.database import Database
from store.evaluation_leases import mark_done, still_held
from store.patient_write import patient_write, tried_twice
from store.reading import records, select_as
from store.records import (
    Case,
    EvaluatedModel,
    EvaluationChunk,
    EvaluationProcess,
    Measurement,
    Outcome,
    OutcomeState,
    Run,
    RunLock,
    SampledCase,
)
from store.revisions import withdrawn_places
from store.run_lock import check_hold
from store.run_tables import CallRow, EvaluatedModelRow, OutcomeRow, RunRow, SampledCaseRow
from store.tables import CaseRow, MembershipRow
from store.upsert import upsert

_OUTCOME = ("run", "model", "case", "condition", "repeat")
_CODED = ("model", "case", "condition", "repeat", "state", "label")

_OUTCOMES_A_STATEMENT = 5_000
_DIGITS = 64
"""The length of a digest. The request of an outcome is one, or two with a blank between them."""
_LONGEST_VALUE = 200
"""Characters of a value as JSON. Longer ones are proofs and their like, which are slow to read."""

_EVALUATION = col(RunRow.procedure) == "evaluate"

CodedOutcome = tuple[str, int, str, int, OutcomeState, str | None]
"""Model, place of the case, key of the condition, repeat, state and label of one outcome."""


@dataclass(frozen=True, slots=True)
class OutcomeCount:
    """How many outcomes of a model have this state."""

    model: str
    state: OutcomeState
    outcomes: int


@dataclass(frozen=True, slots=True)
class KeptCalls:
    """The stored calls of a run: attempts, their cost, and how many have no price."""

    calls: int
    cost: float
    unpriced: int


class Evaluations:
    """The evaluation runs of a store."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def begin(
        self,
        run: Run,
        sample: Sequence[SampledCase],
        models: Sequence[tuple[str, str]],
        hold: RunLock | None = None,
    ) -> None:
        """Save a new run with its frozen sample and its models (name, endpoint) in one transaction.

        Raises RequestError and saves nothing if the name is taken, or if another process took the lock over.
        """
        with self._database.write() as session:
            if hold:
                check_hold(session, hold)
            if (other := session.get(RunRow, run.name)) is not None:
                raise RequestError(name_taken(Run.model_validate(other.model_dump())))
            connection = session.connection()
            connection.execute(insert(RunRow), run.model_dump())
            if sample:
                connection.execute(insert(SampledCaseRow), [case.model_dump() for case in sample])
            _add_models(session, run.name, models)

    def add_models(self, run: str, models: Sequence[tuple[str, str]], hold: RunLock | None = None) -> None:
        """Add models (name, endpoint) to a run, after those that it has; known ones stay as they are."""
        with self._database.write() as session:
            if hold:
                check_hold(session, hold)
            _add_models(session, run, models)

    def runs(self) -> list[Run]:
        """All evaluation runs, by name."""
        statement = select_as(Run, RunRow).where(_EVALUATION).order_by(col(RunRow.name))
        with self._database.read() as session:
            return list(records(session, Run, statement))

    def find(self, name: str) -> Run | None:
        """The evaluation run of this name, if there is one."""
        statement = select_as(Run, RunRow).where(_EVALUATION, col(RunRow.name) == name)
        with self._database.read() as session:
            return next(records(session, Run, statement), None)

    def run(self, name: str) -> Run:
        """The evaluation run of this name; raises RequestError."""
        run = self.find(name)
        if run is None:
            known = ", ".join(run.name for run in self.runs())
            there = f"there are {known}" if known else "start one with `reviewer evaluate`"
            raise RequestError(f"there is no evaluation run {one_line(name)!r}; {there}.")
        return run

    def models(self, run: str) -> list[EvaluatedModel]:
        """The models of a run, in the order in which they were added."""
        statement = select_as(EvaluatedModel, EvaluatedModelRow).where(col(EvaluatedModelRow.run) == run)
        with self._database.read() as session:
            ordered = statement.order_by(col(EvaluatedModelRow.number))
            return list(records(session, EvaluatedModel, ordered))

    def sample(self, run: str) -> list[SampledCase]:
        """The sample of a run, in order."""
        statement = select_as(SampledCase, SampledCaseRow).where(col(SampledCaseRow.run) == run)
        with self._database.read() as session:
            return list(records(session, SampledCase, statement.order_by(col(SampledCaseRow.place))))

    def cases(self, run: str) -> dict[str, Case]:
        """The cases of a run's sample by digest, as they were when the run began."""
        statement = select_as(Case, CaseRow).where(col(CaseRow.digest).in_(_sampled(run)))
        with self._database.read() as session:
            return {case.digest: case for case in records(session, Case, statement)}

    def values(self, run: str) -> dict[str, list[Measurement]]:
        """The short values of a run's cases, by case, in the order in which they were stored."""
        table = SQLModel.metadata.tables["measurements"]
        columns = [table.c[name] for name in Measurement.model_fields]
        short = func.length(cast(table.c.value, Text)) <= _LONGEST_VALUE
        statement = select(*columns).where(table.c.case.in_(_sampled(run)), short).order_by(table.c.id)
        by_case: dict[str, list[Measurement]] = {}
        with self._database.read() as session:
            for row in session.execute(statement).mappings():
                # Unvalidated: thousands are read before a table of effects is shown.
                by_case.setdefault(row["case"], []).append(Measurement.model_construct(**row))
        return by_case

    def stale(self, run: str) -> set[int]:
        """The places of the cases that are no longer where they were drawn from: replaced or withdrawn."""
        sampled, now = SampledCaseRow, MembershipRow
        here = and_(col(now.dataset) == col(sampled.dataset), col(now.key) == col(sampled.key))
        statement = (
            select(
                col(sampled.place), col(sampled.dataset), col(sampled.key), col(sampled.digest), col(now.case)
            )
            .join(now, here, isouter=True)
            .where(col(sampled.run) == run)
        )
        with self._database.read() as session:
            rows = session.execute(statement).all()
            withdrawn = withdrawn_places(session, {row.dataset for row in rows})
        gone = (row for row in rows if row.digest != row.case or (row.dataset, row.key) in withdrawn)
        return {row.place for row in gone}

    def keep(self, outcomes: Sequence[Outcome], hold: RunLock | None = None) -> None:
        """Save outcomes in one transaction. They replace earlier ones of the same case, condition and repeat.

        Raises RequestError and saves nothing if another process took the lock over.
        """
        if not outcomes:
            return
        with self._database.write() as session:
            if hold:
                check_hold(session, hold)
            _save(session, outcomes)

    def keep_imported(
        self, run: Run, sample: Sequence[SampledCase], model: str, outcomes: Sequence[Outcome]
    ) -> None:
        """Save all outcomes that one file gives in one transaction.

        The run is saved if there is none yet, else with its new settings. ``sample`` are its new cases.
        Raises RequestError and saves nothing if another import gave the run cases in the meantime.
        """
        with self._database.write() as session:
            connection = session.connection()
            if session.get(RunRow, run.name) is None:
                connection.execute(insert(RunRow), run.model_dump())
            else:
                of_run = update(RunRow).where(col(RunRow.name) == run.name)
                connection.execute(of_run.values(settings=run.settings))
            _check_sample(session, run.name, sample, outcomes)
            if sample:
                connection.execute(insert(SampledCaseRow), [case.model_dump() for case in sample])
            _add_models(session, run.name, [(model, "")])
            for start in range(0, len(outcomes), _OUTCOMES_A_STATEMENT):
                some = outcomes[start : start + _OUTCOMES_A_STATEMENT]
                connection.execute(insert(OutcomeRow), [dict(outcome) for outcome in some])

    def outcomes(
        self,
        run: str,
        *,
        model: str | None = None,
        case: int | None = None,
        condition: str | None = None,
        state: OutcomeState | None = None,
    ) -> Iterator[Outcome]:
        """The outcomes of a run by case, model, condition and repeat; None means no restriction."""
        row = OutcomeRow
        wanted = {"model": model, "case": case, "condition": condition, "state": state}
        conditions = [getattr(row, name) == value for name, value in wanted.items() if value is not None]
        order = col(row.case), col(row.model), col(row.condition), col(row.repeat)
        statement = select_as(Outcome, row).where(col(row.run) == run, *conditions).order_by(*order)
        with self._database.read() as session:
            yield from records(session, Outcome, statement)

    def coded(self, run: str) -> list[CodedOutcome]:
        """Every outcome of a run without its texts, in any order, quickly."""
        outcomes = SQLModel.metadata.tables["outcomes"]
        statement = select(*(outcomes.c[name] for name in _CODED)).where(outcomes.c.run == run)
        with self._database.read() as session:
            return [tuple(row) for row in session.connection().execute(statement)]

    def coded_in(self, chunks: Sequence[EvaluationChunk]) -> list[CodedOutcome]:
        """The outcomes of some chunks, as ``coded`` gives them."""
        outcomes = SQLModel.metadata.tables["outcomes"]
        within = [
            and_(
                outcomes.c.run == chunk.run,
                outcomes.c.model == chunk.model,
                outcomes.c.repeat == chunk.repeat,
                outcomes.c.case.between(chunk.first, chunk.first + chunk.places - 1),
            )
            for chunk in chunks
        ]
        statement = select(*(outcomes.c[name] for name in _CODED)).where(or_(false(), *within))
        with self._database.read() as session:
            return [tuple(row) for row in session.connection().execute(statement)]

    def reader_versions(self, run: str) -> dict[int, int]:
        """How many replies of a run each version of the reader read, but for labels from files."""
        version = col(OutcomeRow.reader_version)
        read = version > 0, col(OutcomeRow.request) != "", col(OutcomeRow.run) == run
        statement = select(version, func.count()).where(*read).group_by(version).order_by(version)
        with self._database.read() as session:
            return {int(number): int(count) for number, count in session.execute(statement)}

    def counts(self, run: str) -> list[OutcomeCount]:
        """The outcomes of a run, counted by model and state."""
        by = col(OutcomeRow.model), col(OutcomeRow.state)
        statement = select(*by, func.count()).where(col(OutcomeRow.run) == run).group_by(*by).order_by(*by)
        with self._database.read() as session:
            return [OutcomeCount(*row) for row in session.execute(statement)]

    def calls(self, run: str) -> KeptCalls:
        """What the requests of a run took, also where another run sent them."""
        request, of_run = col(OutcomeRow.request), col(OutcomeRow.run) == run
        first = select(func.substr(request, 1, _DIGITS)).where(of_run)
        second = select(func.substr(request, _DIGITS + 2)).where(of_run, func.length(request) > _DIGITS)
        cost = col(CallRow.cost)
        statement = select(func.count(), func.coalesce(func.sum(cost), 0.0), func.count() - func.count(cost))
        asked = col(CallRow.ask).in_(first.union(second))
        with self._database.read() as session:
            return KeptCalls(*session.execute(statement.where(asked)).one())


@tried_twice
def keep_leased(
    database: Database,
    process: EvaluationProcess,
    outcomes: Sequence[tuple[int, Outcome]],
    done: Collection[int],
) -> None:
    """Save outcomes with the numbers of their chunks, and mark chunks as done, in one transaction.

    Outcomes of chunks that another process has taken are left to that one.
    """
    with patient_write(database) as session:
        held = still_held(session, process, {chunk for chunk, _ in outcomes})
        if ours := [outcome for chunk, outcome in outcomes if chunk in held]:
            _save(session, ours)
        mark_done(session, process, done)


def _save(session: Session, outcomes: Sequence[Outcome]) -> None:
    connection = session.connection()
    row = upsert(connection, OutcomeRow)
    news = {name: row.excluded[name] for name in Outcome.model_fields if name not in _OUTCOME}
    setting = row.on_conflict_do_update(index_elements=_OUTCOME, set_=news)
    connection.execute(setting, [outcome.model_dump() for outcome in outcomes])


def _check_sample(
    session: Session, run: str, sample: Sequence[SampledCase], outcomes: Sequence[Outcome]
) -> None:
    """Raise RequestError unless the outcomes are for all cases that a run has and these new ones."""
    statement = select(func.count()).where(col(SampledCaseRow.run) == run)
    held = session.execute(statement).scalar_one()
    if held + len(sample) != len({outcome.case for outcome in outcomes}):
        raise RequestError(f"evaluation run {run!r} got other cases in the meantime; import the file again.")


def _sampled(run: str) -> Select[str]:
    return select(col(SampledCaseRow.digest)).where(col(SampledCaseRow.run) == run)


def _add_models(session: Session, run: str, models: Sequence[tuple[str, str]]) -> None:
    before = select(col(EvaluatedModelRow.model)).where(col(EvaluatedModelRow.run) == run)
    known = list(session.execute(before).scalars())
    fresh = {model: endpoint for model, endpoint in models if model not in known}
    rows = [
        EvaluatedModel(run=run, model=model, number=number, endpoint=endpoint, added_at=instant(now_ms()))
        for number, (model, endpoint) in enumerate(fresh.items(), start=len(known))
    ]
    if rows:
        session.connection().execute(insert(EvaluatedModelRow), [row.model_dump() for row in rows])
