"""The dimensions that a study's numbers can be divided by."""

from collections.abc import Sequence

from reviewer.core.errors import RequestError

PAIR = "pair"
CONFIDENCE = "confidence"
OUTPUT = "output"
STRATUM = "stratum"
DIMENSIONS = ("question", "generator", "group", "dataset", STRATUM, OUTPUT, PAIR, CONFIDENCE)
"""A stratum is one from which the sample was drawn, where numbers are weighted by strata. An output is one of
the texts of a case that a question asks about in turn. A pair is a pair of raters; confidence is that of the
least sure answer to an item.
"""

ALL = "all"
"""Stands for every value of a dimension that is not divided by."""


def check_dimensions(by: Sequence[str]) -> None:
    """Raise RequestError for a dimension that is unknown or named twice."""
    for dimension in by:
        if dimension not in DIMENSIONS or by.count(dimension) > 1:
            raise RequestError(
                f"cannot divide by {dimension!r}; use each of {', '.join(DIMENSIONS)} at most once."
            )
