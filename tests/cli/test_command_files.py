"""Each command is found by its name: its options in a class, its function in a file of one of two names."""

import inspect
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from reviewer.cli.declared_command import DeclaredCommand, DeclaredGroup
from reviewer.cli.main import reviewer
from reviewer.options.option import CommandGroup

CLI = Path(__file__).parents[2] / "reviewer" / "cli"
LONGEST_FILE = 330
"""Lines of a file with several commands; a command with much of its own has a file of its own."""


def every_command(group: DeclaredGroup) -> Iterator[DeclaredCommand]:
    """Each command below a group."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert isinstance(command, DeclaredCommand)
        yield command
        if isinstance(command, DeclaredGroup):
            yield from every_command(command)


def files(command: DeclaredCommand) -> list[Path]:
    """Where the function of a command may be: in a file of its own, or in that of the name of its options."""
    return [
        CLI / f"{name}.py" for name in ("_".join(command.words), Path(inspect.getfile(command.options)).stem)
    ]


def options_name(words: tuple[str, ...], *, is_group: bool) -> str:
    return "".join(map(str.capitalize, words)) + ("Commands" if is_group else "Options")


COMMANDS = {command.words: command for command in every_command(reviewer)}
CALLED = {
    words: command
    for words, command in COMMANDS.items()
    if not isinstance(command, DeclaredGroup) or command.invoke_without_command
}


@pytest.mark.parametrize("words", CALLED, ids=" ".join)
def test_each_command_is_in_a_file_of_its_name_or_of_that_of_its_options(words: tuple[str, ...]) -> None:
    function = CALLED[words].function()
    assert Path(inspect.getfile(function)) in files(CALLED[words])
    assert function.__name__ == "_".join((*words, "command"))


def test_a_command_of_another_group_is_not_taken_for_its_own() -> None:
    assert Path(inspect.getfile(COMMANDS["study", "show"].function())) not in files(COMMANDS["show",])


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_options_bear_the_name_of_their_command(words: tuple[str, ...]) -> None:
    command = COMMANDS[words]
    assert command.options.__name__ == options_name(words, is_group=issubclass(command.options, CommandGroup))


def test_no_file_of_several_commands_grows_long() -> None:
    modules = {Path(inspect.getfile(command.options)).name for command in COMMANDS.values()}
    shared = {CLI / name for name in modules if (CLI / name).exists()}
    lengths = {path.name: path.read_text(encoding="utf-8").count("\n") for path in shared}
    assert len(lengths) > 8
    assert {name: length for name, length in lengths.items() if length > LONGEST_FILE} == {}
