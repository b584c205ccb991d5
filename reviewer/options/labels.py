"""Options of ``reviewer labels``."""

from typing import ClassVar

from reviewer.options.option import argument, command_options, flag, option
from reviewer.options.result_options import (
    LabelRule,
)
from reviewer.options.shared import InStore, Tabled


@command_options
class LabelsOptions(LabelRule, Tabled, InStore):
    """Show the final label of each case and question: the adjudicated one, else the majority's, else none.

    A case passes a question with its final label, if that is a passing label and, where a published label is
    checked, also the published one. A case without a final label is undecided: the share that --counts shows
    leaves it out. The pass rates by majority of `reviewer agreement` count it as not passed.
    """

    example: ClassVar[str] = "reviewer labels pilot --format csv > final.csv"
    name: str = argument("STUDY")
    rater: str | None = option("Show this rater's labels beside the final ones.")
    differences: bool = flag("With --rater: show only labels that differ.")
    counts: bool = flag(
        "Count final labels by source (adjudicated, majority, none), and how many of them let the case pass."
    )
