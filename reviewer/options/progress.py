"""Options of ``reviewer progress``."""

from typing import ClassVar

from reviewer.options.option import argument, command_options
from reviewer.options.shared import InStore, Signed, Tabled


@command_options
class ProgressOptions(Signed, Tabled, InStore):
    """Show how far each rater of a study is. Answers are not shown.

    A lead also sees warnings about raters who answer faster than people read, match too few known answers
    (gold cases or training, see `reviewer study new --training-pass`), or always give the same label. A lead
    who also rates sees the warnings only after finishing their own cases, or when the study is closed.
    """

    example: ClassVar[str] = "reviewer progress pilot"
    name: str = argument("STUDY")
