"""What the fork server imports before it forks: every command, and what commands import where they use it."""

import alembic.command  # noqa: F401
import click
import scipy.stats  # noqa: F401
import textual.app  # noqa: F401

import reviewer.tui.app  # noqa: F401
import store.schema  # noqa: F401
from reviewer.cli.main import reviewer as group

for name in group.list_commands(click.Context(group)):  # type: ignore[attr-defined]
    group.get_command(click.Context(group), name)  # type: ignore[attr-defined]
