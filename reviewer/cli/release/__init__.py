"""``reviewer release``: sealed versions of datasets."""

import click

from reviewer.cli.declared_command import parameters_of
from reviewer.cli.lazy_group import LazyGroup
from reviewer.cli.options import name_store
from reviewer.options.shared import InStore

_COMMANDS = {
    "make": "Write a version of DATASET as a folder with data, card, changelog, metadata and checksums.",
    "list": (
        "List the releases that were made here, and those that datasets were imported from, oldest first."
    ),
    "verify": "Check a release: its files, seal, cases, counts and pages.",
}


@click.group(
    "release",
    cls=LazyGroup,
    package=__name__,
    below=_COMMANDS,
    params=list(parameters_of(InStore)),
    epilog="Example: reviewer release make first --version 1.0 -o first-1.0",
)
@click.pass_context
def release_command(context: click.Context, store: str) -> None:
    """Make a release of a dataset that others can cite and check, list releases, or check one."""
    name_store(context, store)
