"""``reviewer oracle``: what runs the programs."""

import click

from reviewer.cli.lazy_group import LazyGroup


@click.group(
    "oracle",
    cls=LazyGroup,
    package=__name__,
    below=("doctor",),
    epilog="Example: reviewer oracle doctor",
)
def oracle_command() -> None:
    """Inspect the SWI-Prolog system that runs the programs."""
