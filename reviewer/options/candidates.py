"""Options of ``reviewer candidates``."""

from reviewer.options.option import argument, option
from reviewer.options.shared import InStore, Tabled


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
