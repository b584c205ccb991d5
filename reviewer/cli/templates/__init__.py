"""``reviewer templates``: templates of cases with gaps or slots, and what is published of their cases."""

import click

from reviewer.cli.lazy_group import LazyGroup


@click.group(
    "templates",
    cls=LazyGroup,
    package=__name__,
    below=("show", "convert", "fill", "nulls", "scores", "shares", "reading"),
    epilog="Example: reviewer templates nulls templates.toml",
)
def templates_command() -> None:
    """Check, convert and fill templates of cases, and check published results of such cases."""
