"""Options of ``reviewer show``."""

from typing import ClassVar, Literal

from reviewer.options.option import argument, command_options, flag, option
from reviewer.options.shared import InStore


@command_options
class ShowOptions(InStore):
    """Show everything about one case.

    CASE can be given in four ways: DATASET:KEY; its key alone, if only one dataset has it; the first
    characters of its digest; or RUN:NUMBER for a candidate of a generation run.

    If you still have cases to answer in an open study of this case, you see the panes that its questions
    show, without findings and opinions.
    """

    example: ClassVar[str] = 'reviewer show "gpt-4o-mini:anchoring bias/seed-1"'
    reference: str = argument("CASE")
    dataset: str | None = option("The dataset that holds the case.", metavar="NAME")
    in_words: bool = flag("Show the derivation in sentences, not in clauses of a program.")
    form: Literal["text", "json"] = option(
        "Output format: text for people, JSON for programs.", "--format", default="text", show_default=True
    )
