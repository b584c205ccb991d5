"""``reviewer oracle``: what runs the programs."""

import click

from reviewer.cli.lazy_group import LazyGroup

_COMMANDS = {
    "doctor": (
        "Show the installed SWI-Prolog, whether its step counts can be compared with published ones, and "
        "how programs are confined."
    ),
}


@click.group(
    "oracle",
    cls=LazyGroup,
    package=__name__,
    below=_COMMANDS,
    epilog="Example: reviewer oracle doctor",
)
def oracle_command() -> None:
    """Inspect the SWI-Prolog system that runs the programs."""
