"""``reviewer outcomes``: what models answered in an evaluation run."""

import click

from reviewer.cli.lazy_group import LazyGroup


@click.group(
    "outcomes",
    cls=LazyGroup,
    package=__name__,
    below=("list", "read", "import", "export", "cases"),
    epilog="Example: reviewer outcomes list first --unreadable",
)
def outcomes_command() -> None:
    """List what models answered in an evaluation run, read it again, import or export it."""
