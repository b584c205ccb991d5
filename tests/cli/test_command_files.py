"""Each command stands in a file of its own name, found from the commands that `reviewer --help` shows."""

import inspect
import keyword
from collections.abc import Callable, Iterator
from pathlib import Path

import click
import pytest

from reviewer.cli.declared_command import DeclaredCommand
from reviewer.cli.main import reviewer

CLI = Path(__file__).parents[2] / "reviewer" / "cli"


def every_command(
    group: click.Group, names: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Each command below a group with the words that call it."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        yield (*names, name), command
        if isinstance(command, click.Group):
            yield from every_command(command, (*names, name))


def place(names: tuple[str, ...], command: click.Command) -> tuple[Path, str]:
    """Where a command must stand: the file and the function."""
    *groups, name = names
    folder = CLI.joinpath(*groups)
    if isinstance(command, click.Group):
        return folder / name / "__init__.py", "_".join((*names, "command"))
    return folder / (f"{name}_.py" if keyword.iskeyword(name) else f"{name}.py"), "_".join(
        (*names, "command")
    )


def stands(command: click.Command) -> tuple[Path, str]:
    """Where a command stands."""
    assert command.callback is not None
    function: Callable[..., object] = inspect.unwrap(command.callback)
    if isinstance(command, DeclaredCommand):
        function = command.function()
    return Path(inspect.getfile(function)), function.__name__


assert isinstance(reviewer, click.Group)
COMMANDS = dict(every_command(reviewer))


@pytest.mark.parametrize("names", COMMANDS, ids=" ".join)
def test_each_command_stands_in_a_file_of_its_name(names: tuple[str, ...]) -> None:
    assert stands(COMMANDS[names]) == place(names, COMMANDS[names])


def test_a_command_in_another_file_is_found() -> None:
    assert stands(COMMANDS["study", "show"]) != place(("show",), COMMANDS["study", "show"])


def test_no_two_commands_share_a_file() -> None:
    files = [stands(command)[0] for command in COMMANDS.values()]
    assert len(files) == len(set(files)) > 40
