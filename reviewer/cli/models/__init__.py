"""``reviewer models``: whether a model can be reached, and what calls have cost."""

import click

from reviewer.cli.lazy_group import LazyGroup

_COMMANDS = {
    "calls": "Count the calls in the store, with their tokens and cost, by endpoint, model and purpose.",
    "try": "Send one short prompt to a model, to test its address, key and name.",
}


@click.group(
    "models",
    cls=LazyGroup,
    package=__name__,
    below=_COMMANDS,
    epilog="Example: reviewer models try gpt-4o-mini",
)
def models_command() -> None:
    """Test connections to language models, and count what they cost."""
