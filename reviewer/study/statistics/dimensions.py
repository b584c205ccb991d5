"""What a study can be divided by."""

PAIR = "pair"
DIMENSIONS = ("question", "generator", "group", "dataset", PAIR)
"""A pair is one of raters."""

ALL = "all"
"""Stands for every value of a dimension that is not divided by."""
