"""The pairs of the half-finished run."""

from collections.abc import Sequence
from typing import Any

from tests.runs.generating import a_pair, some_pairs

BIASES = ("anchoring bias", "framing effect")


def pairs() -> dict[str, Sequence[dict[str, Any]]]:
    """Made-up pairs, one of which the model decides against."""
    first, second = BIASES
    made = some_pairs(BIASES, 4)
    return {first: [a_pair(0, first, agreement_rate=0.0), *made[first][1:]], second: made[second]}
