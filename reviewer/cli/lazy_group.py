"""Groups whose commands are loaded when they are called: each is in a file of its own name."""

import importlib
import keyword
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from reviewer.cli.declared_command import DeclaredCommand

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

_ROOT = "reviewer.cli"


class LazyGroup(click.Group):
    """A group that loads the file of a command when the command is called, so that each starts fast.

    ``reviewer study new`` is ``study_new_command`` in ``cli/study/new.py``. A group is the package of its
    name. A name that Python reserves has a ``_`` behind it.
    """

    def __init__(self, *args: Any, package: str = _ROOT, below: Mapping[str, str], **given: Any) -> None:
        """``below`` has the commands, each with its line in the group's help."""
        super().__init__(*args, **given)
        self._package, self._below = package, below

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The commands in the order that the group gives."""
        return list(self._below)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that the first word names; a word that names none gets the most similar commands."""
        name = args[0]
        if name in self._below or name.startswith("-"):
            return super().resolve_command(ctx, args)
        from difflib import get_close_matches

        close = " or ".join(get_close_matches(name, self._below, 3))
        known = f"did you mean {close}" if close else f"its commands are {', '.join(self._below)}"
        raise click.UsageError(f"{ctx.command_path} has no command {name!r}; {known}", ctx)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands, of which none is loaded."""
        with formatter.section("Commands"):
            formatter.write_dl(list(self._below.items()))

    def shell_complete(self, ctx: click.Context, incomplete: str) -> "list[CompletionItem]":
        """The commands and options that begin so; no command is loaded."""
        from click.shell_completion import CompletionItem

        lines = {name: line for name, line in self._below.items() if name.startswith(incomplete)}
        items = [CompletionItem(name, help=line) for name, line in lines.items()]
        return [*items, *click.Command.shell_complete(self, ctx, incomplete)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load a command."""
        if cmd_name not in self._below:
            return None
        module, attribute = file_and_function(self._package, cmd_name)
        if options := options_of(self._package, cmd_name):
            return DeclaredCommand(cmd_name, options, module, attribute)
        group: click.Group = getattr(importlib.import_module(module), attribute)
        return group


def options_of(package: str, command: str) -> type | None:
    """The class that declares the options of a command below the group of a package; None for a group."""
    words = (*package.removeprefix(_ROOT).split(".")[1:], command)
    module = importlib.import_module(f"reviewer.options.{words[0]}{'_' * keyword.iskeyword(words[0])}")
    name = "".join(word.capitalize() for word in words)
    declared: type | None = getattr(module, f"{name}Options", None)
    return declared


def file_and_function(package: str, command: str) -> tuple[str, str]:
    """The module and the function of a command below the group of a package."""
    groups = package.removeprefix(_ROOT).split(".")[1:]
    file = f"{command}_" if keyword.iskeyword(command) else command
    return f"{package}.{file}", "_".join((*groups, command, "command"))
