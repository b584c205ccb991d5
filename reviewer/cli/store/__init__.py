"""``reviewer store``: what concerns a store as a whole."""

import click

from reviewer.cli.lazy_group import LazyGroup


@click.group(
    "store",
    cls=LazyGroup,
    package=__name__,
    below=("backup", "check", "copy", "grant"),
    epilog="Example: reviewer store copy reviewer.db copy.db",
)
def store_command() -> None:
    """Copy, check and back up stores, and give raters access to a shared one."""
