"""``reviewer store``: what concerns a store as a whole."""

import click

from reviewer.cli.lazy_group import LazyGroup

_COMMANDS = {
    "backup": "Back up the store, also while people work on it, and check the copy.",
    "check": "Check that no answer or case in the store was deleted, changed or damaged.",
    "copy": "Copy a whole store (a file or a database on a server) into an empty one, and compare all rows.",
    "grant": "Give a rater of STUDY their own database user in a store on a server.",
}


@click.group(
    "store",
    cls=LazyGroup,
    package=__name__,
    below=_COMMANDS,
    epilog="Example: reviewer store copy reviewer.db copy.db",
)
def store_command() -> None:
    """Copy, check and back up stores, and give raters access to a shared one."""
