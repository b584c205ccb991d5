"""Seats: which database user is which rater in a shared store."""

import sqlalchemy
from sqlalchemy import delete, text
from sqlmodel import Session, col, select

from store import database_users, rater_functions
from store.database import Database
from store.records import RaterSeat
from store.row_records import upsert
from store.server_schema import OWN
from store.study_tables import RaterSeatRow


def admission(database: Database, user: str, new_password: str | None, *, run: bool) -> list[str]:
    """The statements that give a database user access; they create the user if there is a new password.

    Raises RequestError if the user has too many rights.
    """
    with database.read() as session:
        connection = session.connection()
        database_users.check_is_weak(connection, user, OWN)
        creation = [] if new_password is None else [database_users.creation(user, new_password)]
        narrowing = database_users.narrowing(connection, run=run)
    return [*creation, *narrowing, *rater_functions.grants(user)]


def remaining_rights(database: Database) -> list[str]:
    """What raters' users can do apart from their work, one phrase each."""
    with database.read() as session:
        return database_users.remaining(session.connection())


def give_seat(database: Database, seat: RaterSeat, statements: list[str]) -> None:
    """Save a seat and run the statements for its user, in one transaction."""
    with database.write() as session:
        connection = session.connection()
        rater_functions.execute_all(connection, statements)
        keeping = upsert(connection, RaterSeatRow).values(**seat.model_dump())
        news = {name: keeping.excluded[name] for name in ("rater", "pack", "cases", "granted_at")}
        connection.execute(keeping.on_conflict_do_update(index_elements=["db_user", "study"], set_=news))


def take_seat_away(database: Database, study: str, rater: str, *, run: bool) -> list[str]:
    """Delete a rater's seats in a study; returns (and may run) revocations for users without a seat."""
    with database.write() as session:
        rows = session.exec(
            select(RaterSeatRow.db_user).where(RaterSeatRow.study == study, RaterSeatRow.rater == rater)
        )
        users = list(rows)
        session.connection().execute(
            delete(RaterSeatRow).where(col(RaterSeatRow.study) == study, col(RaterSeatRow.rater) == rater)
        )
        left = set(session.exec(select(RaterSeatRow.db_user).where(col(RaterSeatRow.db_user).in_(users))))
        out = [user for user in users if user not in left]
        statements = [line for user in out for line in rater_functions.revocations(user)]
        if run:
            rater_functions.execute_all(session.connection(), statements)
    return statements


def current_seat(session: Session, study: str) -> RaterSeat | None:
    """The current database user's seat in a study, if they have one."""
    seats = rater_functions.rows_from("rater_seats", RaterSeatRow)
    row = session.execute(sqlalchemy.select(seats).where(seats.c.study == study)).mappings().first()
    return None if row is None else RaterSeat.model_validate(dict(row))


def has_seat(session: Session) -> bool:
    """Whether the current database user is a rater of any study."""
    seats = rater_functions.rows_from("rater_seats", RaterSeatRow)
    return session.execute(sqlalchemy.select(seats.c.study).limit(1)).first() is not None


def user_exists(database: Database, user: str) -> bool:
    """Whether the server has a user with this name."""
    with database.read() as session:
        seats = session.connection().execute(
            text("SELECT 1 FROM pg_roles WHERE rolname = :user"), {"user": user}
        )
        return seats.first() is not None
