"""Checks without a language model, and what is compared across datasets."""
