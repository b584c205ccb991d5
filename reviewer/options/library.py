"""Options of ``reviewer library``."""

from typing import ClassVar

from reviewer.options.option import argument, command_options, option
from reviewer.options.result_options import (
    Digits,
    ResultFormatted,
)
from reviewer.options.shared import InStore


@command_options
class LibraryOptions(Digits, ResultFormatted, InStore):
    """Show the entries of a library with their evidence, origin and merges.

    DATASET holds entries that were imported or that a discovery run found. The error is the share of items
    that a judge misjudges. It is shown before and after the entry changed the items, with Wilson's interval.
    `reviewer show` shows one changed item with all its texts.
    """

    example: ClassVar[str] = "reviewer library known --format csv"
    dataset: str = argument("DATASET")
    entry: str | None = option("List the items that were changed by this entry.", metavar="NAME")
