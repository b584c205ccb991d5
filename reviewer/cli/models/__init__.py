"""``reviewer models``: whether a model can be reached, and what calls have cost."""

import click

from reviewer.cli.lazy_group import LazyGroup


@click.group(
    "models",
    cls=LazyGroup,
    package=__name__,
    below=("calls", "try"),
    epilog="Example: reviewer models try gpt-4o-mini",
)
def models_command() -> None:
    """Test connections to language models, and count what they cost."""
