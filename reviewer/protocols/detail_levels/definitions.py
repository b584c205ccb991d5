"""Our own definitions of eight biases that published tables have."""

from collections.abc import Mapping
from typing import Final

DEFINITIONS: Final[Mapping[str, str]] = {
    "Anchoring": "An estimate is pulled towards a number that was mentioned before, although that "
    "number says nothing about it.",
    "Availability": "What comes to mind easily is taken to be more likely than it is.",
    "Confirmation": "Evidence for what is believed already counts more than evidence against it.",
    "Framing": "The same fact is judged differently when it is told as a gain or as a loss.",
    "Interpretation": "Something that may mean several things is taken to mean something good or bad.",
    "Overattribution": "Behaviour is put down to a person's character, although the situation explains it.",
    "Prospect Theory": "A loss weighs more than a gain of the same size.",
    "Representativeness": "Somebody or something is taken to be likely because it looks typical, whatever "
    "the numbers say.",
}
