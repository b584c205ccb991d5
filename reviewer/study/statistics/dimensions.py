"""What a study can be divided by."""

PAIR = "pair"
DIMENSIONS = ("question", "generator", "group", "dataset", PAIR)
"""The group is the bias in PROBE-SWE; a pair is one of raters."""

ALL = "all"
"""Stands for every value of a dimension that is not divided by."""
