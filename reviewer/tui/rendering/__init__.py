"""Panes and values as lines of styled text. Pure functions of a width; no widgets."""
