"""The dimensions that a study's numbers can be divided by."""

PAIR = "pair"
CONFIDENCE = "confidence"
DIMENSIONS = ("question", "generator", "group", "dataset", PAIR, CONFIDENCE)
"""A pair is a pair of raters; confidence is that of the least sure answer to an item."""

ALL = "all"
"""Stands for every value of a dimension that is not divided by."""
