"""Checks without a language model, and comparisons across datasets."""
