"""``reviewer manual``: the manual in the terminal."""

import sys

import click

from reviewer.cli.options import print_table
from reviewer.core.table import Table
from reviewer.options.manual import ManualOptions
from reviewer.options.shared import Format


def manual_command(options: ManualOptions) -> None:
    """Carry out ``reviewer manual``."""
    if options.reference:
        from reviewer.cli.command_reference import command_reference

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
