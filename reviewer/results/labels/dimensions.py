"""The dimensions that a study's numbers can be divided by."""

PAIR = "pair"
CONFIDENCE = "confidence"
OUTPUT = "output"
DIMENSIONS = ("question", "generator", "group", "dataset", OUTPUT, PAIR, CONFIDENCE)
"""An output is one of the texts of a case that a question asks about in turn. A pair is a pair of raters;
confidence is that of the least sure answer to an item.
"""

ALL = "all"
"""Stands for every value of a dimension that is not divided by."""
