"""Spreadsheets for raters: written, read back, matched to cases."""
