"""Exports of a study: tables, codebook, labels."""
