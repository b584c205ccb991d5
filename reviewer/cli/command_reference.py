"""The manual's page on all commands, made from the commands."""

from collections.abc import Iterator
from inspect import cleandoc

import click

from reviewer.cli.main import reviewer

_HEAD = """\
# Every command

Each command prints this text with `--help`. Tables come as `--format table|csv|json`; only a terminal
shortens them. Results go to standard output and everything else to standard error. The exit codes are listed
under [Files](files.md).
"""


def command_reference() -> str:
    """The whole page as Markdown."""
    return "\n".join((_HEAD, *(_section(path, command) for path, command in _commands("reviewer", reviewer))))


def _commands(path: str, command: click.Command) -> Iterator[tuple[str, click.Command]]:
    yield path, command
    if isinstance(command, click.Group):
        context = click.Context(command, info_name=path, **command.context_settings)
        for name in command.list_commands(context):
            if below := command.get_command(context, name):
                yield from _commands(f"{path} {name}", below)


def _section(path: str, command: click.Command) -> str:
    context = click.Context(command, info_name=path, **command.context_settings)
    usage = " ".join((path, *command.collect_usage_pieces(context)))
    paragraphs = [f"## {path}", f"`{usage}`", *_paragraphs(cleandoc(command.help or ""))]
    options = [_option(context, parameter) for parameter in command.params if _is_shown(parameter)]
    if options:
        paragraphs.append("\n".join(options))
    if command.epilog:
        paragraphs.append(f"Example: `{command.epilog.removeprefix('Example: ')}`")
    return "\n\n".join(paragraphs) + "\n"


def _is_shown(parameter: click.Parameter) -> bool:
    return isinstance(parameter, click.Option) and not parameter.hidden


def _option(context: click.Context, option: click.Parameter) -> str:
    names, meaning = option.get_help_record(context) or ("", "")
    return f"- `{' '.join(names.split())}`: {' '.join(meaning.split())}"


def _paragraphs(text: str) -> Iterator[str]:
    """The paragraphs of a help text; one that keeps its line breaks becomes a block of code."""
    for paragraph in text.split("\n\n"):
        if paragraph.startswith("\b"):
            yield "```\n" + paragraph.removeprefix("\b").strip("\n") + "\n```"
        elif paragraph.strip():
            yield " ".join(paragraph.split())
