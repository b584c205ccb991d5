"""Options of ``reviewer review``."""

from typing import ClassVar

from reviewer.options.option import argument, command_options, flag, option
from reviewer.options.shared import InStore


@command_options
class ReviewOptions(InStore):
    """Review a study's cases. Every answer is saved at once, and you resume where you stopped.

    Give the name of a study in the store, or the file of a pack that was made for you.

    With --plain, answers are read from standard input, one per line. If the answers come from a pipe, the
    first invalid line stops the review with exit code 2. Answers before it stay saved.
    """

    example: ClassVar[str] = "reviewer review pilot --rater anna"
    study: str = argument("STUDY|PACK")
    rater: str | None = option(
        "Your name. Required for a study; a pack has it already.  [env var: REVIEWER_RATER]",
        env="REVIEWER_RATER",
    )
    plain: bool = flag("Review line by line, for screen readers and pipes. Type h there for help.")
    alone: bool = flag("Internal: used by `reviewer serve`.", hidden=True)
