"""``reviewer settings``, ``manual`` and ``completion``: the program itself."""

import sys
from collections.abc import Iterator
from inspect import cleandoc

import click
from click.shell_completion import get_completion_class

from reviewer.cli.declared_command import DeclaredCommand
from reviewer.cli.main import reviewer
from reviewer.cli.printing import note, print_table
from reviewer.core.personal_settings import Settings, settings_path
from reviewer.core.table import Cell, Table
from reviewer.options.program import CompletionOptions, ManualOptions, SettingsOptions
from reviewer.options.shared import Format


def settings_command(options: SettingsOptions) -> None:
    """``settings``: the path of the file and the settings in force."""
    from reviewer.tui.keys.preferences import load_preferences

    path = settings_path()
    settings = load_preferences(path)
    print_table(_keys(settings) if options.only_keys else _settings(settings), options.form)
    note(f"{path}" + ("" if path.exists() else " (does not exist yet, so all settings have their defaults)"))


def _settings(settings: Settings) -> Table:
    shown: dict[str, Cell] = {
        **settings.model_dump(exclude={"keys"}),
        **{f"keys.{name}": keys for name, keys in settings.keys.items()},
    }
    meanings = {name: field.description or "" for name, field in Settings.model_fields.items()}
    rows: list[list[Cell]] = [
        [name, _said(value), meanings.get(name, meanings["keys"])] for name, value in shown.items()
    ]
    return Table.of(("setting", "value", "meaning"), rows)


def _said(value: Cell) -> Cell:
    return str(value).lower() if isinstance(value, bool) else value


def _keys(settings: Settings) -> Table:
    from reviewer.tui.keys.actions import catalogue
    from reviewer.tui.keys.preferences import effective_keys

    actions = catalogue().actions
    rows = [
        (name, " ".join(keys), actions[name].label, actions[name].description, name in settings.keys)
        for name, keys in sorted(effective_keys(settings.keys).items())
    ]
    return Table.of(("action", "keys", "label", "what it does", "changed"), rows)


def manual_command(options: ManualOptions) -> None:
    """``reviewer manual``: the manual in the terminal."""
    if options.reference:
        from reviewer.cli.program import command_reference

        click.echo(command_reference(), nl=False)
    elif options.page is None or options.lists:
        _print_list(options.form)
    else:
        _show(options.page)


def _print_list(form: Format) -> None:
    from reviewer.manual.manual_pages import all_pages

    print_table(Table.of(("page", "title"), [[page.name, page.title] for page in all_pages()]), form)


def _show(name: str) -> None:
    from reviewer.manual.manual_pages import manual_page

    page = manual_page(name)
    if sys.stdout.isatty():
        _page_on_terminal(page.plain)
    else:
        click.echo(page.text, nl=False)


def _page_on_terminal(text: str) -> None:
    from rich.console import Console
    from rich.markdown import Markdown

    console = Console(width=min(_WIDEST, Console().width))
    with console.capture() as capture:
        console.print(Markdown(text, hyperlinks=False))
    lines = capture.get()
    if lines.count("\n") < console.height:
        click.echo(lines, nl=False)
    else:
        click.echo_via_pager(lines)


_WIDEST = 100


def completion_command(options: CompletionOptions) -> None:
    """``reviewer completion``: completion of commands and options by the tab key."""
    kind = get_completion_class(options.shell)
    assert kind is not None, "click knows every shell that the argument takes"
    # Only the text of the script: click's own way of printing it starts bash to learn its version.
    program = click.get_current_context().find_root().command
    script = kind(program, {}, "reviewer", "_REVIEWER_COMPLETE")
    click.echo(script.source_template % script.source_vars())


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
    assert isinstance(command, DeclaredCommand)
    for title, parameters in command.sections(context):
        own = [parameter for parameter in parameters if parameter in command.params]  # without --help
        options = [_option(context, parameter) for parameter in own if _is_shown(parameter)]
        if options:
            paragraphs += [f"{title}:"] if title != "Options" else []
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
