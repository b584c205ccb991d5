"""``reviewer outcomes``: what models answered in an evaluation run."""

import click

from reviewer.cli.lazy_group import LazyGroup

_COMMANDS = {
    "list": "List the outcomes of the evaluation run RUN: what was answered, and how it was read.",
    "read": "Read the replies of RUN again with this release's reader, and list what changed.",
    "import": (
        "Add the outcomes of one model from FILE to the evaluation run RUN, which is created if needed."
    ),
    "export": (
        "Write every outcome of the evaluation run RUN as a row, as CSV and JSON Lines, with a codebook."
    ),
    "cases": "Print free answers of the evaluation run RUN as cases that experts review.",
}


@click.group(
    "outcomes",
    cls=LazyGroup,
    package=__name__,
    below=_COMMANDS,
    epilog="Example: reviewer outcomes list first --unreadable",
)
def outcomes_command() -> None:
    """List what models answered in an evaluation run, read it again, import or export it."""
