"""Evaluation runs with their models, samples and outcomes. No other module reads or writes them."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sqlalchemy import Select, Text, and_, cast, false, func, insert, or_, select
from sqlmodel import Session, SQLModel, col

from reviewer.core.errors import RequestError
from reviewer.core.sanitize import one_line
from store.calls import KeptCalls, kept_calls
from store.database import Database
from store.leases import check_lease, keep_leased
from store.lock_timeout import tried_twice
from store.records import (
    JUDGES,
    REPAIR,
    Case,
    Lease,
    Measurement,
    Outcome,
    OutcomeState,
    Run,
    RunChunk,
    RunRole,
    SampledCase,
)
from store.revisions import withdrawn_places
from store.row_records import portions, records, select_as, upsert
from store.run_tables import CallRow, OutcomeRow, RunRow, SampledCaseRow
from store.runs import (
    EVALUATES,
    JUDGES_STUDY,
    PROPOSES,
    add_models,
    find_run,
    list_runs,
    name_taken,
    roles_of,
    save_run,
)
from store.tables import CaseRow, MembershipRow

_OUTCOME = ("run", "model", "case", "condition", "repeat")
_CODED = ("model", "case", "condition", "repeat", "state", "label")

_REPLY = ("model", "case", "condition", "repeat", "label", "why", "reply")

_OUTCOMES_A_STATEMENT = 5_000
_DIGITS = 64
"""The length of a digest. The request of an outcome is one, or several with blanks between them."""
_LONGEST_VALUE = 200
"""Characters of a value as JSON. Longer ones are proofs and their like, which are slow to read."""

SUBJECT, JUDGE, AUTHOR = "subject", "judge", "author"
"""The roles of the models that an evaluation measures, that judge the cases of a study, and that propose
repairs."""

CodedOutcome = tuple[str, int, str, int, OutcomeState, str | None]
"""Model, place of the case, key of the condition, repeat, state and label of one outcome."""


@dataclass(frozen=True, slots=True)
class OutcomeCount:
    """How many outcomes of a model have this state."""

    model: str
    state: OutcomeState
    outcomes: int


class KeptReply(NamedTuple):
    """An outcome with a reply. ``case`` is the place in the run's sample."""

    model: str
    case: int
    condition: str
    repeat: int
    label: str | None
    why: str
    reply: str


class Evaluations:
    """The evaluation runs of a store."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def begin(
        self,
        run: Run,
        sample: Sequence[SampledCase],
        models: Mapping[str, str],
        lease: Lease | None = None,
        placing: Callable[[Session], None] | None = None,
    ) -> None:
        """Save a new run with its frozen sample and its models (name → endpoint) in one transaction.

        ``placing`` saves its cases if the store does not have them yet.
        Raises RequestError and saves nothing if the name is taken, or if another process took the lock over.
        """
        with self._database.write() as session:
            if lease:
                check_lease(session, lease)
            if (other := find_run(session, run.name)) is not None:
                raise RequestError(name_taken(other))
            if placing:
                placing(session)
            save_run(session, run)
            if sample:
                session.connection().execute(insert(SampledCaseRow), [case.model_dump() for case in sample])
            add_models(session, run.name, asked_role(run), models)

    def extend(self, run: Run, sample: Sequence[SampledCase], added: int, lease: Lease | None = None) -> None:
        """Save a run that gets cases: the last ``added`` ones of its sample, in one transaction.

        Raises RequestError and saves nothing if it got other cases in the meantime, or if another process
        took the lock over.
        """
        with self._database.write() as session:
            if lease:
                check_lease(session, lease)
            save_run(session, run)  # first, since it waits for another process that writes this run
            if _sample_size(session, run.name) != len(sample) - added:
                raise RequestError(
                    f"another process has just given run {run.name!r} other cases; call the command again."
                )
            session.connection().execute(
                insert(SampledCaseRow), [case.model_dump() for case in sample[len(sample) - added :]]
            )

    def add_models(
        self, run: str, models: Mapping[str, str], lease: Lease | None = None, role: str = SUBJECT
    ) -> None:
        """Add models (name → endpoint) to a run, after those that it has; known ones stay as they are."""
        with self._database.write() as session:
            if lease:
                check_lease(session, lease)
            add_models(session, run, role, models)

    def runs(self) -> list[Run]:
        """All evaluation runs, by name."""
        with self._database.read() as session:
            return list_runs(session, EVALUATES)

    def find(self, name: str) -> Run | None:
        """The evaluation run of this name, if there is one."""
        with self._database.read() as session:
            return next(iter(list_runs(session, EVALUATES, col(RunRow.name) == name)), None)

    def run(self, name: str) -> Run:
        """The evaluation run of this name; raises RequestError."""
        run = self.find(name)
        if run is None:
            self._check_no_judges(name)
            known = ", ".join(run.name for run in self.runs())
            there = f"there are {known}" if known else "start one with `reviewer evaluate`"
            raise RequestError(f"there is no evaluation run {one_line(name)!r}; {there}.")
        return run

    def _check_no_judges(self, name: str) -> None:
        with self._database.read() as session:
            other = find_run(session, name)
        if other is not None and other.judged_study:
            study = one_line(other.judged_study)
            raise RequestError(
                f"run {one_line(name)!r} keeps what judges answered in study {study!r}, and is no "
                f"evaluation; see `reviewer judges {study}`, or write its files with `reviewer export "
                f"{study}`."
            )

    def judgings(self, study: str) -> list[Run]:
        """The runs whose judges answer the questions of a study, in the order in which they began."""
        with self._database.read() as session:
            runs = [run for run in list_runs(session, JUDGES_STUDY) if run.judged_study == study]
        return sorted(runs, key=lambda run: (run.started_at, run.name))

    def proposals(self, dataset: str) -> list[Run]:
        """The runs that ask for repairs of the cases of a dataset, in the order in which they began."""
        with self._database.read() as session:
            runs = [run for run in list_runs(session, PROPOSES) if run.material["dataset"] == dataset]
        return sorted(runs, key=lambda run: (run.started_at, run.name))

    def with_outcomes(self, name: str) -> Run:
        """The run of this name that keeps outcomes, an evaluation or judges; raises RequestError."""
        with self._database.read() as session:
            run = find_run(session, name)
        return run if run is not None and run.keeps_outcomes else self.run(name)

    def models(self, run: str) -> list[RunRole]:
        """The models of a run, in the order in which they were added."""
        with self._database.read() as session:
            return list(roles_of(session, run))

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

    def keep(self, outcomes: Sequence[Outcome], lease: Lease | None = None) -> None:
        """Save outcomes in one transaction. They replace earlier ones of the same case, condition and repeat.

        Raises RequestError and saves nothing if another process took the lock over.
        """
        if not outcomes:
            return
        with self._database.write() as session:
            if lease:
                check_lease(session, lease)
            _save(session, outcomes)

    def keep_imported(
        self, run: Run, sample: Sequence[SampledCase], model: str, outcomes: Sequence[Outcome]
    ) -> None:
        """Save all outcomes that one file gives in one transaction.

        The run is saved if there is none yet, else with its new settings. ``sample`` are its new cases.
        Raises RequestError and saves nothing if another import gave the run cases in the meantime.
        """
        with self._database.write() as session:
            connection, known = session.connection(), find_run(session, run.name)
            save_run(session, known.model_copy(update={"settings": run.settings}) if known else run)
            _check_sample(session, run.name, sample, outcomes)
            if sample:
                connection.execute(insert(SampledCaseRow), [case.model_dump() for case in sample])
            add_models(session, run.name, SUBJECT, {model: ""})
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

    def replies(self, run: str) -> Iterator[KeptReply]:
        """Every outcome of a run that has a reply, in any order, quickly."""
        outcomes = SQLModel.metadata.tables["outcomes"]
        statement = select(*(outcomes.c[name] for name in _REPLY)).where(
            outcomes.c.run == run, outcomes.c.reply != ""
        )
        with self._database.read() as session:
            for rows in session.connection().execute(statement).partitions(_OUTCOMES_A_STATEMENT):
                yield from rows  # type: ignore[misc]  # rows have the names and the order of their columns

    def coded(self, run: str) -> list[CodedOutcome]:
        """Every outcome of a run without its texts, in any order, quickly."""
        outcomes = SQLModel.metadata.tables["outcomes"]
        statement = select(*(outcomes.c[name] for name in _CODED)).where(outcomes.c.run == run)
        with self._database.read() as session:
            return [tuple(row) for row in session.connection().execute(statement)]

    def coded_in(self, chunks: Sequence[RunChunk]) -> list[CodedOutcome]:
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
        with self._database.read() as session:
            longest = session.execute(select(func.max(func.length(request))).where(of_run)).scalar() or 0
            if longest <= 2 * _DIGITS + 1:
                return kept_calls(session, col(CallRow.ask).in_(first.union(second)))
            requests = session.execute(select(request).where(of_run).distinct()).scalars()
            asked = sorted({digest for each in requests for digest in each.split()})
            parts = [kept_calls(session, col(CallRow.ask).in_(some)) for some in portions(asked)]
        return KeptCalls(
            sum(part.calls for part in parts),
            sum(part.cost for part in parts),
            sum(part.unpriced for part in parts),
        )


def asked_role(run: Run) -> str:
    """The role of the models that a run asks."""
    return {JUDGES: JUDGE, REPAIR: AUTHOR}.get(run.procedure, SUBJECT)


@tried_twice
def keep_leased_outcomes(
    database: Database,
    lease: Lease,
    outcomes: Sequence[tuple[int, Outcome]],
    done: Collection[int],
) -> None:
    """``keep_leased`` of outcomes, which may be saved again."""
    keep_leased(database, lease, outcomes, done, _save)


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
    if _sample_size(session, run) + len(sample) != len({outcome.case for outcome in outcomes}):
        raise RequestError(f"evaluation run {run!r} got other cases in the meantime; import the file again.")


def _sample_size(session: Session, run: str) -> int:
    statement = select(func.count()).where(col(SampledCaseRow.run) == run)
    return int(session.execute(statement).scalar_one())


def _sampled(run: str) -> Select[str]:
    return select(col(SampledCaseRow.digest)).where(col(SampledCaseRow.run) == run)
