"""Releases: sealed, named versions of a dataset, written as a folder and checked by anybody."""
