"""What a report's reader chooses: what it divides by, how many decimals, names or letters."""

from dataclasses import dataclass

from reviewer.core.number_text import DIGITS

BY = ("question", "generator")


@dataclass(frozen=True)
class Look:
    """What a report divides by, its decimals, and what it says of raters: names or letters, and comments."""

    by: tuple[str, ...] = BY
    digits: int = DIGITS
    anonymous: bool = False
    comments: bool = True


USUAL = Look()
