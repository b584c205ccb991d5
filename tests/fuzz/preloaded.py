"""Imports of the fork server before it forks: every command, and modules that commands import on use."""

import gc

import alembic.command
import alembic.config  # noqa: F401
import click
import pygments.lexers.prolog  # noqa: F401
import scipy.stats  # noqa: F401
import textual.app  # noqa: F401

import reviewer.tui.app
import reviewer.tui.dialogs.rescue
import reviewer.tui.screens.review  # noqa: F401
import store.schema  # noqa: F401
from reviewer.cli.main import reviewer as group

for name in group.list_commands(click.Context(group)):  # type: ignore[attr-defined]
    group.get_command(click.Context(group), name)  # type: ignore[attr-defined]

gc.collect()
gc.freeze()
