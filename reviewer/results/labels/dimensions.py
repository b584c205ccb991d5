"""The dimensions that a study's numbers can be divided by."""

PAIR = "pair"
DIMENSIONS = ("question", "generator", "group", "dataset", PAIR)
"""A pair is a pair of raters."""

ALL = "all"
"""Stands for every value of a dimension that is not divided by."""
