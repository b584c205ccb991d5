"""The dimensions that a study's numbers can be divided by."""

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
