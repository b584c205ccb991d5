"""``reviewer manual``: the manual in the terminal."""

import sys

import click

from reviewer.cli.options import format_option, print_table
from reviewer.core.table import Table
from reviewer.options.shared import Format


@click.command("manual", epilog="Example: reviewer manual first-study")
@click.argument("page", required=False)
@click.option("--list", "lists", is_flag=True, help="List the pages instead. The default without PAGE.")
@click.option(
    "--reference",
    is_flag=True,
    hidden=True,
    help="Print the page on commands, made from the commands of this release.",
)
@format_option
def manual_command(page: str | None, lists: bool, reference: bool, form: Format) -> None:
    """Show a page of the manual, or the list of its pages.

    On a terminal the page is laid out to fit, and longer pages open in a pager. In a pipe it is Markdown.
    In the app, F1 opens the page that belongs to the screen.
    """
    if reference:
        from reviewer.cli.command_reference import command_reference

        click.echo(command_reference(), nl=False)
    elif page is None or lists:
        _print_list(form)
    else:
        _show(page)


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
