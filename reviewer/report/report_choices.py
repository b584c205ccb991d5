"""What a report's reader chooses: what it divides by, how many decimals, names or letters."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from reviewer.core.number_text import DIGITS

if TYPE_CHECKING:
    from reviewer.results.labels.final_labels import LabelRule

BY = ("question", "generator")


@dataclass(frozen=True)
class Look:
    """What a report divides by, its decimals, and what it says of raters: names or letters, and comments.

    ``rule`` is how final labels follow from votes. ``drift``: raters by quarter of their answers, too.
    """

    by: tuple[str, ...] = BY
    digits: int = DIGITS
    anonymous: bool = False
    comments: bool = True
    rule: "LabelRule" = "majority"
    drift: bool = False


USUAL = Look()
