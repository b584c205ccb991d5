"""``reviewer templates``: templates of cases with gaps or slots, and what is published of their cases."""

import click

from reviewer.cli.lazy_group import LazyGroup

_COMMANDS = {
    "show": "Check templates, and list their gaps, values and options with their places in the file.",
    "convert": "Print templates in another form: many files as one TOML file, or one template as XML.",
    "fill": "Fill the slots of templates and print each filling as a case with five levels of detail.",
    "nulls": "Print the exact mean score of a coin and of constant answers, for the template of each group.",
    "scores": (
        "Recompute the scores of published decisions, and list which of them follow from the published rules."
    ),
    "shares": (
        "Check published shares of resistant answers by model, group, temperature and level, and print them."
    ),
    "reading": (
        "Read free answers whose choice is known, and count the reader's errors by the kind of answer."
    ),
}


@click.group(
    "templates",
    cls=LazyGroup,
    package=__name__,
    below=_COMMANDS,
    epilog="Example: reviewer templates nulls templates.toml",
)
def templates_command() -> None:
    """Check, convert and fill templates of cases, and check published results of such cases."""
