"""Seats: which database user is which rater of a shared store."""

from sqlalchemy import delete, func, text
from sqlmodel import Session, col, select

from store import row_security
from store.database import Database
from store.records import Seat
from store.tables import SeatRow
from store.upsert import upsert


def give_seat(database: Database, seat: Seat, statements: list[str]) -> None:
    """Keep a seat and run what lets its user in, all or nothing."""
    with database.write() as session:
        connection = session.connection()
        row_security.run(connection, statements)
        keeping = upsert(connection, SeatRow).values(**seat.model_dump())
        news = {name: keeping.excluded[name] for name in ("rater", "pack", "granted_at")}
        connection.execute(keeping.on_conflict_do_update(index_elements=["db_user", "study"], set_=news))


def take_seat_away(database: Database, study: str, rater: str, *, run: bool) -> list[str]:
    """End a rater's seats in a study; returns (and may run) what shuts users out who have no other."""
    with database.write() as session:
        rows = session.exec(select(SeatRow.db_user).where(SeatRow.study == study, SeatRow.rater == rater))
        users = list(rows)
        session.connection().execute(
            delete(SeatRow).where(col(SeatRow.study) == study, col(SeatRow.rater) == rater)
        )
        left = set(session.exec(select(SeatRow.db_user).where(col(SeatRow.db_user).in_(users))))
        statements = [line for user in users if user not in left for line in row_security.revocations(user)]
        if run:
            row_security.run(session.connection(), statements)
    return statements


def current_seat(session: Session, study: str) -> Seat | None:
    """The seat in a study of the database user who asks, if they have one."""
    row = session.exec(
        select(SeatRow).where(SeatRow.study == study, SeatRow.db_user == func.current_user())
    ).first()
    return row and Seat.model_validate(row.model_dump())


def user_exists(database: Database, user: str) -> bool:
    """Whether the server has a user of this name."""
    with database.read() as session:
        found = session.connection().execute(
            text("SELECT 1 FROM pg_roles WHERE rolname = :user"), {"user": user}
        )
        return found.first() is not None
