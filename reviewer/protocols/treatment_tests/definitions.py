"""Our own definitions of biases, by the names that published templates have."""

from collections.abc import Mapping
from typing import Final

DEFINITIONS: Final[Mapping[str, str]] = {
    "Anchoring": "An estimate is pulled towards a number that was mentioned before, although that "
    "number says nothing about it.",
    "Bandwagon Effect": "An opinion is preferred because many others hold it.",
    "Confirmation Bias": "Reasons against a decision count less once the decision was taken.",
    "Framing Effect": "The same fact is judged differently when it is told as a gain or as a loss.",
    "Halo Effect": "A good or bad impression of one quality spreads to other qualities that it says nothing "
    "about.",
    "Information Bias": "More information is asked for although it cannot change the decision.",
    "Not Invented Here": "A proposal is judged worse because it comes from outside one's own group.",
    "Planning Fallacy": "Plans stay too optimistic although similar plans took longer than expected.",
    "Self Serving Bias": "Successes are put down to oneself, and failures to circumstances.",
    "Status Quo Bias": "What is done already is preferred because it is done already.",
    "Sunk Cost Fallacy": "A plan is continued because of what was already spent on it, which cannot be "
    "regained.",
}
