"""``reviewer templates``: templates of cases with gaps, and the scores of tests made from them."""

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
    """Check and convert templates of cases, and compute what their score means."""
