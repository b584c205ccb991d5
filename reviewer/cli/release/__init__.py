"""``reviewer release``: sealed versions of datasets."""

import click

from reviewer.cli.lazy_group import LazyGroup
from reviewer.cli.options import name_store, store_option


@click.group(
    "release",
    cls=LazyGroup,
    package=__name__,
    below=("make", "list", "verify"),
    epilog="Example: reviewer release make first --version 1.0 -o first-1.0",
)
@store_option
@click.pass_context
def release_command(context: click.Context, store: str) -> None:
    """Make a release of a dataset that others can cite and check, list releases, or check one."""
    name_store(context, store)
