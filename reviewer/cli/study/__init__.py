"""``reviewer study``: everything that concerns one study as a whole."""

import click

from reviewer.cli.lazy_group import LazyGroup

EXAMPLE = "Example: reviewer study new pilot --dataset gpt-4o-mini --per-group 5 --seed 42"
_COMMANDS = (
    *("close", "describe", "exclude", "include", "lead", "link", "links", "list", "new"),
    *("pack", "plan", "profile", "reopen", "show"),
)


@click.group("study", cls=LazyGroup, package=__name__, below=_COMMANDS, epilog=EXAMPLE)
def study_command() -> None:
    """Plan studies, draw their samples, and manage raters."""
