"""The file in which a rater of a study on a server works: their pack, kept on their own machine."""

import os
import tempfile
from pathlib import Path

from reviewer.core.errors import RequestError, StoreError
from reviewer.exchange.packs.pack import put_in_place, write_pack
from reviewer.protocols.registry import PROTOCOLS, Protocols
from store.clock import instant, now_ms
from store.database import Database
from store.location import shown_location
from store.rater_seats import current_seat
from store.records import RaterSeat, digest_of

_SHOWN_DIGITS = 12


def working_copy_path(location: str, study: str, rater: str) -> Path:
    """Path of the file: one for each server, study and rater, in the user's state folder."""
    state = os.environ.get("XDG_STATE_HOME") or "~/.local/state"
    origin = digest_of([shown_location(location), study, rater])[:_SHOWN_DIGITS]
    return Path(state).expanduser() / "reviewer" / f"{study}-{rater}-{origin}.review"


def fetch_working_copy(
    location: str, study: str, rater: str, protocols: Protocols = PROTOCOLS
) -> tuple[Path, str | None]:
    """The rater's file, fetched if there is none yet, and why the server could not be reached, if so.

    Raises ReviewerError if there is neither file nor server, or no such study or rater.
    """
    path = working_copy_path(location, study, rater)
    if path.exists():
        return path, _unreachable(location)
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    database = Database.open(location, must_exist=True, protocols=protocols)
    try:
        _fetch(database, study, rater, path)
    finally:
        database.close()
    return path, None


def seat_with_pack(database: Database, study: str, rater: str, user: str) -> RaterSeat:
    """A seat for a database user, with the rater's pack. It is not saved yet."""
    with tempfile.TemporaryDirectory(prefix="reviewer-") as folder:
        path = Path(folder) / f"{rater}.review"
        rows = write_pack(database, study, rater, path)
        return RaterSeat(
            db_user=user,
            study=study,
            rater=rater,
            pack=path.read_bytes(),
            cases=[place.case for place in rows.sample],
            granted_at=instant(now_ms()),
        )


def _unreachable(location: str) -> str | None:
    try:
        Database.open(location, must_exist=True).close()
    except StoreError as error:
        return str(error)
    return None


def _pack_unless_there(database: Database, study: str, rater: str, path: Path) -> None:
    try:
        write_pack(database, study, rater, path)
    except RequestError:
        if not path.exists():  # else another window was quicker, and this one shares its file
            raise


def _fetch(database: Database, study: str, rater: str, path: Path) -> None:
    with database.read() as session:
        seat = current_seat(session, study) if database.on_server else None
    if seat is None:
        _pack_unless_there(database, study, rater, path)
        return
    if seat.rater != rater:
        raise RequestError(
            f"your database user is rater {seat.rater!r} of study {study!r}, not {rater!r}; "
            f"give --rater {seat.rater}."
        )
    with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as draft:
        draft.write(seat.pack)
    try:
        put_in_place(Path(draft.name), path)
    except FileExistsError:
        return
    finally:
        Path(draft.name).unlink(missing_ok=True)
