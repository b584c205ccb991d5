"""``reviewer protocol``: protocols that are declared in a file."""

import click

from reviewer.cli.lazy_group import LazyGroup

_COMMANDS = {
    "new": "Write a first declaration of a protocol for DATA, a file of rows.",
    "check": "Check the declaration of a protocol, and list every fault with its table and key.",
    "show": "Show a protocol's groups, panes, questions, checks and opinions.",
    "list": (
        "List the protocols that come with the program and those that the store keeps, each version in a row."
    ),
    "example": "Write a shipped example to FOLDER: cases, and their declaration or what a model answered.",
}


@click.group(
    "protocol",
    cls=LazyGroup,
    package=__name__,
    below=_COMMANDS,
    epilog="Example: reviewer protocol new pairs.jsonl",
)
def protocol_command() -> None:
    """Write, check, show and list protocols that are declared in one file."""
