"""Backups of stores and the check of a store, in a file or on a server."""

from contextlib import closing
from pathlib import Path

from reviewer.core.errors import RequestError
from reviewer.protocols.registry import PROTOCOLS, Protocols
from reviewer.study.integrity.store_check import StoreCheck, check_store
from store.backup import back_up
from store.copying import copy_store
from store.database import Database
from store.location import file_of
from store.server_rows import rows_on_server
from store.untrusted_store import untrusted_store


def checked(location: str, protocols: Protocols = PROTOCOLS) -> StoreCheck:
    """What is wrong with the store at a path or URL; raises ReviewerError if it cannot be read at all."""
    path = file_of(location)
    if path is not None:
        with untrusted_store(path, own=True) as file:
            return check_store(file, protocols)
    with rows_on_server(location) as rows:
        return check_store(rows, protocols)


def back_up_store(location: str, target: Path, protocols: Protocols = PROTOCOLS) -> StoreCheck:
    """Copy a store into a new file and check the copy; raises ReviewerError, and then leaves no partial "
    "file."""
    if target.exists():
        raise RequestError(f"file {str(target)!r} already exists; give another name.")
    path = file_of(location)
    if path is not None:
        back_up(path, target)
    else:
        with (
            closing(Database.open(location, must_exist=True)) as old,
            closing(Database.open(str(target))) as new,
        ):
            copy_store(old, new)
    with untrusted_store(target, own=True) as file:
        return check_store(file, protocols)
