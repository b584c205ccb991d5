"""Options of ``reviewer candidates`` and ``funnel``: what generation made of its candidates."""

from reviewer.options.option import FilePath, argument, flag, option, several
from reviewer.options.shared import InStore, Tabled, listed


class CandidatesOptions(Tabled, InStore):
    """List a run's candidates and what became of them. `reviewer show RUN:NUMBER` shows one candidate."""

    example = "reviewer candidates first --step logic --limit 20"
    name: str = argument("RUN")
    approved: bool | None = option(
        "Show only candidates that were approved, or only those that were discarded. Default: all.",
        "--approved/--discarded",
    )
    group: str | None = option("Show only candidates of this group.")
    step: str | None = option(
        "Show only candidates whose last step was this one, such as logic. A step may have several checks."
    )
    check: str | None = option(
        "Show only candidates that this check discarded. For a discovery run: only candidates with this "
        "result."
    )
    limit: int = option("Show at most this many rows.", default=50, show_default=True, within=(1, None))


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
