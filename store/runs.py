"""Runs of all procedures with the models of their roles, by name."""

from collections.abc import Iterator, Mapping

from sqlalchemy import ColumnElement, insert
from sqlmodel import Session, col

from store.clock import instant, now_ms
from store.records import EVALUATE, JUDGES, REPAIR, Run, RunColumns, RunRole
from store.row_records import records, select_as, upsert
from store.run_tables import RunRoleRow, RunRow

EVALUATES: ColumnElement[bool] = col(RunRow.procedure) == EVALUATE
JUDGES_STUDY: ColumnElement[bool] = col(RunRow.procedure) == JUDGES
PROPOSES: ColumnElement[bool] = col(RunRow.procedure) == REPAIR


def list_runs(session: Session, *conditions: ColumnElement[bool]) -> list[Run]:
    """The runs that meet all conditions, by name."""
    roles: dict[str, dict[str, str]] = {}
    for role in roles_of(session):
        roles.setdefault(role.run, {}).setdefault(role.role, role.model)
    statement = select_as(RunColumns, RunRow).where(*conditions).order_by(col(RunRow.name))
    rows = records(session, RunColumns, statement)
    return [Run(**dict(row), roles=roles.get(row.name, {})) for row in rows]


def find_run(session: Session, name: str) -> Run | None:
    """The run of this name, whatever it does, if there is one."""
    return next(iter(list_runs(session, col(RunRow.name) == name)), None)


def case_making_runs(session: Session) -> list[Run]:
    """All runs that make cases, by name."""
    return list_runs(session, col(RunRow.procedure).in_(("generate", "discover")))


def roles_of(session: Session, run: str | None = None) -> Iterator[RunRole]:
    """The models of a run, or of all runs, in the order in which they were added."""
    of_run = () if run is None else (col(RunRoleRow.run) == run,)
    statement = select_as(RunRole, RunRoleRow).where(*of_run)
    return records(session, RunRole, statement.order_by(col(RunRoleRow.run), col(RunRoleRow.place)))


def name_taken(run: Run) -> str:
    """Why a new run cannot have the name of this one."""
    return f"run {run.name!r} already exists; resume it with `{run.command}`, or choose another name."


def save_run(session: Session, run: Run) -> None:
    """Save a new or changed run with the models of its roles."""
    connection = session.connection()
    row = upsert(connection, RunRow).values(**run.model_dump(exclude={"roles"}))
    news = {name: row.excluded[name] for name in RunColumns.model_fields if name != "name"}
    connection.execute(row.on_conflict_do_update(index_elements=["name"], set_=news))
    for role, model in run.roles.items():
        add_models(session, run.name, role, {model: ""})


def add_models(session: Session, run: str, role: str, endpoints: Mapping[str, str]) -> None:
    """Add models (name → endpoint) to a role, after those that the run has; known ones stay as they are."""
    known = [(held.role, held.model) for held in roles_of(session, run)]
    fresh = [model for model in endpoints if (role, model) not in known]
    rows = [
        RunRole(
            run=run,
            role=role,
            model=model,
            place=place,
            endpoint=endpoints[model],
            added_at=instant(now_ms()),
        ).model_dump()
        for place, model in enumerate(fresh, start=len(known))
    ]
    if rows:
        session.connection().execute(insert(RunRoleRow), rows)
