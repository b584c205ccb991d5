"""What a start loads: only what the first screen or the help text needs, in a fresh process each."""

import subprocess
import sys

import click
import pytest

from reviewer.cli.main import reviewer

OURS = ("reviewer.core.question", "reviewer.protocols", "reviewer.study", "reviewer.tui", "store.records")
NOT_FOR_A_LINE_OF_TEXT = ("textual", "rich", "pydantic", "sqlalchemy", "sqlmodel", "numpy", "json", *OURS)


def loaded_by(*words: str) -> list[str]:
    """The modules that a call of the command line has loaded at its end."""
    code = (
        "import atexit, sys\n"
        "atexit.register(lambda: print(*sys.modules, file=sys.stderr))\n"
        f"sys.argv = ['reviewer', *{words!r}]\n"
        "from reviewer.cli import main\n"
        "main()\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stderr.split()


@pytest.mark.parametrize("words", [("--version",), ("--help",)], ids=" ".join)
def test_a_line_of_text_loads_nothing_heavy(words: tuple[str, ...]) -> None:
    loaded = loaded_by(*words)
    assert "reviewer.cli.main" in loaded
    assert set(NOT_FOR_A_LINE_OF_TEXT) & set(loaded) == set()


def test_what_a_command_needs_is_loaded_when_it_is_called() -> None:
    """The list above would name it."""
    assert set(NOT_FOR_A_LINE_OF_TEXT) & set(loaded_by("settings", "--help"))


def test_the_list_of_commands_says_what_each_says_of_itself() -> None:
    assert isinstance(reviewer, click.Group)
    context = click.Context(reviewer, info_name="reviewer", terminal_width=400, max_content_width=400)
    shown = [" ".join(line.split()) for line in reviewer.get_help(context).splitlines()]
    for name in reviewer.list_commands(context):
        command = reviewer.get_command(context, name)
        assert command is not None
        assert f"{name} {command.get_short_help_str(400)}" in shown
