"""Spreadsheets for raters, and labels of other tools: written, read back, matched to cases."""
