"""Options of ``reviewer manual``."""

from typing import ClassVar

from reviewer.options.option import argument, command_options, flag
from reviewer.options.shared import Tabled


@command_options
class ManualOptions(Tabled):
    """Show a page of the manual, or the list of its pages.

    On a terminal the page is laid out to fit, and longer pages open in a pager. In a pipe it is Markdown.
    In the app, F1 opens the page that belongs to the screen.
    """

    example: ClassVar[str] = "reviewer manual first-study"
    page: str | None = argument("[PAGE]")
    lists: bool = flag("List the pages instead. The default without PAGE.", "--list")
    reference: bool = flag("Print the page on commands, made from the commands of this release.", hidden=True)
