"""Reliability of several votes of one judge: the share of items with so many votes that experts confirm."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from reviewer.agreement.clustered_ratios import Bools
from reviewer.agreement.intervals import DEFAULT_LEVEL
from reviewer.agreement.judge_labels import Cases, share_among
from reviewer.agreement.patterns import Ints
from reviewer.core.estimate import Estimate


@dataclass(frozen=True, slots=True)
class VotesConfirmed:
    """Of the items on which a judge gave a label with ``votes`` of its ``repeats``, the share confirmed."""

    votes: int
    repeats: int
    confirmed: Estimate


def confirmed_by_votes(
    votes: Ints, repeats: Ints, confirmed: Bools, cases: Cases = None, level: float = DEFAULT_LEVEL
) -> list[VotesConfirmed]:
    """By number of repeats and votes, from 0 to all; three arrays with a value for each item.

    ``confirmed`` says whether the experts gave the label. Numbers of votes that no item has are undefined.
    """
    return [
        VotesConfirmed(number, of, share_among(confirmed, (votes == number) & (repeats == of), cases, level))
        for of in _present(repeats)
        for number in range(of + 1)
    ]


def _present(repeats: Ints) -> Sequence[int]:
    return [int(of) for of in np.unique(repeats) if of > 0]
