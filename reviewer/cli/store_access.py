"""Which store and protocols a call of the command line works with, and how they are opened."""

import os
import sys
from typing import TYPE_CHECKING, NamedTuple

import click
from click.core import ParameterSource

from reviewer.cli.printing import note
from reviewer.core.errors import StoreError
from store.location import DEFAULT_LOCATION, file_of, has_password, lacks_password

if TYPE_CHECKING:
    from reviewer.protocols.registry import Protocols
    from store.database import Database


class Given(NamedTuple):
    """What a call of the command line works with: its protocols, and a store that was named before a command.

    No protocols: those of the release, which load where a command needs them.
    """

    protocols: "Protocols | None" = None
    store: str | None = None


def protocols_here() -> "Protocols":
    """The protocols that this call of the command line was given."""
    from reviewer.protocols.registry import PROTOCOLS

    return _given().protocols or PROTOCOLS


def is_new_store(location: str) -> bool:
    """Whether a store is a file that does not exist yet; raises StoreError for an impossible name."""
    try:
        path = file_of(location)
        return path is not None and not path.exists()
    except OSError as error:
        from reviewer.core.sanitize import one_line

        name = one_line(location, 80)
        raise StoreError(f"store {name!r} cannot be opened ({error.strerror}); check the path.") from error


def open_store(location: str, *, create: bool = False) -> "Database":
    """Open a store until the command ends, with the protocols of this call; raises StoreError.

    If that creates the store (``create``), a sentence on stderr says which file it is.
    """
    from pathlib import Path

    from store.database import Database

    is_new = create and is_new_store(location)
    database = Database.open(location, must_exist=not create, protocols=_given().protocols)
    if context := click.get_current_context(silent=True):
        context.call_on_close(database.close)
    if is_new:
        note(f"Created the store {Path(database.location).absolute()}.")
    return database


def open_store_later(location: str) -> "Database":
    """As ``open_store``, but a current file is opened by its first use; for the app, which appears before."""
    from store.deferred_database import opened_by_use

    return opened_by_use(location, _given().protocols) or open_store(location, create=True)


def name_store(context: click.Context, location: str) -> None:
    """Keep the store that was named before a subcommand, as the default of its own ``--store``."""
    context.obj = (context.find_object(Given) or Given())._replace(store=location)


def _given() -> Given:
    context = click.get_current_context(silent=True)
    return (context and context.find_object(Given)) or Given()


def prepared_location(context: click.Context, parameter: click.Parameter, location: str) -> str:
    """The location, after a warning or a question about the password of a server."""
    given = context.get_parameter_source(parameter.name or "") is ParameterSource.COMMANDLINE
    prepare_server(location, on_command_line=given)
    return location


def prepare_server(location: str, *, on_command_line: bool = True) -> None:
    """Warn of a password in a server's URL; ask for one that the server wants and that nothing gives."""
    if "://" not in location:
        return
    if has_password(location):
        if on_command_line:
            note(
                "Warning: other users of this machine can read a password on the command line. Keep it in "
                "~/.pgpass, PGPASSFILE or a service file, or leave it out and type it when asked."
            )
    elif sys.stdin.isatty() and "PGPASSWORD" not in os.environ and lacks_password(location):
        # Where the driver looks for it; processes and synchronising threads of this one find it too.
        os.environ["PGPASSWORD"] = click.prompt("Password of the database user", hide_input=True, err=True)


def inherited_store() -> str:
    """What was given before the command; the environment speaks only where nothing was given at all."""
    named = _given().store
    if named is not None:
        return named
    return os.environ.get("REVIEWER_STORE") or DEFAULT_LOCATION
