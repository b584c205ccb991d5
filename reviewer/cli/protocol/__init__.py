"""``reviewer protocol``: protocols that are declared in a file."""

import click

from reviewer.cli.lazy_group import LazyGroup


@click.group(
    "protocol",
    cls=LazyGroup,
    package=__name__,
    below=("new", "check", "show", "list", "example"),
    epilog="Example: reviewer protocol new pairs.jsonl",
)
def protocol_command() -> None:
    """Write, check, show and list protocols that are declared in one file."""
