"""Reads a whole number of a range out of a reply. A number outside of the range is never cut to fit it."""

import re
from functools import lru_cache
from typing import Final

from reviewer.protocols.evaluation import LabelRead
from reviewer.protocols.reading.answer_reader import chosen_in
from reviewer.protocols.reading.choices import Choice, Choices
from reviewer.protocols.reading.plain_lines import said_aloud, undecorated

_NUMBER: Final = re.compile(r"(?<![\w.,])[-−+]?\d+(?:[.,]\d+)*(?![\w%])")
_OUT_OF: Final = r"\s*(?:/|out of)\s*{most}(?![\w.,]*\d)"


def number_in(reply: str, least: int, most: int) -> LabelRead:
    """The only number of the reply, or the one that it announces among several, if it is of the range."""
    said = said_aloud(reply)
    if said is None:
        return LabelRead(None, "no decision")
    text = re.sub(_OUT_OF.format(most=most), " ", undecorated(said))
    numbers = dict.fromkeys(_NUMBER.findall(text))
    if len(numbers) > 1:
        read = chosen_in(text, _numbers(least, most))
        return read if read.label in numbers else LabelRead(None, "several numbers")
    if not numbers:
        return LabelRead(None, "no number")
    (number,) = numbers
    number = number.removeprefix("+").replace("−", "-")
    whole = number.removeprefix("-").isascii() and number.removeprefix("-").isdigit()
    if not whole or len(number) > len(str(most)) + 1 or not least <= int(number) <= most:
        return LabelRead(None, f"no whole number from {least} to {most}")
    return LabelRead(str(int(number)), "the only number")


@lru_cache(maxsize=16)
def _numbers(least: int, most: int) -> Choices:
    return Choices(tuple(Choice(str(number), (str(number),), 0) for number in range(least, most + 1)))
