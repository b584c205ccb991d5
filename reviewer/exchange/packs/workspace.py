"""Where a rater works: in a store that is a file, or in a file of their own, which is synchronised.

That file is the pack of a study on a server, kept on the rater's own machine.
"""

import os
import tempfile
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

from reviewer.core.errors import RequestError, StoreError
from reviewer.core.whole_files import temporary_folder
from reviewer.exchange.packs.pack import put_in_place, write_pack
from reviewer.protocols.registry import PROTOCOLS, Protocols, protocols_of
from reviewer.study.transfer.sync import Syncer, SyncStatus
from store.clock import instant, now_ms
from store.database import Database
from store.database_users import current_seat
from store.location import file_of, shown_location
from store.records import GivenBy, RaterSeat, digest_of
from store.sqlite import is_single_file

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
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with closing(Database.open(location, must_exist=True, protocols=protocols)) as database:
            _fetch(database, study, rater, path)
    except OSError as error:
        raise RequestError(
            f"your file of the study cannot be written into folder {str(path.parent)!r} ({error.strerror}); "
            "free some room, or name another folder in the variable XDG_STATE_HOME."
        ) from error
    return path, None


def seat_with_pack(database: Database, study: str, rater: str, user: str) -> RaterSeat:
    """A seat for a database user, with the rater's pack. It is not saved yet."""
    with temporary_folder("the pack") as folder:
        path = folder / f"{rater}.review"
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
    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        draft = Path(folder) / path.name
        draft.write_bytes(seat.pack)
        with suppress(FileExistsError):  # another window was quicker
            put_in_place(draft, path)


@dataclass(frozen=True, slots=True)
class Workspace:
    """The store in which answers are saved, and the syncer that sends them to a server, if there is one."""

    database: Database
    syncer: Syncer | None = None
    given: GivenBy = "app"
    """How answers are given here, as the ledger keeps it."""

    def leave(self, seconds: float) -> SyncStatus | None:
        """Send what is left, for at most ``seconds``; returns what was and was not sent, if there is a
        server."""
        if self.syncer is None:
            return None
        delivery = self.syncer.finish(seconds)
        self.database.close()
        return delivery


def workspace_here(database: Database) -> Workspace:
    """The workspace in a store that is a file: a pack's rater works in the pack."""
    path = file_of(database.opened_with)
    return Workspace(database, given="pack" if path and is_single_file(path) else "app")


def open_workspace(database: Database, study: str, rater: str) -> Workspace:
    """A rater's workspace for a study of a store; raises ReviewerError if there is none."""
    if not database.on_server:
        return workspace_here(database)
    protocols = protocols_of(database)
    path, _unreachable = fetch_working_copy(database.opened_with, study, rater, protocols)
    return _workspace_in(str(path), database.opened_with, study, rater, protocols)


def workspace_away_from(
    location: str, study: str, rater: str, protocols: Protocols = PROTOCOLS
) -> tuple[Workspace, str | None]:
    """The same for a server that may be out of reach, and why it is: work goes on in the rater's file."""
    path, unreachable = fetch_working_copy(location, study, rater, protocols)
    return _workspace_in(str(path), location, study, rater, protocols), unreachable


def _workspace_in(path: str, location: str, study: str, rater: str, protocols: Protocols) -> Workspace:
    syncer = Syncer(
        lambda: Database.open(path), lambda: Database.open(location, must_exist=True), study, rater
    )
    syncer.start()
    return Workspace(Database.open(path, must_exist=True, protocols=protocols), syncer, "pack")
