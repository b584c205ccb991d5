"""Options of ``reviewer funnel``."""

from reviewer.options.option import FilePath, argument, flag, option, several
from reviewer.options.shared import InStore, Tabled, listed


class FunnelOptions(Tabled, InStore):
    """Count the candidates that generation runs discarded, by filter.

    For a discovery run, count what each round tried and what became of it.

    Some protocols repeat a request whose reply breaks a rule. The column asked again counts these replies,
    which discard nothing by themselves.

    The column share is the number of candidates that this filter discarded, divided by the number that all
    filters of the protocol's paper discarded. Filters that are not in the paper have no share. The columns
    from mean to max show how the number varies over groups.
    """

    example = "reviewer funnel first --by group,check --published"
    names: tuple[str, ...] = argument("RUN…", required=True)
    by: tuple[str, ...] | None = option("Count by group, by check, or by both.", metavar="LIST", parse=listed)
    published: bool = flag("Show the runs published in the protocol's paper as well.")
    files: tuple[FilePath, ...] = several(
        "Compare with the counts in a CSV or JSON file. Its columns: run, filter, discarded and, "
        "optionally, group.",
        "--compare",
        metavar="FILE",
    )
