"""Where a rater works: in a store that is a file, or in their own file, which is synchronised."""

from dataclasses import dataclass

from reviewer.exchange.packs.working_copy import fetch_working_copy
from reviewer.protocols.registry import PROTOCOLS, Protocols, protocols_of
from reviewer.study.transfer.sync import Syncer, SyncStatus
from store.database import Database
from store.location import file_of
from store.records import GivenBy
from store.sqlite import is_single_file


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
