"""Options of ``reviewer cases``."""

from typing import ClassVar, Literal

from reviewer.options.option import command_options, option, several
from reviewer.options.shared import (
    InStore,
    Tabled,
)


@command_options
class CasesOptions(Tabled, InStore):
    """List the cases that match filters and words.

    The column state says which were revised or withdrawn. Generators stay blank in datasets of a study in
    which you still have cases to answer, if its protocol hides them.
    """

    example: ClassVar[str] = 'reviewer cases --group "anchoring bias" --search deadline --limit 5'
    datasets: tuple[str, ...] = several("Show only cases of this dataset; may be repeated.", "--dataset")
    group: str | None = option("Show only cases of this group.")
    generator: str | None = option("Show only cases of this generator.")
    origin: Literal["seed", "generated"] | None = option("Show only hand-written or only generated cases.")
    search: str = option(
        "Show only cases that contain all these words. The beginning of a word is enough.",
        default="",
        metavar="TEXT",
    )
    limit: int = option("Show at most this many rows.", default=50, show_default=True, within=(1, None))
    offset: int = option("Skip this many cases first.", default=0, within=(0, None))
