"""Options of ``reviewer merge``."""

from typing import ClassVar

from reviewer.options.option import FilePath, argument, command_options, flag, option
from reviewer.options.shared import Tabled
from store.location import DEFAULT_LOCATION


@command_options
class MergeOptions(Tabled):
    """Merge answers, comments and flags from packs or from whole stores.

    Files can be merged in any order and any number of times: an event is never added twice. Each file is
    merged in one transaction. Refused events are listed with the reason and set the exit code to 2; the
    others are merged. Events that reach the store after a study was closed are kept as late and not counted,
    whenever they were made. Events dated more than a day in the future are kept aside until you accept them
    with --accept-clock.
    """

    example: ClassVar[str] = "reviewer merge anna.review ben.review --dry-run"
    files: tuple[FilePath, ...] = argument("FILE...")
    dry_run: bool = flag("Show what the merge would do. Nothing is written.")
    trust: bool = flag("Accept verdicts from stores that are not copies of this one. You vouch for them.")
    accept_clock: bool = flag(
        "Also merge events dated more than a day in the future, including those that earlier merges kept "
        "aside."
    )
    store: str = option(
        "The store to use.  [env var: REVIEWER_STORE]",
        "--store",
        "--into",
        show_default=DEFAULT_LOCATION,
        metavar="PATH_OR_URL",
    )
