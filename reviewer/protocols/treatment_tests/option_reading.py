"""Reading the chosen option in a model's second reply. Without one option, nothing is read."""

import re
from typing import Final

from reviewer.protocols.evaluation import LabelRead

READER_VERSION: Final = 1
EMPTY, NO_OPTION, SEVERAL, TOO_LONG = "empty", "names no option", "names several options", "too long"
_MOST_CHARACTERS: Final = 200_000
_THOUGHTS = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|$)", re.IGNORECASE | re.DOTALL)
_OPTION = re.compile(r"\boption[\s_*#:(]*(\d{1,4})\b", re.IGNORECASE)
_NUMBER_ALONE = re.compile(r"[\s*_`\"'“”(]*(\d{1,4})[\s*_`\"'“”).]*")


def read_option(reply: str, options: int) -> LabelRead:
    """The place of the option that a reply names, counted from 0 in the order in which options were shown."""
    if len(reply) > _MOST_CHARACTERS:
        return LabelRead(None, TOO_LONG)
    said = _THOUGHTS.sub("", reply)
    if not said.strip():
        return LabelRead(None, EMPTY)
    alone = _NUMBER_ALONE.fullmatch(said)
    numbers = {int(alone[1])} if alone else {int(number) for number in _OPTION.findall(said)}
    if not numbers:
        return LabelRead(None, NO_OPTION)
    if len(numbers) > 1:
        return LabelRead(None, SEVERAL)
    number = numbers.pop()
    if not 1 <= number <= options:
        return LabelRead(None, f"names option {number} of {options}")
    return LabelRead(str(number - 1))
